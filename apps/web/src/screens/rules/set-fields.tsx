import { ActionIcon, Box, Group, NativeSelect, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { OWNER_RULE_PERMISSIONS } from '@sheaf/vocabulary/rules';
import { IconTrash } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { type CustomField, useAllFields } from '../../components/all-fields.ts';
import { EntryPicker, type PickedEntry } from '../../components/entry-picker.tsx';
import { FILING_CALLS, type FilingKind } from '../../components/filing-kinds.ts';
import { useCall } from '../../interface/call.ts';
import { useTranslate } from '../../language/language.tsx';
import { useSession } from '../../session/session.tsx';
import { ValueEditor } from '../document/fields/value-editor.tsx';
import type { SetField, Sets } from './rule-draft.ts';

const SHOWN = 50;

interface OwnerSelectProps {
  /** The id of the user. */
  readonly value: string | undefined;
  readonly onChange: (id: string | undefined) => void;
}

/** The user who is to own documents, found by what is typed. */
export const OwnerSelect = ({ value, onChange }: OwnerSelectProps): ReactNode => {
  const t = useTranslate();
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), 200);
  const found = useCall('get /api/users', { query: { per_page: SHOWN, ...(q === '' ? {} : { q }) } }, { keepPrevious: true });
  const chosen = useCall('get /api/users/{user_id}', { params: { user_id: value ?? '' } }, { enabled: value !== undefined });
  const names = new Map((found.data?.data ?? []).map(({ id, username }) => [id, username]));
  if (value !== undefined) names.set(value, chosen.data?.username ?? names.get(value) ?? value);
  return (
    <Select
      label={t('rules.setOwner')}
      placeholder={t('rules.leave')}
      clearable
      searchable
      data={[...names].map(([id, username]) => ({ value: id, label: username }))}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
      onSearchChange={setTyped}
      // the service has found them
      filter={({ options }) => options}
    />
  );
};

interface EntrySelectProps {
  readonly kind: FilingKind;
  readonly label: string;
  /** The id of the entry: a rule knows no more of it. */
  readonly value: string | undefined;
  readonly onChange: (id: string | undefined) => void;
}

/** One correspondent or document type, found by what is typed; nothing is chosen where the field is empty. */
export const EntrySelect = ({ kind, label, value, onChange }: EntrySelectProps): ReactNode => {
  const t = useTranslate();
  const [picked, setPicked] = useState<PickedEntry | null>(null);
  const isKnown = picked?.id === value;
  const { data } = useCall(FILING_CALLS[kind].read, { params: { id: value ?? '' } }, { enabled: value !== undefined && !isKnown });
  const entry = value === undefined ? null : isKnown ? picked : (data ?? { id: value, name: value });
  return (
    <EntryPicker
      kind={kind}
      label={label}
      placeholder={t('rules.leave')}
      value={entry}
      onChange={(one) => {
        setPicked(one);
        onChange(one?.id);
      }}
    />
  );
};

/** What is typed is kept when the field is left: Enter, which would send the form without it, leaves the field. */
const leaveOnEnter = (event: KeyboardEvent<HTMLElement>): void => {
  if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
  event.preventDefault();
  event.target.blur();
};

interface RowProps {
  readonly field: CustomField;
  readonly value: SetField['value'];
  readonly onChange: (value: SetField['value']) => void;
  readonly onRemove: () => void;
}

const ValueRow = ({ field, value, onChange, onRemove }: RowProps): ReactNode => {
  const t = useTranslate();
  const [wrong, setWrong] = useState<string>();
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Box style={{ flex: 1, minWidth: 0 }} onKeyDown={leaveOnEnter}>
        <ValueEditor
          field={field}
          value={value ?? undefined}
          isReadOnly={false}
          error={wrong}
          onChange={(next) => {
            setWrong(undefined);
            onChange(next);
          }}
          onWrong={(message) => {
            setWrong(message);
            onChange(null);
          }}
        />
      </Box>
      <ActionIcon variant="subtle" color="red" mt={28} aria-label={t('rules.removeField', { name: field.name })} onClick={onRemove}>
        <IconTrash size={16} />
      </ActionIcon>
    </Group>
  );
};

interface FieldValuesProps {
  readonly value: readonly SetField[];
  readonly onChange: (fields: readonly SetField[]) => void;
}

/** The custom fields that a rule sets, each with its value. Links are not among them: rules do not set these. */
export const FieldValues = ({ value, onChange }: FieldValuesProps): ReactNode => {
  const t = useTranslate();
  const all = useAllFields().filter(({ type }) => type !== 'document');
  const byId = new Map(all.map((field) => [field.id, field]));
  const others = all.filter(({ id }) => !value.some((one) => one.id === id));
  return (
    <>
      {value.map(({ id, value: own }) => {
        const field = byId.get(id);
        return (
          field !== undefined && (
            <ValueRow
              key={id}
              field={field}
              value={own}
              onChange={(next) => onChange(value.map((one) => (one.id === id ? { id, value: next } : one)))}
              onRemove={() => onChange(value.filter((one) => one.id !== id))}
            />
          )
        );
      })}
      {others.length > 0 && (
        <NativeSelect
          size="xs"
          aria-label={t('rules.addField')}
          data={[{ value: '', label: t('rules.addField') }, ...others.map(({ id, name }) => ({ value: id, label: name }))]}
          value=""
          onChange={(event) => onChange([...value, { id: event.currentTarget.value, value: null }])}
        />
      )}
    </>
  );
};

interface SetFieldsProps {
  readonly value: Sets;
  readonly onChange: (sets: Sets) => void;
}

/** What a rule sets beside the labels that it adds. */
export const SetFields = ({ value, onChange }: SetFieldsProps): ReactNode => {
  const t = useTranslate();
  const { may, reach } = useSession();
  const maySetOwner = may('users.read') && OWNER_RULE_PERMISSIONS.every((action) => reach(action) === 'all');
  return (
    <>
      <EntrySelect
        kind="correspondent"
        label={t('rules.setCorrespondent')}
        value={value.correspondent}
        onChange={(correspondent) => onChange({ ...value, correspondent })}
      />
      <EntrySelect
        kind="document_type"
        label={t('rules.setDocumentType')}
        value={value.documentType}
        onChange={(documentType) => onChange({ ...value, documentType })}
      />
      {maySetOwner && <OwnerSelect value={value.owner} onChange={(owner) => onChange({ ...value, owner })} />}
      <FieldValues value={value.fields} onChange={(fields) => onChange({ ...value, fields })} />
    </>
  );
};
