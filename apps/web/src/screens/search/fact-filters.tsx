import { Checkbox, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { DateField } from '../../components/date-field.tsx';
import type { Answer } from '../../interface/call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { type ChangeSearch, facetOf, listOf, type SearchState, yearOf } from './search-state.ts';
import { useFactNames } from './use-fact-names.ts';

interface Props {
  readonly state: SearchState;
  readonly change: ChangeSearch;
  readonly facets: Answer<'get /api/search'>['facets'] | undefined;
  readonly areFacetsOfPart: boolean;
}

const countsOf = (named: readonly { readonly id: string; readonly count: number }[] = []): Record<string, number> =>
  Object.fromEntries(named.map(({ id, count }) => [id, count]));

/** Who the documents are from, what they are, and the days that they bear. */
export const FactFilters = ({ state, change, facets, areFacetsOfPart }: Props): ReactNode => {
  const t = useTranslate();
  const nameOf = useFactNames(facets);
  const years = Object.entries(facets?.document_years ?? {}).toSorted(([a], [b]) => Number(b) - Number(a));
  const chosenYear = yearOf(state.dated, state.datedTo);
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
      <Facet
        {...shared}
        title={t('search.documentYears')}
        choices={years.slice(0, MOST_SHOWN).map(([year, count]) => ({ value: year, label: year, count }))}
        chosen={[chosenYear ?? []].flat()}
        onToggle={(year) =>
          year === chosenYear
            ? change({ dated: undefined, datedTo: undefined })
            : change({ dated: `${year}-01-01`, datedTo: `${year}-12-31` })
        }
      />
      <Stack gap="xs">
        <DateField label={t('search.documentDateFrom')} value={state.dated} onChange={(dated) => change({ dated })} />
        <DateField label={t('search.documentDateTo')} value={state.datedTo} onChange={(datedTo) => change({ datedTo })} />
      </Stack>
    </>
  );
};

export const MOST_SHOWN = 8;

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
            <Text size="xs" c="dimmed">
              {isPart ? t('search.atLeast', { count: format.number(count) }) : format.number(count)}
            </Text>
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
