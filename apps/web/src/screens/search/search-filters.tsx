import { Button, NativeSelect, Slider, Stack, Switch, Text } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { useAllLabels } from '../../components/use-all-labels.ts';
import type { Answer } from '../../interface/call.ts';
import { useFormat, useLanguage, useTranslate } from '../../language/language.tsx';
import { kindName, ocrLanguageName } from '../../language/names.ts';
import { useSession } from '../../session/session.tsx';
import { choicesOf, Facet, FactFilters, PeriodFilter } from './fact-filters.tsx';
import { type ChangeSearch, FILTER_NAMES, facetOf, listOf, type SearchState, sortOf } from './search-state.ts';

type Facets = Answer<'get /api/search'>['facets'];

interface Props {
  readonly state: SearchState;
  readonly change: ChangeSearch;
  readonly facets: Facets | undefined;
  readonly areFacetsOfPart: boolean;
}

/** Everything that narrows a search. */
export const SearchFilters = ({ state, change, facets, areFacetsOfPart }: Props): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const language = useLanguage();
  const all = useAllLabels();
  const { may } = useSession();
  const confidenceId = useId();
  /** Where the slider is while it is moved; else it is where the address says. */
  const [moved, setMoved] = useState<number>();
  const confidence = moved ?? (Number(state.confidence) || 0);
  const idOfName = new Map(all.map(({ id, name }) => [name, id]));
  const nameOfId = new Map(all.map(({ id, name }) => [id, name]));
  // the service counts labels by name, and filters by id
  const areLabelsAwaited = all.length === 0 && may('labels.read');
  const labelCounts = Object.fromEntries(
    Object.entries(facets?.labels ?? {}).flatMap(([name, count]) =>
      idOfName.has(name) || areLabelsAwaited ? [[idOfName.get(name) ?? name, count]] : [],
    ),
  );
  const isFiltered = FILTER_NAMES.some((name) => state[name] !== undefined);
  const percent = (value: number): string => (value === 0 ? t('search.anyConfidence') : format.percent(value / 100));
  return (
    <Stack gap="lg">
      <NativeSelect
        label={t('search.sort')}
        data={(['relevance', 'newest', 'oldest', 'byDocumentDate', 'byTitle'] as const).map((value) => ({
          value,
          label: t(`search.${value}`),
        }))}
        value={sortOf(state)}
        onChange={(event) => change({ sort: event.currentTarget.value === 'relevance' ? undefined : event.currentTarget.value })}
      />
      <Switch
        label={t('search.fuzzy')}
        checked={state.fuzzy === 'true'}
        onChange={(event) => change({ fuzzy: event.currentTarget.checked ? 'true' : undefined })}
      />
      <Facet
        title={t('search.kinds')}
        choices={choicesOf(facets?.mime_types ?? {}, listOf(state.kinds), kindName)}
        isPart={areFacetsOfPart}
        {...facetOf(state, change, 'kinds')}
      />
      <Facet
        title={t('search.languages')}
        choices={choicesOf(facets?.languages ?? {}, listOf(state.languages), (code) => ocrLanguageName(code, language))}
        isPart={areFacetsOfPart}
        {...facetOf(state, change, 'languages')}
      />
      <Facet
        title={t('search.labels')}
        choices={choicesOf(labelCounts, listOf(state.labels), (id) => nameOfId.get(id) ?? id).map((choice) => ({
          ...choice,
          isDisabled: areLabelsAwaited, // they have no ids yet
        }))}
        isPart={areFacetsOfPart}
        {...facetOf(state, change, 'labels')}
      />
      <FactFilters state={state} change={change} facets={facets} areFacetsOfPart={areFacetsOfPart} />
      <PeriodFilter
        isPart={areFacetsOfPart}
        title={t('search.years')}
        years={facets?.years}
        from={{ label: t('search.from'), value: state.from }}
        to={{ label: t('search.to'), value: state.to }}
        onChange={(from, to) => change({ from, to })}
      />
      <Stack gap={4}>
        <Text size="sm" fw={500} id={confidenceId}>
          {t('search.confidence')}: {percent(confidence)}
        </Text>
        <Slider
          aria-labelledby={confidenceId}
          thumbLabel={t('search.confidence')}
          step={5}
          label={percent}
          value={confidence}
          onChange={setMoved}
          onChangeEnd={(value) => {
            setMoved(undefined);
            change({ confidence: value === 0 ? undefined : String(value) });
          }}
        />
      </Stack>
      {state.more !== undefined && (
        <Text size="sm" c="dimmed">
          {t('search.moreFilters')}
        </Text>
      )}
      {isFiltered && (
        <Button variant="default" size="xs" onClick={() => change(Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined])))}>
          {t('search.clearFilters')}
        </Button>
      )}
    </Stack>
  );
};
