import { Group, TagsInput, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconArrowMerge, IconSearch } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { navItemAt } from '../../app/nav.ts';
import { CreateButton, EditAction, RemoveAction, RowAction } from '../../components/buttons.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { FormDialog } from '../../components/dialog.tsx';
import { EntryList, MergeDialog, useEntryColumns } from '../../components/entry-list.tsx';
import { EntryPicker } from '../../components/entry-picker.tsx';
import { FILING_CALLS, type FilingEntry, type FilingKind } from '../../components/filing-kinds.ts';
import { useFieldErrors } from '../../components/problem-note.tsx';
import { actionsColumn, type Column } from '../../components/record-table.tsx';
import { NameField } from '../../components/text-fields.tsx';
import { useAddressState } from '../../interface/address-state.ts';
import { type Answer, type Operation, useChange } from '../../interface/call.ts';
import { usePagedCall } from '../../interface/paged-call.ts';
import { useTranslate } from '../../language/language.tsx';
import { reachesAll } from '../../session/may.ts';
import { useMe, useSession } from '../../session/session.tsx';

interface Dialog {
  readonly what: 'edit' | 'merge' | 'remove';
  readonly entry: FilingEntry;
}

interface EntryDialogProps {
  readonly kind: FilingKind;
  readonly entry: FilingEntry;
  readonly onClose: () => void;
}

/** Asks for the entry that receives the documents of this one. */
const MergeEntry = ({ kind, entry, onClose }: EntryDialogProps): ReactNode => {
  const t = useTranslate();
  return (
    <MergeDialog
      operation={FILING_CALLS[kind].merge}
      touches={touchedBy(kind)}
      merged={entry}
      hint={t('filing.mergeHint', { name: entry.name, count: entry.document_count })}
      picker={(into, pick) => (
        <EntryPicker kind={kind} label={t('filing.mergeInto')} value={into} onChange={pick} except={entry.id} mayCreate={false} />
      )}
      onClose={onClose}
    />
  );
};

/** Names the documents that lose the entry before it is deleted. */
const RemovalDialog = ({ kind, entry, onClose }: EntryDialogProps): ReactNode => {
  const t = useTranslate();
  const change = useChange(FILING_CALLS[kind].remove, touchedBy(kind));
  const { id, name, document_count: count } = entry;
  const remove = (): void => {
    const onSuccess = (): void => {
      notifications.show({ message: t('filing.removed', { name }) });
      onClose();
    };
    change.mutate({ params: { id } }, { onSuccess });
  };
  return (
    <ConfirmDialog
      title={t('labels.removeOf', { name })}
      hint={t('filing.removalHint', { count })}
      change={change}
      submit={t('labels.remove')}
      onConfirm={remove}
      onClose={onClose}
    />
  );
};

/** All correspondents, or all document types. */
export const FilingScreen = ({ kind, path }: { readonly kind: FilingKind; readonly path: string }): ReactNode => {
  const t = useTranslate();
  const { may, reach } = useSession();
  const me = useMe();
  const [isCreating, setCreating] = useState(false);
  const [dialog, setDialog] = useState<Dialog>();
  const close = (): void => setDialog(undefined);
  const [state, change] = useAddressState(['q', 'page']);
  const { paging } = usePagedCall(FILING_CALLS[kind].list, state, change);
  const mayTouch = (action: 'labels.update' | 'labels.delete', { created_by: by }: FilingEntry): boolean =>
    reachesAll(reach(action), [by], me.username);
  const entryColumns = useEntryColumns(kind);

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
    ...entryColumns,
    actionsColumn(t('labels.actions'), (entry) => {
      const { name } = entry;
      const open = (what: Dialog['what']) => () => setDialog({ what, entry });
      return (
        <Group gap={4} justify="flex-end" wrap="nowrap">
          {mayTouch('labels.update', entry) && (
            <EditAction title={t('labels.edit')} label={t('labels.editOf', { name })} onClick={open('edit')} />
          )}
          {may('labels.update') && mayTouch('labels.delete', entry) && (
            <RowAction icon={IconArrowMerge} title={t('filing.merge')} label={t('filing.mergeOf', { name })} onClick={open('merge')} />
          )}
          {mayTouch('labels.delete', entry) && (
            <RemoveAction title={t('labels.remove')} label={t('labels.removeOf', { name })} onClick={open('remove')} />
          )}
        </Group>
      );
    }),
  ];

  const createButton = may('labels.create') && <CreateButton label={t(`filing.create.${kind}`)} onClick={() => setCreating(true)} />;
  return (
    <>
      <EntryList
        title={t(`filing.title.${kind}`)}
        hint={t(`filing.hint.${kind}`)}
        find={t(`filing.find.${kind}`)}
        q={state.q}
        onFind={(q) => change({ q }, { replace: true })}
        none={{ icon: navItemAt(path)?.icon ?? IconSearch, title: t(`filing.none.${kind}`), hint: t('filing.noneHint') }}
        noneFound={t(`filing.noneFound.${kind}`)}
        create={createButton}
        columns={columns}
        {...paging}
      />
      {isCreating && <EntryForm kind={kind} entry={undefined} onClose={() => setCreating(false)} />}
      {dialog?.what === 'edit' && <EntryForm kind={kind} entry={dialog.entry} onClose={close} />}
      {dialog?.what === 'merge' && <MergeEntry kind={kind} entry={dialog.entry} onClose={close} />}
      {dialog?.what === 'remove' && <RemovalDialog kind={kind} entry={dialog.entry} onClose={close} />}
    </>
  );
};

