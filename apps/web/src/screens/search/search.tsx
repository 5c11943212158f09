import { ActionIcon, Alert, Box, Button, Card, Collapse, Grid, Group, Pagination, Popover, Skeleton, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFilter, IconHelp, IconSearch, IconSearchOff } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { ProblemNote } from '../../components/problem-note.tsx';
import { EmptyState, NO_HINT_YET, ScreenHeader } from '../../components/screen-parts.tsx';
import { useHidden } from '../../components/undo.tsx';
import { pageOf, useAddressState } from '../../interface/address-state.ts';
import { type Answer, useCall } from '../../interface/call.ts';
import { keepNeighbours } from '../../interface/neighbours.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { SaveSearch } from '../saved-searches/save-search.tsx';
import { shownOfSearch } from '../saved-searches/saved-address.ts';
import { FactChips } from './fact-filters.tsx';
import { SearchFilters } from './search-filters.tsx';
import { SearchHelp } from './search-help.tsx';
import { SearchHit } from './search-hit.tsx';
import { isAsked, queryOf, SEARCH_STATE_NAMES, type SearchState } from './search-state.ts';

const PER_PAGE = 20;
const MOST_RESULTS = 1_000;

/** Arrows go from one hit to the next; Enter, on a link, opens it by itself. */
const moveBetweenHits = (list: HTMLElement | null, event: KeyboardEvent): void => {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const links = [...(list?.querySelectorAll<HTMLElement>('[data-hit]') ?? [])];
  const index = links.indexOf(document.activeElement as HTMLElement);
  const next = links[index + (event.key === 'ArrowDown' ? 1 : -1)];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
};

const Help = (): ReactNode => {
  const t = useTranslate();
  return (
    <Popover position="bottom-end" width={520} shadow="md" withinPortal>
      <Popover.Target>
        <ActionIcon variant="default" size="lg" aria-label={t('search.help')} title={t('search.help')}>
          <IconHelp size={18} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown maw="calc(100vw - 16px)">
        <SearchHelp />
      </Popover.Dropdown>
    </Popover>
  );
};

/** What was found, and what narrows it. */
const Search = (): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const [state, change] = useAddressState(SEARCH_STATE_NAMES);
  const [showsFilters, { toggle }] = useDisclosure(false);
  const { hidden } = useHidden();
  const list = useRef<HTMLDivElement>(null);
  const q = state.q ?? '';
  const asks = isAsked(state);
  const { data, error, refetch, isPlaceholderData } = useCall(
    'get /api/search',
    { query: { ...queryOf(state), per_page: PER_PAGE } },
    { enabled: asks, keepPrevious: true },
  );
  const shown = asks ? data : undefined;
  const total = shown?.total ?? 0;
  const isAwaited = asks && data === undefined && error === null;
  // with the facets, which would push the others down if they came later
  const filters = isAwaited ? (
    <Skeleton height="60vh" />
  ) : (
    <SearchFilters state={state} change={change} facets={shown?.facets} areFacetsOfPart={shown?.facets_are_lower_bounds === true} />
  );
  return (
    <>
      <ScreenHeader
        title={q === '' ? t('search.title') : `${t('search.title')}: ${q}`}
        hint={shown === undefined ? NO_HINT_YET : t('search.hits', { count: total, isMore: shown.total_is_lower_bound === true })}
      >
        <Button variant="default" hiddenFrom="md" leftSection={<IconFilter size={16} />} onClick={toggle} aria-expanded={showsFilters}>
          {t('search.filters')}
        </Button>
        {asks && <SaveSearch shown={shownOfSearch(state)} />}
        <Help />
      </ScreenHeader>
      <Box hiddenFrom="md">
        <Collapse expanded={showsFilters}>
          <Card withBorder mb="md">
            {filters}
          </Card>
        </Collapse>
      </Box>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 8, xl: 9 }} style={{ opacity: isPlaceholderData ? 0.7 : 1 }} aria-busy={isPlaceholderData}>
          <Text role="status" style={{ position: 'absolute', width: 1, height: 1, overflow: 'hidden' }}>
            {shown === undefined ? '' : t('search.hits', { count: total, isMore: shown.total_is_lower_bound === true })}
          </Text>
          <FactChips state={state} change={change} facets={shown?.facets} />
          <SearchWarnings warnings={shown?.warnings} />
          {shown?.corrected_query !== undefined && (
            <Alert mb="md" color="blue">
              <Text size="sm" className="stranger">
                {t('search.searchedFor')} <b>{shown.corrected_query}</b>
              </Text>
            </Alert>
          )}
          {error !== null && asks && <ProblemNote problem={error} onRetry={() => void refetch()} />}
          {!asks && (
            <EmptyState icon={IconSearch} title={t('search.start')} hint={t('search.startHint')}>
              <Card withBorder mt="md">
                <SearchHelp />
              </Card>
            </EmptyState>
          )}
          {isAwaited && (
            <Stack gap="sm">
              <Skeleton height={116} radius="md" />
              <Skeleton height={116} radius="md" />
              <Skeleton height={116} radius="md" />
            </Stack>
          )}
          {shown !== undefined && shown.results.length === 0 && <NothingFound state={state} change={change} />}
          <Stack
            component="ul"
            ref={list}
            gap="sm"
            p={0}
            m={0}
            style={{ listStyle: 'none' }}
            onClickCapture={() => keepNeighbours((shown?.results ?? []).map(({ document_id: id }) => id))}
            onKeyDown={(event) => moveBetweenHits(list.current, event)}
          >
            {shown?.results
              .filter(({ document_id: id }) => !hidden.has(id))
              .map((hit) => (
                <SearchHit key={hit.document_id} hit={hit} query={shown.corrected_query ?? q} />
              ))}
          </Stack>
          {total > PER_PAGE && (
            <Group justify="center" mt="lg" component="nav" aria-label={t('search.title')}>
              <Pagination
                total={Math.ceil(Math.min(total, MOST_RESULTS) / PER_PAGE)}
                value={pageOf(state)}
                onChange={(page) => change({ page: String(page) })}
                getItemProps={(page) => ({ 'aria-label': t('search.page', { page: format.number(page) }) })}
                getControlProps={(control) => ({ 'aria-label': control === 'next' ? t('search.nextPage') : t('search.previousPage') })}
              />
            </Group>
          )}
          {total > MOST_RESULTS && pageOf(state) * PER_PAGE >= MOST_RESULTS && (
            <Text size="sm" c="dimmed" ta="center" mt="sm">
              {t('search.tooFar')}
            </Text>
          )}
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4, xl: 3 }} visibleFrom="md">
          <Card withBorder padding="md">
            {filters}
          </Card>
        </Grid.Col>
      </Grid>
    </>
  );
};
export default Search;

