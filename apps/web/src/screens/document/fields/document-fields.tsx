import { NativeSelect, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useAllFields } from '../../../components/use-all-fields.ts';
import { useTranslate } from '../../../language/language.tsx';
import type { Document } from '../document-facts.tsx';
import { DocumentSection } from '../document-section.tsx';
import { FieldRow } from './field-row.tsx';
import { offeredFields } from './offered-fields.ts';

const NONE: ReadonlySet<string> = new Set();

/** The custom fields of a document. What is entered is kept when the field is left. */
export const DocumentFields = ({ document, mayChange }: { readonly document: Document; readonly mayChange: boolean }): ReactNode => {
  const t = useTranslate();
  const all = useAllFields();
  const [added, setAdded] = useState(NONE);
  const [newest, setNewest] = useState('');
  const { shown, others } = offeredFields(document, all, added);
  if (all.length === 0) return null;
  const add = (id: string): void => {
    setAdded((before) => new Set([...before, id]));
    setNewest(id);
  };
  const forget = (id: string): void => setAdded((before) => new Set([...before].filter((one) => one !== id)));
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
            mayChange={mayChange}
            isNew={field.id === newest}
            onRemoved={() => forget(field.id)}
          />
        ))}
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
