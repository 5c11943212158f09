import { Badge, CloseButton, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Answer } from '../../interface/call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { type ChangeSearch, listOf, type SearchState, toggled, yearOf } from './search-state.ts';
import { useFactNames } from './use-fact-names.ts';

interface ChipProps {
  readonly name: string;
  readonly onRemove: () => void;
}

const Chip = ({ name, onRemove }: ChipProps): ReactNode => {
  const t = useTranslate();
  return (
    <Badge
      component="li"
      variant="default"
      tt="none"
      fw={500}
      className="stranger"
      styles={{ label: { whiteSpace: 'normal', unicodeBidi: 'plaintext' } }}
      style={{ flexShrink: 1, maxWidth: '100%', height: 'auto', minHeight: 24 }}
      rightSection={<CloseButton size={24} iconSize={14} mr={-8} onClick={onRemove} aria-label={t('search.removeFilter', { name })} />}
    >
      {name}
    </Badge>
  );
};

interface Props {
  readonly state: SearchState;
  readonly change: ChangeSearch;
  readonly facets: Answer<'get /api/search'>['facets'] | undefined;
}

/** What narrows the hits by the facts of documents, above them, each to be taken away. */
export const FactChips = ({ state, change, facets }: Props): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const nameOf = useFactNames(facets);
  const { dated, datedTo } = state;
  const removeDates = (): void => change({ dated: undefined, datedTo: undefined });
  const dates =
    dated === undefined
      ? datedTo !== undefined && t('search.datedUntil', { day: format.day(datedTo) })
      : (yearOf(dated, datedTo) ??
        (datedTo === undefined ? t('search.datedSince', { day: format.day(dated) }) : `${format.day(dated)} – ${format.day(datedTo)}`));
  const ids = (['correspondents', 'types'] as const).flatMap((list) => listOf(state[list]).map((id) => ({ list, id })));
  if (dates === false && ids.length === 0) return null;
  return (
    <Group component="ul" gap="xs" mb="md" p={0} mt={0} style={{ listStyle: 'none' }} aria-label={t('search.activeFilters')}>
      {ids.map(({ list, id }) => (
        <Chip key={id} name={nameOf(id)} onRemove={() => change({ [list]: toggled(state[list], id) })} />
      ))}
      {dates !== false && <Chip name={dates} onRemove={removeDates} />}
    </Group>
  );
};