type Warnings = NonNullable<Answer<'get /api/search'>['warnings']>;

const TEXTS = {
  unknown_field: 'search.warnUnknownField',
  invalid_value: 'search.warnInvalidValue',
  unknown_custom_field: 'search.warnUnknownCustomField',
  only_exclusions: 'search.warnOnlyExclusions',
  no_words: 'search.warnNoWords',
  too_many_words: 'search.warnTooManyWords',
} as const satisfies Record<Warnings[number]['code'], string>;

/** What of the query was not understood. */
const SearchWarnings = ({ warnings = [] }: { readonly warnings: Warnings | undefined }): ReactNode => {
  const t = useTranslate();
  if (warnings.length === 0) return null;
  return (
    <Alert mb="md" color="yellow" role="status">
      <Stack gap={4}>
        {warnings.map(({ code, part }) => (
          <Text key={`${code} ${part}`} size="sm" className="stranger">
            {t(TEXTS[code], { part })}
          </Text>
        ))}
      </Stack>
    </Alert>
  );
};

interface Props {
  readonly state: SearchState;
  readonly change: (changes: { readonly q?: string; readonly fuzzy?: string }) => void;
}

/** Said where a search finds nothing, with what was probably meant where that is to be found. */
const NothingFound = ({ state, change }: Props): ReactNode => {
  const t = useTranslate();
  const wasForgiving = state.fuzzy === 'true';
  const { data, isPending } = useCall(
    'get /api/search',
    { query: { ...queryOf(state), fuzzy: 'true', page: 1, per_page: 1 } },
    { enabled: !wasForgiving },
  );
  const meant = data?.total === 0 ? undefined : data?.corrected_query;
  const isHopeless = wasForgiving || (!isPending && data !== undefined && meant === undefined);
  return (
    <EmptyState icon={IconSearchOff} title={t('search.nothing')} hint={isHopeless ? t('search.fewerWords') : t('search.nothingHint')}>
      <Text size="sm" c="dimmed" ta="center">
        {t('search.commonWords')}
      </Text>
      {meant !== undefined && (
        <Text>
          {t('search.didYouMean')}{' '}
          <Button variant="light" size="compact-md" className="stranger" onClick={() => change({ q: meant })}>
            {meant}
          </Button>
        </Text>
      )}
      {!isHopeless && (
        <Button variant={meant === undefined ? 'filled' : 'default'} onClick={() => change({ fuzzy: 'true' })}>
          {t('search.tryFuzzy')}
        </Button>
      )}
    </EmptyState>
  );
};
