import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { DateField } from '../../components/date-field.tsx';
import type { Answer } from '../../interface/call.ts';
import { useTranslate } from '../../language/language.tsx';
import { choicesOf, Facet, MOST_SHOWN } from './facet.tsx';
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
