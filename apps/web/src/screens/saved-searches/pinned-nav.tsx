import { Text } from '@mantine/core';
import { IconBookmark } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { addressOf, type SavedSearch } from './saved-address.ts';
import { useFreshCounts, usePinned } from './use-pinned.ts';

/** The pinned searches among the ways to the screens. */
const PinnedNav = (): ReactNode => {
  const t = useTranslate();
  const [location] = useLocation();
  const search = useSearch();
  const pinned = usePinned();
  useFreshCounts();
  if (pinned === undefined || pinned.length === 0) return null;
  return (
    <>
      <h2>{t('shell.pinnedSearches')}</h2>
      {pinned.map((one) => {
        const address = addressOf(one);
        return (
          <Link
            key={one.id}
            href={address}
            aria-current={(search === '' ? location : `${location}?${search}`) === address ? 'page' : undefined}
          >
            <IconBookmark size={18} stroke={1.7} aria-hidden />
            <Text span inherit truncate className="stranger" style={{ flex: 1 }} title={one.name}>
              {one.name}
            </Text>
            <ResultCount search={one} />
          </Link>
        );
      })}
    </>
  );
};
export default PinnedNav;

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
