import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Arguments, call, type Operation } from '../../interface/call.ts';
import type { Problem } from '../../interface/problem.ts';
import { useTranslate } from '../../language/language.tsx';

interface Entry {
  readonly id: string;
  readonly name: string;
}

const PATHS = { correspondent: '/api/correspondents', document_type: '/api/document-types' } as const;
const SHOWN = 50;

interface Props {
  readonly kind: keyof typeof PATHS;
  readonly label: string;
  /** The id of the entry. */
  readonly value: string | undefined;
  readonly onChange: (id: string | undefined) => void;
}

/** One correspondent or document type, found by what is typed; nothing is chosen where the field is empty. */
export const EntrySelect = ({ kind, label, value, onChange }: Props): ReactNode => {
  const t = useTranslate();
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), 150);
  const operation = `get ${PATHS[kind]}` as Operation;
  const { data } = useQuery<readonly Entry[], Problem>({
    queryKey: [operation, { query: { q, per_page: SHOWN } }],
    queryFn: async ({ signal }) => {
      const answer: unknown = await call(operation, { query: { q, per_page: SHOWN }, signal } as unknown as Arguments<typeof operation>);
      return (answer as { readonly data: readonly Entry[] }).data;
    },
    placeholderData: keepPreviousData,
    retry: false,
  });
  const entries = (data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const isMissing = value !== undefined && !entries.some((entry) => entry.value === value);
  return (
    <Select
      label={label}
      placeholder={t('rules.leave')}
      data={isMissing ? [...entries, { value, label: value }] : entries}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t('rules.leave') }}
      onSearchChange={(text) => setTyped(entries.some((entry) => entry.label === text) ? '' : text)}
      filter={({ options }) => options}
    />
  );
};
