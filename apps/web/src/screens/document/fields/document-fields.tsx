import { ActionIcon, Box, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { type CustomField, hasField, offeredFields, useAllFields } from '../../../components/all-fields.ts';
import { ProblemNote, useFieldErrors, useProblemMessages } from '../../../components/problem-note.tsx';
import { DocumentSection } from '../../../components/screen-parts.tsx';
import { useChange } from '../../../interface/call.ts';
import { useTranslate } from '../../../language/language.tsx';
import type { Document } from '../document-facts.tsx';
import { type FieldValue, TOUCHED, ValueEditor } from './value-editor.tsx';

const NONE: ReadonlySet<string> = new Set();

/**
 * The custom fields of a document. A field that is added stays without a value until one is entered, which is kept when the
 * field is left.
 */
export const DocumentFields = ({ document, mayChange }: { readonly document: Document; readonly mayChange: boolean }): ReactNode => {
  const t = useTranslate();
  const all = useAllFields();
  const [added, setAdded] = useState(NONE);
  const [newest, setNewest] = useState('');
  const adding = useChange('patch /api/documents/{id}', TOUCHED);
  const { shown, others } = offeredFields(document, all, added);
  if (all.length === 0) return null;
  const forget = (id: string): void => setAdded((before) => new Set([...before].filter((one) => one !== id)));
  const add = (id: string): void => {
    const name = others.find((field) => field.id === id)?.name;
    if (name === undefined) return;
    setAdded((before) => new Set([...before, id]));
    setNewest(id);
    adding.mutate({ params: { id: document.id }, body: { empty_fields: [name] } }, { onError: () => forget(id) });
  };
  return (
    <DocumentSection title={t('customFields.title')}>
      <Stack gap="sm">
        {shown.length === 0 && !mayChange && (
          <Text size="sm" c="dimmed">
            –
          </Text>
        )}
        {shown.map((field) => (
          <FieldRow
            key={field.id}
            field={field}
            documentId={document.id}
            value={document.fields[field.name]}
            isThere={hasField(document, field) || added.has(field.id)}
            mayChange={mayChange}
            isNew={field.id === newest}
            onRemoved={() => forget(field.id)}
          />
        ))}
        <ProblemNote problem={adding.error} />
        {mayChange && others.length > 0 && (
          <NativeSelect
            size="xs"
            aria-label={t('customFields.add')}
            data={[{ value: '', label: t('customFields.add') }, ...others.map(({ id, name }) => ({ value: id, label: name }))]}
            value=""
            onChange={(event) => add(event.currentTarget.value)}
          />
        )}
      </Stack>
    </DocumentSection>
  );
};

interface Props {
  readonly field: CustomField;
  readonly documentId: string;
  readonly value: FieldValue | undefined;
  /** The document has the field, with or without a value; others are offered because of its type. */
  readonly isThere: boolean;
  readonly mayChange: boolean;
  /** It was just added, so that it is what somebody types into next. */
  readonly isNew: boolean;
  readonly onRemoved: () => void;
}

/** The value of one field of a document, and a way to take the field off the document. */
const FieldRow = ({ field, documentId, value, isThere, mayChange, isNew, onRemoved }: Props): ReactNode => {
  const t = useTranslate();
  const { ofProblem } = useProblemMessages();
  const box = useRef<HTMLDivElement>(null);
  const [wrong, setWrong] = useState<string>();
  const change = useChange('patch /api/documents/{id}', TOUCHED);
  const errorOf = useFieldErrors(change.error);
  /** Null leaves the field without a value. */
  const save = (next: FieldValue | null): void => {
    setWrong(undefined);
    if (JSON.stringify(next) === JSON.stringify(value ?? null)) return;
    const { name } = field;
    change.mutate({ params: { id: documentId }, body: { fields: { [name]: next }, ...(next === null ? { empty_fields: [name] } : {}) } });
  };
  const remove = (): void => {
    setWrong(undefined);
    if (isThere) change.mutate({ params: { id: documentId }, body: { fields: { [field.name]: null } } }, { onSuccess: onRemoved });
    else onRemoved();
  };
  useEffect(() => {
    if (isNew) box.current?.querySelector<HTMLElement>('input, textarea, select')?.focus();
  }, [isNew]);
  const refused = change.error === null ? undefined : (errorOf(`fields.${field.name}`) ?? ofProblem(change.error));
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Box ref={box} style={{ flex: 1, minWidth: 0 }}>
        <ValueEditor
          // another value, such as of somebody else, is another field to type into
          key={JSON.stringify(value)}
          field={field}
          value={value}
          isReadOnly={!mayChange}
          error={wrong ?? refused}
          onChange={save}
          onWrong={setWrong}
        />
      </Box>
      {mayChange && (
        <ActionIcon variant="subtle" color="red" mt={28} aria-label={t('customFields.removeValue', { name: field.name })} onClick={remove}>
          <IconTrash size={16} />
        </ActionIcon>
      )}
    </Group>
  );
};
