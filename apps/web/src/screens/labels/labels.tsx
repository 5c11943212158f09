import { Anchor, Button, Group, Text } from '@mantine/core';
import { IconPencil, IconPlus, IconSearch, IconTags, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { EmptyState } from '../../components/empty-state.tsx';
import { FindField } from '../../components/find-field.tsx';
import { LabelChip } from '../../components/label-chip.tsx';
import type { Label } from '../../components/label-picker.tsx';
import { type Column, RecordTable } from '../../components/record-table.tsx';
import { RowAction } from '../../components/row-action.tsx';
import { ScreenHeader } from '../../components/screen-header.tsx';
import { useHidden, useUndoable } from '../../components/undo.tsx';
import { useAddressState } from '../../interface/address-state.ts';
import { call } from '../../interface/call.ts';
import { usePagedCall } from '../../interface/paged-call.ts';
import { useTypedFilter } from '../../interface/typed-filter.ts';
import { useTranslate } from '../../language/language.tsx';
import { useMe, useSession } from '../../session/session.tsx';
import { LabelForm } from './label-form.tsx';

/** All labels. */
const Labels = (): ReactNode => {
  const t = useTranslate();
  const { may, reach } = useSession();
  const me = useMe();
  const undoable = useUndoable();
  const { hidden, hide, show } = useHidden();
  const [edited, setEdited] = useState<Label | 'new'>();
  const [state, change] = useAddressState(['q', 'page']);
  const [typed, type] = useTypedFilter(state.q, (q) => change({ q }, { replace: true }));
  const { data, refetch, paging } = usePagedCall('get /api/labels', state, change);
  const mayTouch = (action: 'labels.update' | 'labels.delete', { created_by: by }: Label): boolean =>
    reach(action) === 'all' || (reach(action) === 'own' && by === me.username);

  const remove = ({ id, name }: Label): void => {
    hide([id]);
    undoable({
      message: t('labels.removed', { name: name }),
      commit: async () => {
        await call('delete /api/labels/{id}', { params: { id } });
        await refetch();
      },
      restore: () => show([id]),
    });
  };

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
    {
      key: 'documents',
      title: t('labels.documents'),
      cell: ({ id, document_count: count }) => (
        <Anchor component={Link} href={`/documents?labels=${id}`} size="sm">
          {t('labels.count', { count: count })}
        </Anchor>
      ),
    },
    {
      key: 'by',
      title: t('labels.by'),
      cell: ({ created_by: by }) => (
        <Text size="sm" className="stranger">
          {by ?? t('labels.somebodyGone')}
        </Text>
      ),
    },
    {
      key: 'actions',
      title: t('labels.actions'),
      hasHiddenTitle: true,
      align: 'right',
      cell: (label) => (
        <Group gap={4} justify="flex-end" wrap="nowrap">
          {mayTouch('labels.update', label) && (
            <RowAction
              icon={IconPencil}
              title={t('labels.edit')}
              label={t('labels.editOf', { name: label.name })}
              onClick={() => setEdited(label)}
            />
          )}
          {mayTouch('labels.delete', label) && (
            <RowAction
              icon={IconTrash}
              title={t('labels.remove')}
              label={t('labels.removeOf', { name: label.name })}
              isRemoval
              onClick={() => remove(label)}
            />
          )}
        </Group>
      ),
    },
  ];

  const createButton = may('labels.create') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setEdited('new')}>
      {t('labels.create')}
    </Button>
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
        idOf={({ id }) => id}
        {...paging}
        records={data?.labels.filter(({ id }) => !hidden.has(id))}
        empty={
          state.q === undefined ? (
            <EmptyState icon={IconTags} title={t('labels.none')} hint={t('labels.noneHint')}>
              {createButton}
            </EmptyState>
          ) : (
            <EmptyState icon={IconSearch} title={t('labels.noneFound')} />
          )
        }
      />
      {edited !== undefined && <LabelForm label={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />}
    </>
  );
};
export default Labels;
