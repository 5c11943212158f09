import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormat, useTranslate } from '../../language/language.tsx';
import type { SavedSearch } from './saved-address.ts';

/** How many documents a search finds; nothing where that is not known. */
export const ResultCount = ({ search: { count, count_is_lower_bound: isLower } }: { readonly search: SavedSearch }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  if (count === null) return null;
  const text = format.number(count);
  return (
    <Text span size="xs" c="dimmed" style={{ flex: 'none' }}>
      {isLower === true ? t('search.atLeast', { count: text }) : text}
    </Text>
  );
};
