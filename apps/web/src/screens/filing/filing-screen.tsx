import { Anchor, Button, Group, Text } from '@mantine/core';
import { IconArrowMerge, IconPencil, IconPlus, IconSearch, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { navItemAt } from '../../app/nav.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { FILING_CALLS, type FilingEntry, type FilingKind } from '../../components/filing-kinds.ts';
import { FindField } from '../../components/find-field.tsx';
import { type Column, RecordTable } from '../../components/record-table.tsx';
import { RowAction } from '../../components/row-action.tsx';
import { ScreenHeader } from '../../components/screen-header.tsx';
import { useAddressState } from '../../interface/address-state.ts';
import { usePagedCall } from '../../interface/paged-call.ts';
import { useTypedFilter } from '../../interface/typed-filter.ts';
import { useTranslate } from '../../language/language.tsx';
import { useMe, useSession } from '../../session/session.tsx';
import { EntryForm } from './entry-form.tsx';
import { MergeEntry } from './merge-entry.tsx';
import { RemovalDialog } from './removal-dialog.tsx';

interface Dialog {
  readonly what: 'edit' | 'merge' | 'remove';
  readonly entry: FilingEntry;
}

/** All correspondents, or all document types. */
export const FilingScreen = ({ kind, path }: { readonly kind: FilingKind; readonly path: string }): ReactNode => {
  const t = useTranslate();
  const { may, reach } = useSession();
  const me = useMe();
  const [isCreating, setCreating] = useState(false);
  const [dialog, setDialog] = useState<Dialog>();
  const close = (): void => setDialog(undefined);
  const [state, change] = useAddressState(['q', 'page']);
  const [typed, type] = useTypedFilter(state.q, (q) => change({ q }, { replace: true }));
  const { paging } = usePagedCall(FILING_CALLS[kind].list, state, change);
  const mayTouch = (action: 'labels.update' | 'labels.delete', { created_by: by }: FilingEntry): boolean =>
    reach(action) === 'all' || (reach(action) === 'own' && by === me.username);

  const columns: readonly Column<FilingEntry>[] = [
    {
      key: 'name',
      title: t('labels.name'),
      width: '45%',
      cell: ({ name }) => (
        <Text size="sm" fw={500} className="stranger">
          {name}
        </Text>
      ),
    },
    {
      key: 'documents',
      title: t('labels.documents'),
      cell: ({ id, document_count: count }) => (
        <Anchor component={Link} href={`/documents?${kind}=${id}`} size="sm">
          {t('labels.count', { count })}
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
      cell: (entry) => {
        const { name } = entry;
        const open = (what: Dialog['what']) => () => setDialog({ what, entry });
        return (
          <Group gap={4} justify="flex-end" wrap="nowrap">
            {mayTouch('labels.update', entry) && (
              <RowAction icon={IconPencil} title={t('labels.edit')} label={t('labels.editOf', { name })} onClick={open('edit')} />
            )}
            {may('labels.update') && mayTouch('labels.delete', entry) && (
              <RowAction icon={IconArrowMerge} title={t('filing.merge')} label={t('filing.mergeOf', { name })} onClick={open('merge')} />
            )}
            {mayTouch('labels.delete', entry) && (
              <RowAction
                icon={IconTrash}
                title={t('labels.remove')}
                label={t('labels.removeOf', { name })}
                isRemoval
                onClick={open('remove')}
              />
            )}
          </Group>
        );
      },
    },
  ];

  const createButton = may('labels.create') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      {t(`filing.create.${kind}`)}
    </Button>
  );
  return (
    <>
      <ScreenHeader title={t(`filing.title.${kind}`)} hint={t(`filing.hint.${kind}`)}>
        {createButton}
      </ScreenHeader>
      <FindField label={t(`filing.find.${kind}`)} value={typed} onChange={type} mb="md" maw={420} />
      <RecordTable
        caption={t(`filing.title.${kind}`)}
        columns={columns}
        idOf={({ id }) => id}
        {...paging}
        empty={
          state.q === undefined ? (
            <EmptyState icon={navItemAt(path)?.icon ?? IconSearch} title={t(`filing.none.${kind}`)} hint={t('filing.noneHint')}>
              {createButton}
            </EmptyState>
          ) : (
            <EmptyState icon={IconSearch} title={t(`filing.noneFound.${kind}`)} />
          )
        }
      />
      {isCreating && <EntryForm kind={kind} entry={undefined} onClose={() => setCreating(false)} />}
      {dialog?.what === 'edit' && <EntryForm kind={kind} entry={dialog.entry} onClose={close} />}
      {dialog?.what === 'merge' && <MergeEntry kind={kind} entry={dialog.entry} onClose={close} />}
      {dialog?.what === 'remove' && <RemovalDialog kind={kind} entry={dialog.entry} onClose={close} />}
    </>
  );
};
