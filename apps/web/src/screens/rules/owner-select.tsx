import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { useCall } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';

const SHOWN = 50;

interface Props {
  /** The id of the user. */
  readonly value: string | undefined;
  readonly onChange: (id: string | undefined) => void;
}

/** The user who is to own documents, found by what is typed. */
export const OwnerSelect = ({ value, onChange }: Props): ReactNode => {
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
