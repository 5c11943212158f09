import type { FixedConfig } from '@sheaf/config';
import { cursorQuery, nextCursor, type PageQuery, plainIssue, validationError } from '@sheaf/contract';
import {
  type AdvancedSearchRequest,
  advancedSearchRequest,
  asksForSomething,
  NOTHING_ASKED,
  type SearchBody,
  type SearchFilters,
  searchBody,
  searchFilters,
  searchHit,
  searchQuery,
  suggestBody,
  suggestQuery,
} from '@sheaf/contract/search';
import { type Clock, Counter, Histogram, type Registry } from '@sheaf/process';
import { advancedQuery, type SearchOptions, search, searchByQuery, suggest, warningsOfClauses } from '@sheaf/search';
import {
  MAX_CLAUSE_CHARACTERS,
  MAX_CLAUSES,
  MAX_QUERY_CHARACTERS,
  MAX_SEARCH_RESULTS,
  MAX_SORT_KEYS,
  MAX_SUGGESTIONS,
} from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import type { Cursors } from '../http/list-route.ts';
import { behindFeature } from '../http/offered-routes.ts';
import { parseInput } from '../http/parse-input.ts';
import { jsonRoute, type RequestContext, type Route } from '../http/route.ts';

/** What version 2 answers to a search: as version 1, with a cursor for the pages. */
export const searchCutBody = searchBody
  .omit({ results: true })
  .extend({ data: z.array(searchHit), next_cursor: nextCursor })
  .meta({ id: 'SearchCut' });
export type SearchCutBody = z.infer<typeof searchCutBody>;

export const cursorFields = cursorQuery.shape;

interface Asked {
  readonly path: string;
  readonly cursor?: string | undefined;
  readonly limit: number;
  /** All else that was asked. */
  readonly question: object;
}

/**
 * One page of a search by its cursor. What a rank is worth moves with every document that comes, so there is no row to go on behind:
 * a cursor holds the page and the time of the first one, and later pages look at what was there then. Nothing new moves them.
 */
export const cutSearch = async (
  { cursors, clock }: Pick<SearchServices, 'cursors' | 'clock'>,
  { path, cursor, limit, question }: Asked,
  find: (part: { readonly page: number; readonly perPage: number; readonly until?: Date }) => Promise<SearchBody>,
): Promise<SearchCutBody> => {
  const sealed = JSON.stringify([path, limit, question]);
  const [at, time] = cursors.read(sealed, cursor) ?? [];
  const page = Number(at ?? 1);
  const now = clock.now().toISOString();
  const { results, ...others } = await find({ page, perPage: limit, ...(time == null ? {} : { until: new Date(time) }) });
  const hasMore = page * limit < others.total && (page + 1) * limit <= MAX_SEARCH_RESULTS;
  return { data: results, ...others, next_cursor: hasMore ? cursors.write(sealed, [String(page + 1), time ?? now]) : null };
};

/** What the routes of the search use. */
export interface SearchServices {
  readonly config: Pick<FixedConfig, 'features'>;
  readonly searchMetrics: SearchMetrics;
  readonly cursors: Cursors;
  readonly clock: Clock;
}

const SEARCH_KINDS = ['simple', 'advanced', 'suggest'] as const;
type SearchKind = (typeof SEARCH_KINDS)[number];

/** What searching is measured by. */
interface SearchMetrics {
  /** Measures a search from its question to its answer, and counts it, also when it fails. */
  readonly measure: <T>(kind: SearchKind, find: () => Promise<T>) => Promise<T>;
}