const MOST_CHARACTERS: Readonly<Record<FilingKind, number>> = { correspondent: 200, document_type: 100 };

const LISTS = ['aliases', 'ibans', 'vat_ids', 'domains'] as const;
type Lists = Pick<Answer<'get /api/correspondents/{id}'>, (typeof LISTS)[number]>;
const NO_LISTS: Lists = { aliases: [], ibans: [], vat_ids: [], domains: [] };

/** Those of a correspondent: a document type has none. */
const listsOf = (entry: FilingEntry | undefined): Lists => ({ ...NO_LISTS, ...entry });

interface Props {
  readonly kind: FilingKind;
  /** Undefined: a new one. */
  readonly entry: FilingEntry | undefined;
  readonly onClose: () => void;
}

/** The name of an entry, and by what else a correspondent is recognized. */
const EntryForm = ({ kind, entry, onClose }: Props): ReactNode => {
  const t = useTranslate();
  const [name, setName] = useState(entry?.name ?? '');
  const [lists, setLists] = useState(() => listsOf(entry));
  const touches = touchedBy(kind);
  const create = useChange(FILING_CALLS[kind].create, touches);
  const update = useChange(FILING_CALLS[kind].update, touches);
  const change = entry === undefined ? create : update;
  const errorOf = useFieldErrors(change.error);

  const save = (): void => {
    const { aliases, ibans, vat_ids, domains } = lists;
    const body = kind === 'correspondent' ? { name, aliases, ibans, vat_ids, domains } : { name };
    if (entry === undefined) create.mutate({ body }, { onSuccess: onClose });
    else update.mutate({ params: { id: entry.id }, body }, { onSuccess: onClose });
  };

  const title = entry === undefined ? t(`filing.create.${kind}`) : t('labels.editOf', { name: entry.name });
  return (
    <FormDialog title={title} change={change} submit={t('labels.save')} onSubmit={save} onClose={onClose}>
      <NameField label={t('labels.name')} value={name} onChange={setName} error={errorOf('name')} maxLength={MOST_CHARACTERS[kind]} />
      {kind === 'correspondent' &&
        LISTS.map((list) => (
          <TagsInput
            key={list}
            label={t(`filing.${list}`)}
            description={t('filing.listHint')}
            value={[...lists[list]]}
            onChange={(values) => setLists({ ...lists, [list]: values })}
            error={lists[list].map((_, index) => errorOf(`${list}.${index}`)).find((problem) => problem !== undefined) ?? errorOf(list)}
            acceptValueOnBlur
          />
        ))}
    </FormDialog>
  );
};

/** What is asked again after a change of an entry. */
const touchedBy = (kind: FilingKind): readonly Operation[] => [
  FILING_CALLS[kind].list,
  FILING_CALLS[kind].read,
  'get /api/documents',
  'get /api/documents/{id}',
];
