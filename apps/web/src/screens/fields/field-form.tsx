import { Alert, Checkbox, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core';
import { FIELD_TYPES, type FieldType, MAX_FIELD_NAME_CHARACTERS } from '@sheaf/vocabulary/custom-fields';
import { type ReactNode, useState } from 'react';
import { EntryPicker, type PickedEntry } from '../../components/entry-picker.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { NameField } from '../../components/text-field.tsx';
import type { CustomField } from '../../components/use-all-fields.ts';
import { useCall, useChange } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';
import { useFieldErrors } from '../../messages/use-problem-messages.ts';
import { useSession } from '../../session/session.tsx';
import { confirmedCount } from './confirmed-count.ts';
import { TOUCHED } from './touched.ts';

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
export const FieldForm = ({ field, onClose }: Props): ReactNode => {
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
