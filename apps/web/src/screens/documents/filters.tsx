import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { DOCUMENT_STATUSES } from '@sheaf/vocabulary/documents';
import type { ReactNode } from 'react';
import { type Label, LabelPicker } from '../../components/label-picker.tsx';
import { useCall } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';
import { useSession } from '../../session/session.tsx';
import { type ChangeListState, isFiltered, type ListState, labelIdsOf } from './list-state.ts';

interface Props {
  readonly state: ListState;
  readonly change: ChangeListState;
  readonly labels: readonly Label[];
}

/** What narrows the list. */
const Filters = ({ state, change, labels }: Props): ReactNode => {
  const t = useTranslate();
  const { may } = useSession();
  const sources = useCall('get /api/sources', { query: { per_page: 100 } }, { enabled: may('sources.read'), staleMs: 60_000 });
  const chosen = labelIdsOf(state);
  return (
    <Stack gap="sm">
      <Group gap="sm" align="flex-end">
        <Select
          label={t('documents.status')}
          placeholder={t('documents.anyStatus')}
          clearable
          w={170}
          data={DOCUMENT_STATUSES.map((value) => ({ value, label: t(`documents.${value}`) }))}
          value={state.status ?? null}
          onChange={(status) => change({ status: status ?? undefined })}
        />
        {(sources.data?.sources.length ?? 0) > 0 && (
          <Select
            label={t('documents.source')}
            placeholder={t('documents.anySource')}
            clearable
            w={200}
            data={sources.data?.sources.map(({ id, name }) => ({ value: id, label: name })) ?? []}
            value={state.source ?? null}
            onChange={(source) => change({ source: source ?? undefined })}
          />
        )}
        <TextInput
          type="date"
          label={t('documents.from')}
          value={state.from ?? ''}
          onChange={(event) => change({ from: event.currentTarget.value })}
        />
        <TextInput
          type="date"
          label={t('documents.to')}
          value={state.to ?? ''}
          onChange={(event) => change({ to: event.currentTarget.value })}
        />
        <div style={{ flex: '1 1 220px' }}>
          <LabelPicker
            label={t('documents.labels')}
            mayCreate={false}
            value={labels.filter(({ id }) => chosen.includes(id))}
            onChange={(picked) => change({ labels: picked.map(({ id }) => id).join(',') })}
          />
        </div>
        {isFiltered(state) && (
          <Button
            variant="default"
            onClick={() => change({ status: undefined, source: undefined, labels: undefined, from: undefined, to: undefined })}
          >
            {t('documents.clear')}
          </Button>
        )}
      </Group>
    </Stack>
  );
};
export default Filters;
