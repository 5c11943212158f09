import { Alert, Anchor, Button, Checkbox, Group, NativeSelect, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { FIELD_TYPES, type FieldType, MAX_FIELD_NAME_CHARACTERS } from '@sheaf/vocabulary/custom-fields';
import { IconArrowLeft, IconArrowMerge, IconForms } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { type CustomField, useAllFields } from '../../components/all-fields.ts';
import { CreateButton, EditAction, RemoveAction, RowAction } from '../../components/buttons.tsx';
import { Dialog, FormDialog } from '../../components/dialog.tsx';
import { EntryList, MergeDialog } from '../../components/entry-list.tsx';
import { EntryPicker, type PickedEntry } from '../../components/entry-picker.tsx';
import { ProblemNote, useFieldErrors } from '../../components/problem-note.tsx';
import { actionsColumn, type Column } from '../../components/record-table.tsx';
import { NameField } from '../../components/text-fields.tsx';
import { useAddressState } from '../../interface/address-state.ts';
import { useCall, useChange } from '../../interface/call.ts';
import { usePagedCall } from '../../interface/paged-call.ts';
import type { Problem } from '../../interface/problem.ts';
import { useTranslate } from '../../language/language.tsx';
import { useSession } from '../../session/session.tsx';

/** The custom fields of the instance. */
const Fields = (): ReactNode => {
  const t = useTranslate();
  const mayChange = useSession().reach('settings.update') === 'all';
  const [edited, setEdited] = useState<CustomField | 'new'>();
  const [merged, setMerged] = useState<CustomField>();
  const [removed, setRemoved] = useState<CustomField>();
  const [state, change] = useAddressState(['q', 'page']);
  const { paging } = usePagedCall('get /api/fields', state, change);

  const columns: readonly Column<CustomField>[] = [
    { key: 'name', title: t('customFields.name'), width: '35%', cell: ({ name }) => <span className="stranger">{name}</span> },
    { key: 'type', title: t('customFields.type'), cell: (field) => <Text size="sm">{t(`customFields.type.${field.type}`)}</Text> },
    {
      key: 'documents',
      title: t('customFields.documents'),
      cell: ({ document_count: count }) => <Text size="sm">{t('customFields.count', { count })}</Text>,
    },
    actionsColumn(t('customFields.actions'), (field) => {
      const { name } = field;
      return (
        mayChange && (
          <Group gap={4} justify="flex-end" wrap="nowrap">
            <EditAction title={t('customFields.edit')} label={t('customFields.editOf', { name })} onClick={() => setEdited(field)} />
            <RowAction
              icon={IconArrowMerge}
              title={t('filing.merge')}
              label={t('filing.mergeOf', { name })}
              onClick={() => setMerged(field)}
            />
            <RemoveAction title={t('customFields.remove')} label={t('customFields.removeOf', { name })} onClick={() => setRemoved(field)} />
          </Group>
        )
      );
    }),
  ];

  const createButton = mayChange && <CreateButton label={t('customFields.create')} onClick={() => setEdited('new')} />;
  return (
    <>
      <Anchor component={Link} href="/system" size="sm" mb="xs" style={{ display: 'inline-flex', alignItems: 'center', gap: 4 }}>
        <IconArrowLeft size={14} /> {t('system.title')}
      </Anchor>
      <EntryList
        title={t('customFields.title')}
        hint={t('customFields.hint')}
        find={t('customFields.find')}
        q={state.q}
        onFind={(q) => change({ q }, { replace: true })}
        none={{ icon: IconForms, title: t('customFields.none'), hint: t('customFields.noneHint') }}
        noneFound={t('customFields.noneFound')}
        create={createButton}
        columns={columns}
        {...paging}
      />
      {edited !== undefined && <FieldForm field={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />}
      {merged !== undefined && <MergeField field={merged} onClose={() => setMerged(undefined)} />}
      {removed !== undefined && <DeleteField field={removed} onClose={() => setRemoved(undefined)} />}
    </>
  );
};
export default Fields;

/** Asks for the field of the same type that receives the values of this one. */
const MergeField = ({ field, onClose }: { readonly field: CustomField; readonly onClose: () => void }): ReactNode => {
  const t = useTranslate();
  const others = useAllFields().filter(({ id, type }) => id !== field.id && type === field.type);
  return (
    <MergeDialog
      operation="post /api/fields/{id}/merge"
      touches={TOUCHED}
      merged={field}
      hint={t('customFields.mergeHint', { name: field.name, count: field.document_count })}
      picker={(into, pick) => (
        <Select
          label={t('filing.mergeInto')}
          data={others.map(({ id, name }) => ({ value: id, label: name }))}
          value={into?.id ?? null}
          onChange={(chosen) => pick(others.find(({ id }) => id === chosen) ?? null)}
          searchable
          nothingFoundMessage={t('customFields.noneFound')}
        />
      )}
      onClose={onClose}
    />
  );
};

/** Asks once more before a field goes, with the number of documents that lose a value. */
const DeleteField = ({ field, onClose }: { readonly field: CustomField; readonly onClose: () => void }): ReactNode => {
  const t = useTranslate();
  const remove = useChange('delete /api/fields/{id}', TOUCHED);
  // more of them may have one by now
  const confirmed = confirmedCount(remove.error);
  const count = confirmed ?? field.document_count;
  return (
    <Dialog opened onClose={onClose} title={t('customFields.removeOf', { name: field.name })}>
      <Stack gap="md">
        {confirmed === undefined && <ProblemNote problem={remove.error} />}
        <Text size="sm" role="status">
          {t('customFields.removeHint', { count })}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('common.cancel')}
          </Button>
          <Button
            color="red"
            loading={remove.isPending}
            onClick={() => remove.mutate({ params: { id: field.id }, query: { confirm: count } }, { onSuccess: onClose })}
          >
            {t('customFields.remove')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
};

interface Props {
  /** Undefined: a new one. */
  readonly field: CustomField | undefined;
  readonly onClose: () => void;
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

interface OfferedTypeProps {
  /** The id of a document type; null: the field is offered for all. */
  readonly typeId: string | null;
  readonly onChange: (typeId: string | null) => void;
  readonly error: ReactNode;
}

/** The document type for which a field is offered. */
const OfferedType = ({ typeId, onChange, error }: OfferedTypeProps): ReactNode => {
  const t = useTranslate();
  // fields name their type by its id only
  const { data } = useCall('get /api/document-types/{id}', { params: { id: typeId ?? '' } }, { enabled: typeId !== null });
  const value: PickedEntry | null = typeId === null ? null : { id: typeId, name: data?.name ?? '' };
  return (
    <EntryPicker
      kind="document_type"
      label={t('customFields.offeredFor')}
      placeholder={t('filing.any.document_type')}
      value={value}
      onChange={(entry) => onChange(entry?.id ?? null)}
      mayCreate={false}
      error={error}
    />
  );
};

/** Name, type, choices and currency of a field, and the documents for which it is offered. */
const FieldForm = ({ field, onClose }: Props): ReactNode => {
  const t = useTranslate();
  const { may } = useSession();
  const [name, setName] = useState(field?.name ?? '');
  const [type, setType] = useState<FieldType>(field?.type ?? 'text');
  const [choices, setChoices] = useState((field?.choices ?? []).join('\n'));
  const [currency, setCurrency] = useState(field?.default_currency ?? '');
  const [typeId, setTypeId] = useState(field?.document_type_id ?? null);
  const [isConfirmed, setConfirmed] = useState(false);
  const create = useChange('post /api/fields', TOUCHED);
  const update = useChange('patch /api/fields/{id}', TOUCHED);
  const change = field === undefined ? create : update;
  const errorOf = useFieldErrors(change.error);
  const losing = confirmedCount(change.error);

  const save = (): void => {
    const offered = currency.trim().toUpperCase();
    const body = {
      name,
      type,
      choices: type === 'choice' ? linesOf(choices) : [],
      default_currency: type === 'amount' && offered !== '' ? offered : null,
      document_type_id: typeId,
    };
    if (field === undefined) create.mutate({ body }, { onSuccess: onClose });
    else {
      const confirm = isConfirmed && losing !== undefined ? { confirm: losing } : {};
      update.mutate({ params: { id: field.id }, body: { ...body, ...confirm } }, { onSuccess: onClose });
    }
  };

  const title = field === undefined ? t('customFields.create') : t('customFields.editOf', { name: field.name });
  return (
    <FormDialog
      title={title}
      change={{ error: losing === undefined ? change.error : null, isPending: change.isPending }}
      submit={t('customFields.save')}
      onSubmit={save}
      onClose={onClose}
    >
      <NameField
        label={t('customFields.name')}
        value={name}
        onChange={setName}
        error={errorOf('name')}
        maxLength={MAX_FIELD_NAME_CHARACTERS}
      />
      <NativeSelect
        label={t('customFields.type')}
        data={FIELD_TYPES.map((value) => ({ value, label: t(`customFields.type.${value}`) }))}
        value={type}
        onChange={(event) => setType(event.currentTarget.value as FieldType)}
        // documents with a value keep the field as it is
        disabled={field !== undefined && field.document_count > 0}
        error={errorOf('type')}
      />
      {type === 'choice' && (
        <Textarea
          label={t('customFields.choices')}
          description={t('customFields.choicesHint')}
          value={choices}
          onChange={(event) => setChoices(event.currentTarget.value)}
          error={errorOf('choices')}
          autosize
          minRows={3}
          maxRows={12}
        />
      )}
      {type === 'amount' && (
        <TextInput
          label={t('customFields.defaultCurrency')}
          description={t('customFields.defaultCurrencyHint')}
          value={currency}
          onChange={(event) => setCurrency(event.currentTarget.value)}
          error={errorOf('default_currency')}
          maxLength={3}
        />
      )}
      {may('labels.read') && <OfferedType typeId={typeId} onChange={setTypeId} error={errorOf('document_type_id')} />}
      {losing !== undefined && (
        <Stack gap="sm">
          <Alert color="yellow" role="alert">
            {t('customFields.choiceInUse', { count: losing })}
          </Alert>
          <Checkbox
            label={t('customFields.removeValues', { count: losing })}
            checked={isConfirmed}
            onChange={(event) => setConfirmed(event.currentTarget.checked)}
          />
        </Stack>
      )}
    </FormDialog>
  );
};

/** What is asked again after a change of a field. */
const TOUCHED = ['get /api/fields', 'get /api/documents', 'get /api/documents/{id}'] as const;

/** How many documents lose a value, as the service said when it asked for this number; undefined where it did not ask. */
const confirmedCount = (problem: Problem | null): number | undefined => {
  if (problem?.code !== 'FIELD_IN_USE' && problem?.code !== 'FIELD_CHOICE_IN_USE') return undefined;
  const { document_count: count } = problem.details;
  return typeof count === 'number' ? count : undefined;
};
