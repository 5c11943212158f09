import { ActionIcon, Box, Group, NativeSelect } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { type CustomField, useAllFields } from '../../components/use-all-fields.ts';
import { useTranslate } from '../../language/language.tsx';
import { ValueEditor } from '../document/fields/value-editor.tsx';
import type { SetField } from './rule-draft.ts';

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

interface Props {
  readonly value: readonly SetField[];
  readonly onChange: (fields: readonly SetField[]) => void;
}

/** The custom fields that a rule sets, each with its value. Links are not among them: rules do not set these. */
export const FieldValues = ({ value, onChange }: Props): ReactNode => {
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
