import { NativeSelect, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ProblemNote } from '../../../components/problem-note.tsx';
import { useAllFields } from '../../../components/use-all-fields.ts';
import { useChange } from '../../../interface/use-call.ts';
import { useTranslate } from '../../../language/language.tsx';
import type { Document } from '../document-facts.tsx';
import { DocumentSection } from '../document-section.tsx';
import { TOUCHED } from './editor-props.ts';
import { FieldRow } from './field-row.tsx';
import { hasField, offeredFields } from './offered-fields.ts';

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
