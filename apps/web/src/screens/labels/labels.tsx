import { ColorInput, Group, Select, Text, Textarea } from '@mantine/core';
import { IconTags } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { CreateButton, EditAction, RemoveAction } from '../../components/buttons.tsx';
import { FormDialog } from '../../components/dialog.tsx';
import { EntryList, useEntryColumns } from '../../components/entry-list.tsx';
import { type Label, LabelChip } from '../../components/label-picker.tsx';
import { useFieldErrors } from '../../components/problem-note.tsx';
import { actionsColumn, type Column } from '../../components/record-table.tsx';
import { NameField } from '../../components/text-fields.tsx';
import { useHidden, useUndoableRemoval } from '../../components/undo.tsx';
import { useAllLabels } from '../../components/use-all-labels.ts';
import { useAddressState } from '../../interface/address-state.ts';
import { call, useChange } from '../../interface/call.ts';
import { usePagedCall } from '../../interface/paged-call.ts';
import { useTranslate } from '../../language/language.tsx';
import { reachesAll } from '../../session/may.ts';
import { useMe, useSession } from '../../session/session.tsx';

/** All labels. */
const Labels = (): ReactNode => {
  const t = useTranslate();
  const { may, reach } = useSession();
  const me = useMe();
  const removeLater = useUndoableRemoval();
  const { hidden } = useHidden();
  const [edited, setEdited] = useState<Label | 'new'>();
  const [state, change] = useAddressState(['q', 'page']);
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
    actionsColumn(t('labels.actions'), (label) => (
      <Group gap={4} justify="flex-end" wrap="nowrap">
        {mayTouch('labels.update', label) && (
          <EditAction title={t('labels.edit')} label={t('labels.editOf', { name: label.name })} onClick={() => setEdited(label)} />
        )}
        {mayTouch('labels.delete', label) && (
          <RemoveAction title={t('labels.remove')} label={t('labels.removeOf', { name: label.name })} onClick={() => remove(label)} />
        )}
      </Group>
    )),
  ];

  const createButton = may('labels.create') && <CreateButton label={t('labels.create')} onClick={() => setEdited('new')} />;
  return (
    <>
      <EntryList
        title={t('labels.title')}
        hint={t('labels.hint')}
        find={t('labels.find')}
        q={state.q}
        onFind={(q) => change({ q }, { replace: true })}
        none={{ icon: IconTags, title: t('labels.none'), hint: t('labels.noneHint') }}
        noneFound={t('labels.noneFound')}
        create={createButton}
        columns={columns}
        {...paging}
        records={data?.labels.filter(({ id }) => !hidden.has(id))}
      />
      {edited !== undefined && <LabelForm label={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />}
    </>
  );
};
export default Labels;

/** Told apart from each other and from the ground, also by those who see few colours. */
const SWATCHES = ['#0b7269', '#1d4ed8', '#7e22ce', '#be123c', '#c2410c', '#a16207', '#15803d', '#475569'];

interface Props {
  /** Undefined: a new one. */
  readonly label: Label | undefined;
  readonly onClose: () => void;
}

/** Those that a label can stand below: neither itself nor what is below it. */
const possibleParents = (labels: readonly Label[], label: Label | undefined): readonly Label[] =>
  labels.filter(({ path }) => label === undefined || !path.includes(label.name));

/** Name, colour, description and parent of a label. */
const LabelForm = ({ label, onClose }: Props): ReactNode => {
  const t = useTranslate();
  const [name, setName] = useState(label?.name ?? '');
  const [color, setColor] = useState(label?.color ?? SWATCHES[0] ?? '#0b7269');
  const [description, setDescription] = useState(label?.description ?? '');
  const [parentId, setParentId] = useState(label?.parent_id ?? null);
  const parents = possibleParents(useAllLabels(), label);
  const touches = ['get /api/labels', 'get /api/documents'] as const;
  const create = useChange('post /api/labels', touches);
  const update = useChange('patch /api/labels/{id}', touches);
  const change = label === undefined ? create : update;
  const errorOf = useFieldErrors(change.error);

  const save = (): void => {
    const body = { name, color, description, ...(parentId === (label?.parent_id ?? null) ? {} : { parent_id: parentId }) };
    if (label === undefined) create.mutate({ body }, { onSuccess: onClose });
    else update.mutate({ params: { id: label.id }, body }, { onSuccess: onClose });
  };

  const title = label === undefined ? t('labels.create') : t('labels.editOf', { name: label.name });
  return (
    <FormDialog title={title} change={change} submit={t('labels.save')} onSubmit={save} onClose={onClose}>
      <NameField label={t('labels.name')} value={name} onChange={setName} error={errorOf('name')} maxLength={100} />
      <ColorInput
        label={t('labels.color')}
        value={color}
        onChange={setColor}
        format="hex"
        swatches={SWATCHES}
        swatchesPerRow={8}
        error={errorOf('color')}
        withEyeDropper={false}
      />
      <Textarea
        label={t('labels.description')}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
        error={errorOf('description')}
        maxLength={1_000}
        autosize
        minRows={2}
      />
      {parents.length > 0 && (
        <Select
          label={t('labels.parent')}
          description={t('labels.parentHint')}
          data={parents.map(({ id, path }) => ({ value: id, label: path.join(' / ') })).toSorted((a, b) => a.label.localeCompare(b.label))}
          value={parentId}
          onChange={setParentId}
          error={errorOf('parent_id')}
          searchable
          clearable
        />
      )}
    </FormDialog>
  );
};
