import { Anchor, Select, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { useCall } from '../../../interface/use-call.ts';
import { useTranslate } from '../../../language/language.tsx';
import { type EditorProps, TARGET } from './editor-props.ts';

const SHOWN = 10;

/** A link to another document, which is found by its words. */
export const LinkEditor = ({ field, value, isReadOnly, error, onChange }: EditorProps): ReactNode => {
  const t = useTranslate();
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), 200);
  const id = typeof value === 'string' ? value : '';
  const linked = useCall('get /api/documents/{id}', { params: { id } }, { enabled: id !== '' });
  const title = linked.data?.title;
  const found = useCall(
    'get /api/search',
    { query: { q, per_page: SHOWN } },
    { enabled: !isReadOnly && q !== '' && q !== title, keepPrevious: true },
  );
  const hits = (found.data?.results ?? []).map((hit) => ({ value: hit.document_id, label: hit.title }));
  const options = new Map(hits.map((option) => [option.value, option]));
  if (id !== '') options.set(id, { value: id, label: title ?? id });
  return (
    <Stack gap={2}>
      <Select
        size="sm"
        label={field.name}
        placeholder={t('customFields.chooseDocument')}
        data={[...options.values()]}
        value={id === '' ? null : id}
        onChange={onChange}
        searchable
        onSearchChange={setTyped}
        // the service has found them by more than their titles
        filter={({ options: all }) => all}
        nothingFoundMessage={q === '' ? null : t('customFields.noDocument')}
        readOnly={isReadOnly}
        error={error}
      />
      {title !== undefined && (
        <Anchor component={Link} href={`/documents/${id}`} size="sm" className="stranger" style={TARGET}>
          {t('customFields.open', { name: title })}
        </Anchor>
      )}
    </Stack>
  );
};
