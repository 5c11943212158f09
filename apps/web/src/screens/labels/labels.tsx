import { Group, Text } from '@mantine/core';
import { IconSearch, IconTags } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { CreateButton } from '../../components/create-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FindField } from '../../components/find-field.tsx';
import { LabelChip } from '../../components/label-chip.tsx';
import type { Label } from '../../components/label-picker.tsx';
import { type Column, RecordTable } from '../../components/record-table.tsx';
import { EditAction, RemoveAction } from '../../components/row-action.tsx';
import { ScreenHeader } from '../../components/screen-header.tsx';
import { useHidden, useUndoableRemoval } from '../../components/undo.tsx';
import { useAddressState } from '../../interface/address-state.ts';
import { call } from '../../interface/call.ts';
import { usePagedCall } from '../../interface/paged-call.ts';
import { useTypedFilter } from '../../interface/typed-filter.ts';
import { useTranslate } from '../../language/language.tsx';
import { reachesAll } from '../../session/may.ts';
import { useMe, useSession } from '../../session/session.tsx';
import { useEntryColumns } from '../filing/entry-columns.tsx';
import { LabelForm } from './label-form.tsx';

/** All labels. */
const Labels = (): ReactNode => {
  const t = useTranslate();
  const { may, reach } = useSession();
  const me = useMe();
  const removeLater = useUndoableRemoval();
  const { hidden } = useHidden();
  const [edited, setEdited] = useState<Label | 'new'>();
  const [state, change] = useAddressState(['q', 'page']);
  const [typed, type] = useTypedFilter(state.q, (q) => change({ q }, { replace: true }));
  const { data, refetch, paging } = usePagedCall('get /api/labels', state, change);
  const mayTouch = (action: 'labels.update' | 'labels.delete', { created_by: by }: Label): boolean =>
    reachesAll(reach(action), [by], me.username);

  const remove = ({ id, name }: Label): void =>
    removeLater(id, t('labels.removed', { name }), async () => {
      await call('delete /api/labels/{id}', { params: { id } });
      await refetch();
    });
  const entryColumns = useEntryColumns('labels');

  const columns: readonly Column<Label>[] = [
    {
      key: 'name',
      title: t('labels.name'),
      width: '30%',
      cell: ({ name, color, path }) => (
        <Group gap={4} wrap="wrap">
          {path.length > 1 && (
            <Text size="sm" c="dimmed" className="stranger">
              {path.slice(0, -1).join(' / ')} /
            </Text>
          )}
          <LabelChip name={name} color={color} />
        </Group>
      ),
    },
    {
      key: 'description',
      title: t('labels.description'),
      isEmpty: ({ description }) => (description ?? '') === '',
      cell: ({ description }) => (
        <Text size="sm" className="stranger" lineClamp={2}>
          {description}
        </Text>
      ),
    },
    ...entryColumns,
    {
      key: 'actions',
      title: t('labels.actions'),
      hasHiddenTitle: true,
      align: 'right',
      cell: (label) => (
        <Group gap={4} justify="flex-end" wrap="nowrap">
          {mayTouch('labels.update', label) && (
            <EditAction title={t('labels.edit')} label={t('labels.editOf', { name: label.name })} onClick={() => setEdited(label)} />
          )}
          {mayTouch('labels.delete', label) && (
            <RemoveAction title={t('labels.remove')} label={t('labels.removeOf', { name: label.name })} onClick={() => remove(label)} />
          )}
        </Group>
      ),
    },
  ];

  const createButton = may('labels.create') && <CreateButton label={t('labels.create')} onClick={() => setEdited('new')} />;
  const empty =
    state.q === undefined ? (
      <EmptyState icon={IconTags} title={t('labels.none')} hint={t('labels.noneHint')}>
        {createButton}
      </EmptyState>
    ) : (
      <EmptyState icon={IconSearch} title={t('labels.noneFound')} />
    );
  return (
    <>
      <ScreenHeader title={t('labels.title')} hint={t('labels.hint')}>
        {createButton}
      </ScreenHeader>
      <FindField label={t('labels.find')} value={typed} onChange={type} mb="md" maw={420} />
      <RecordTable
        caption={t('labels.title')}
        columns={columns}
        {...paging}
        records={data?.labels.filter(({ id }) => !hidden.has(id))}
        empty={empty}
      />
      {edited !== undefined && <LabelForm label={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />}
    </>
  );
};
export default Labels;
