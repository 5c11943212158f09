import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { useCall } from '../interface/call.ts';
import { useTranslate } from '../language/language.tsx';

const SHOWN = 10;

interface Props {
  readonly label: string;
  /** Id of the document that is chosen, empty where none is. */
  readonly value: string;
  /** Its title, once that is known. */
  readonly title?: string | undefined;
  /** Ids that are not offered. */
  readonly except?: readonly string[];
  readonly isReadOnly?: boolean;
  readonly error?: ReactNode;
  readonly onChange: (id: string | null) => void;
}

/** Chooses a document, which is found by its words. */
export const DocumentPicker = ({ label, value, title, except = [], isReadOnly = false, error, onChange }: Props): ReactNode => {
  const t = useTranslate();
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), 200);
  const found = useCall(
    'get /api/search',
    { query: { q, per_page: SHOWN } },
    { enabled: !isReadOnly && q !== '' && q !== title, keepPrevious: true },
  );
  const hits = (found.data?.results ?? []).map((hit) => ({ value: hit.document_id, label: hit.title }));
  const options = new Map(hits.filter((option) => !except.includes(option.value)).map((option) => [option.value, option]));
  if (value !== '' && !options.has(value)) options.set(value, { value, label: title ?? value });
  return (
    <Select
      size="sm"
      label={label}
      placeholder={t('customFields.chooseDocument')}
      data={[...options.values()]}
      value={value === '' ? null : value}
      onChange={onChange}
      searchable
      onSearchChange={setTyped}
      // the service has found them by more than their titles
      filter={({ options: all }) => all}
      nothingFoundMessage={q === '' ? null : t('customFields.noDocument')}
      readOnly={isReadOnly}
      error={error}
    />
  );
};
