import { Badge, Checkbox, CloseButton, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { SmallNote } from '../../components/small-note.tsx';
import { DateField } from '../../components/text-fields.tsx';
import type { Answer } from '../../interface/call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { type ChangeSearch, facetOf, listOf, type SearchState, toggled, yearOf } from './search-state.ts';

/** By id: the names of correspondents and document types that an answer has told. */
const known = new Map<string, string>();

/** What a chosen id is called, also where nothing found has it any more. */
export const useFactNames = (facets: Answer<'get /api/search'>['facets'] | undefined): ((id: string) => string) => {
  const t = useTranslate();
  for (const { id, name } of [...(facets?.correspondents ?? []), ...(facets?.document_types ?? [])]) known.set(id, name);
  return (id) => known.get(id) ?? t('search.unknownName');
};

interface FactFiltersProps {
  readonly state: SearchState;
  readonly change: ChangeSearch;
  readonly facets: Answer<'get /api/search'>['facets'] | undefined;
  readonly areFacetsOfPart: boolean;
}

const countsOf = (named: readonly { readonly id: string; readonly count: number }[] = []): Record<string, number> =>
  Object.fromEntries(named.map(({ id, count }) => [id, count]));

/** Who the documents are from, what they are, and the days that they bear. */
export const FactFilters = ({ state, change, facets, areFacetsOfPart }: FactFiltersProps): ReactNode => {
  const t = useTranslate();
  const nameOf = useFactNames(facets);
  const shared = { isPart: areFacetsOfPart };
  return (
    <>
      <Facet
        {...shared}
        title={t('search.correspondents')}
        choices={choicesOf(countsOf(facets?.correspondents), listOf(state.correspondents), nameOf)}
        {...facetOf(state, change, 'correspondents')}
      />
      <Facet
        {...shared}
        title={t('search.documentTypes')}
        choices={choicesOf(countsOf(facets?.document_types), listOf(state.types), nameOf)}
        {...facetOf(state, change, 'types')}
      />
      <PeriodFilter
        {...shared}
        title={t('search.documentYears')}
        years={facets?.document_years}
        from={{ label: t('search.documentDateFrom'), value: state.dated }}
        to={{ label: t('search.documentDateTo'), value: state.datedTo }}
        onChange={(dated, datedTo) => change({ dated, datedTo })}
      />
    </>
  );
};

const MOST_SHOWN = 8;

interface Choice {
  readonly value: string;
  readonly label: string;
  readonly count: number | undefined;
  readonly isDisabled?: boolean;
}

interface FacetProps {
  readonly title: string;
  readonly choices: readonly Choice[];
  readonly chosen: readonly string[];
  /** Only a part of what was found is counted. */
  readonly isPart: boolean;
  readonly onToggle: (value: string) => void;
}

/** The values of one kind that what was found has, with how many have each. */
export const Facet = ({ title, choices, chosen, isPart, onToggle }: FacetProps): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  if (choices.length === 0) return null;
  return (
    <Stack gap={6} role="group" aria-label={title}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      {choices.map(({ value, label, count, isDisabled = false }) => (
        <Group key={value} justify="space-between" wrap="nowrap" gap="xs">
          <Checkbox
            size="sm"
            label={label}
            checked={chosen.includes(value)}
            disabled={isDisabled}
            onChange={() => onToggle(value)}
            classNames={{ label: 'stranger' }}
            style={{ minWidth: 0 }}
          />
          {count !== undefined && (
            <SmallNote>{isPart ? t('search.atLeast', { count: format.number(count) }) : format.number(count)}</SmallNote>
          )}
        </Group>
      ))}
    </Stack>
  );
};

/** What is chosen stays to be seen, also where nothing found has it. */
export const choicesOf = (
  counts: Readonly<Record<string, number>>,
  chosen: readonly string[],
  nameOf: (value: string) => string,
): Choice[] => {
  const counted = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  const missing = chosen.filter((value) => counts[value] === undefined);
  return [
    ...counted.slice(0, MOST_SHOWN).map(([value, count]) => ({ value, label: nameOf(value), count })),
    ...missing.map((value) => ({ value, label: nameOf(value), count: 0 })),
  ];
};

interface Day {
  readonly label: string;
  readonly value: string | undefined;
}

interface PeriodProps {
  readonly title: string;
  /** How many of what was found are of each year. */
  readonly years: Readonly<Record<string, number>> | undefined;
  readonly isPart: boolean;
  readonly from: Day;
  readonly to: Day;
  readonly onChange: (from: string | undefined, to: string | undefined) => void;
}

/** A period: one of the years that what was found has, or any two days. */
export const PeriodFilter = ({ title, years = {}, isPart, from, to, onChange }: PeriodProps): ReactNode => {
  const chosen = yearOf(from.value, to.value);
  const latest = Object.entries(years)
    .toSorted(([a], [b]) => Number(b) - Number(a))
    .slice(0, MOST_SHOWN);
  return (
    <>
      <Facet
        title={title}
        choices={latest.map(([year, count]) => ({ value: year, label: year, count }))}
        isPart={isPart}
        chosen={[chosen ?? []].flat()}
        onToggle={(year) => (year === chosen ? onChange(undefined, undefined) : onChange(`${year}-01-01`, `${year}-12-31`))}
      />
      <Stack gap="xs">
        <DateField label={from.label} value={from.value} onChange={(day) => onChange(day, to.value)} />
        <DateField label={to.label} value={to.value} onChange={(day) => onChange(from.value, day)} />
      </Stack>
    </>
  );
};

const Chip = ({ name, onRemove }: { readonly name: string; readonly onRemove: () => void }): ReactNode => {
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

/** What narrows the hits by the facts of documents, above them, each to be taken away. */
export const FactChips = ({ state, change, facets }: Omit<FactFiltersProps, 'areFacetsOfPart'>): ReactNode => {
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
