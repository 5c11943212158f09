import { Box, Button, Checkbox, Group, MultiSelect, Select, Skeleton, Stack } from '@mantine/core';
import { DOCUMENT_STATUSES } from '@sheaf/vocabulary/documents';
import { FILE_KINDS } from '@sheaf/vocabulary/file-kinds';
import { type ReactNode, useEffect } from 'react';
import { EntryPicker } from '../../components/entry-picker.tsx';
import { FILING_CALLS, type FilingKind } from '../../components/filing-kinds.ts';
import { type Label, LabelPicker } from '../../components/label-picker.tsx';
import { DateField } from '../../components/text-fields.tsx';
import { useCall } from '../../interface/call.ts';
import { useTranslate } from '../../language/language.tsx';
import { kindName } from '../../language/names.ts';
import { useSession } from '../../session/session.tsx';
import { type ChangeListState, isFiltered, kindsOf, type ListState, labelIdsOf, NO_FILTER, WITHOUT } from './list-state.ts';

interface EntryFilterProps {
  readonly kind: FilingKind;
  readonly state: ListState;
  readonly change: ChangeListState;
}

/** Narrows the list to the documents of one correspondent or type, or to those without any. */
export const EntryFilter = ({ kind, state, change }: EntryFilterProps): ReactNode => {
  const t = useTranslate();
  const id = state[kind];
  const without = { id: WITHOUT, name: t(`filing.without.${kind}`) };
  const isOne = id !== undefined && id !== WITHOUT;
  const chosen = useCall(FILING_CALLS[kind].read, { params: { id: id ?? '' } }, { enabled: isOne });
  // until its name is there, and where it is gone, the id shows that the list is narrowed
  const value = isOne ? { id, name: chosen.data?.name ?? id } : id === WITHOUT ? without : null;
  return (
    <Box w={200}>
      <EntryPicker
        kind={kind}
        label={t(`filing.one.${kind}`)}
        placeholder={t(`filing.any.${kind}`)}
        value={value}
        onChange={(entry) => change({ [kind]: entry?.id })}
        others={[without]}
        mayCreate={false}
      />
    </Box>
  );
};

const KINDS = FILE_KINDS.map(({ mimeType }) => ({ value: mimeType, label: kindName(mimeType) }));

interface FiltersProps {
  readonly state: ListState;
  readonly change: ChangeListState;
  readonly labels: readonly Label[];
  /** Told when all fields are there, whose number depends on what the service knows. */
  readonly onReady: () => void;
}

/** What narrows the list. */
const Filters = ({ state, change, labels, onReady }: FiltersProps): ReactNode => {
  const t = useTranslate();
  const { may } = useSession();
  const sources = useCall('get /api/sources', { query: { per_page: 100 } }, { enabled: may('sources.read'), staleMs: 60_000 });
  const users = useCall('get /api/users', { query: { per_page: 100 } }, { enabled: may('users.read'), staleMs: 60_000 });
  const chosen = labelIdsOf(state);
  const isReady = !sources.isLoading && !users.isLoading;
  useEffect(() => {
    if (isReady) onReady();
  }, [isReady, onReady]);
  if (!isReady) return <Skeleton height={62} />;
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
        <DateField label={t('documents.from')} value={state.from} onChange={(from) => change({ from })} />
        <DateField label={t('documents.to')} value={state.to} onChange={(to) => change({ to })} />
        <MultiSelect
          label={t('documents.kind')}
          placeholder={kindsOf(state).length === 0 ? t('documents.anyKind') : ''}
          clearable
          w={220}
          data={KINDS}
          value={[...kindsOf(state)]}
          onChange={(kinds) => change({ kinds: kinds.length === 0 ? undefined : kinds.join(',') })}
        />
        {(users.data?.data.length ?? 0) > 1 && (
          <Select
            label={t('documents.owner')}
            placeholder={t('documents.anyOwner')}
            clearable
            searchable
            w={180}
            data={users.data?.data.map(({ id, username }) => ({ value: id, label: username })) ?? []}
            value={state.owner ?? null}
            onChange={(owner) => change({ owner: owner ?? undefined })}
          />
        )}
        {may('labels.read') && (
          <>
            <EntryFilter kind="correspondent" state={state} change={change} />
            <EntryFilter kind="document_type" state={state} change={change} />
          </>
        )}
        <Checkbox
          label={t('documents.withoutLabels')}
          checked={state.labelled === 'none'}
          onChange={(event) => change({ labelled: event.currentTarget.checked ? 'none' : undefined })}
          mb={8}
        />
        <Checkbox
          label={t('documents.withSimilar')}
          checked={state.similar === 'yes'}
          onChange={(event) => change({ similar: event.currentTarget.checked ? 'yes' : undefined })}
          mb={8}
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
          <Button variant="default" onClick={() => change(NO_FILTER)}>
            {t('documents.clear')}
          </Button>
        )}
      </Group>
    </Stack>
  );
};
export default Filters;