export const makeSearchMetrics = (registry: Registry): SearchMetrics => {
  const registers = [registry];
  const searches = new Counter({
    name: 'sheaf_searches_total',
    help: 'Searches by result',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  const seconds = new Histogram({
    name: 'sheaf_search_duration_seconds',
    help: 'Search duration in the api and the database',
    labelNames: ['kind'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  });
  for (const kind of SEARCH_KINDS) searches.inc({ kind, outcome: 'answered' }, 0);
  return {
    measure: async (kind, find) => {
      const startedMs = performance.now();
      let outcome = 'failed';
      try {
        const found = await find();
        outcome = 'answered';
        return found;
      } finally {
        searches.inc({ kind, outcome });
        seconds.observe({ kind }, (performance.now() - startedMs) / 1_000);
      }
    },
  };
};

/** The filters travel as JSON text in the query string. */
const readFilters = (text: string | undefined): SearchFilters => {
  if (text === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw validationError('Invalid query: filters: must be JSON', {
      issues: [plainIssue('filters', error instanceof Error ? error.message : 'must be JSON')],
    });
  }
  return parseInput(searchFilters, value, 'query');
};

type Part = Pick<SearchOptions, 'page' | 'perPage' | 'until'>;
const partOf = ({ page, per_page: perPage }: PageQuery): Part => ({ page, perPage });

type Question = Omit<z.infer<typeof searchQuery>, keyof PageQuery>;

/** Who asks, and what answers. */
interface SearchRequest {
  readonly principal: Principal;
  readonly context: Pick<RequestContext, 'db'>;
}

const ask = async (query: Question, { principal, context: { db } }: SearchRequest, part: Part, { searchMetrics }: SearchServices) => {
  const filters = readFilters(query.filters);
  return searchMetrics.measure('simple', () =>
    search(db, principal, {
      q: query.q,
      filters,
      sort: [{ field: query.sort, order: query.order }],
      highlight: query.highlight,
      fuzzy: query.fuzzy,
      ...part,
    }),
  );
};

const FIND = {
  method: 'get',
  path: '/api/search',
  access: 'search.query',
  mayReadReplica: true,
  summary: 'Search documents',
  description: [
    `\`q\` supports words, which must all match, \`"phrases"\`, \`-word\`, \`a OR b\`, \`begin*\`, \`title:\`, \`filename:\`, \`content:\`, \`note:\` and \`label:\`, each of which takes a phrase as well (\`label:"to pay"\`). \`from:\` and \`type:\` take words of the name of a correspondent or document type, \`date:\` the day that a document bears (\`2024\`, \`2024-03\`, \`2024-01..2024-03\`, \`>=2024-03-05\`), \`asn:\` archive numbers, and each of these four \`none\`. Case, accents and inflections are ignored. Invalid syntax is ignored, and a query with exclusions only has no results.`,
    `At most ${MAX_QUERY_CHARACTERS} characters and the first ${MAX_SEARCH_RESULTS} results; pages beyond are rejected.`,
    '`fuzzy=true` enables typo tolerance: unknown words are corrected by one or two characters, and the rarest word if no document contains all words. `corrected_query` is the query that was used.',
  ].join('\n\n'),
} as const;

const { page: _page, per_page: _perPage, ...questionFields } = searchQuery.shape;

const find = (services: SearchServices): Route => ({
  ...jsonRoute({
    ...FIND,
    query: searchQuery,
    response: searchBody,
    handle: ({ query, ...requester }) => ask(query, requester, partOf(query), services),
  }),
  isSuperseded: true,
  v2: jsonRoute({
    ...FIND,
    query: z.strictObject({ ...questionFields, ...cursorFields }).refine(asksForSomething, NOTHING_ASKED),
    response: searchCutBody,
    handle: ({ query: { cursor, limit, ...question }, ...requester }) =>
      cutSearch(services, { path: FIND.path, cursor, limit, question }, (part) => ask(question, requester, part, services)),
  }),
});

type AdvancedQuestion = Omit<AdvancedSearchRequest, keyof PageQuery>;

const askAdvanced = async (
  body: AdvancedQuestion,
  { principal, context: { db } }: SearchRequest,
  part: Part,
  { searchMetrics }: SearchServices,
) => {
  const warnings = warningsOfClauses(body.query);
  const found = await searchMetrics.measure('advanced', () =>
    searchByQuery(db, principal, {
      query: advancedQuery(body.query),
      filters: body.filters,
      sort: body.sort,
      highlight: body.highlight,
      fuzzy: body.fuzzy,
      ...part,
    }),
  );
  return warnings.length === 0 ? found : { ...found, warnings: [...warnings] };
};

const FIND_ADVANCED = {
  method: 'post',
  path: '/api/search/advanced',
  access: 'search.query',
  mayReadReplica: true,
  isQuery: true,
  summary: 'Search with must, should and must_not clauses',
  description: [
    'Each clause has a field, a value and a type. `match`: all words of the value, in any inflection and order. `contains`: the field contains the text, ignoring case and accents; in `content` and `any` the words are adjacent, and the last one can be a prefix. `exact`: the whole field, ignoring case; in `content` and `any` the words are adjacent. Labels are matched by name.',
    `At most ${MAX_CLAUSES} clauses in total with values of ${MAX_CLAUSE_CHARACTERS} characters, ${MAX_SORT_KEYS} sort keys, a body of 1 MB and the first ${MAX_SEARCH_RESULTS} results. Clauses do not nest.`,
    'Clauses without words, such as a type or label, do not affect the ranking: on their own the score is 0 and the newest come first; in `should` each counts 1.',
  ].join('\n\n'),
  errors: { FEATURE_DISABLED: 'NOT_FOUND' },
} as const;

const { page: _bodyPage, per_page: _bodyPerPage, ...advancedFields } = advancedSearchRequest.shape;

const findAdvanced = (services: SearchServices): Route => ({
  ...jsonRoute({
    ...FIND_ADVANCED,
    body: advancedSearchRequest,
    response: searchBody,
    handle: ({ body, ...requester }) => askAdvanced(body, requester, partOf(body), services),
  }),
  isSuperseded: true,
  v2: jsonRoute({
    ...FIND_ADVANCED,
    body: z.strictObject({ ...advancedFields, ...cursorFields }).meta({ id: 'AdvancedSearchCut' }),
    response: searchCutBody,
    handle: ({ body: { cursor, limit, ...question }, ...requester }) =>
      cutSearch(services, { path: FIND_ADVANCED.path, cursor, limit, question }, (part) =>
        askAdvanced(question, requester, part, services),
      ),
  }),
});

const complete = ({ searchMetrics }: SearchServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/search/suggest',
    access: 'search.query',
    mayReadReplica: true,
    summary: 'Get suggestions: words, titles, correspondents and document types',
    description: `Up to ${MAX_SUGGESTIONS} words that start with the last word of \`q\` (at least two letters), and titles, correspondents and document types that contain all words, the last one as a prefix. Only from documents visible to the caller.`,
    query: suggestQuery,
    response: suggestBody,
    handle: async ({ query, principal, context: { db } }) => ({
      suggestions: await searchMetrics.measure('suggest', () => suggest(db, principal, query.q)),
    }),
  });

export const searchRoutes = (services: SearchServices): readonly Route[] => [
  find(services),
  ...behindFeature('FEATURE_ADVANCED_SEARCH', services.config.features.advancedSearch, [findAdvanced(services)]),
  complete(services),
];
