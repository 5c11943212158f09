import { type PageQuery, plainIssue, validationError } from '@sheaf/contract';
import {
  type AdvancedSearchRequest,
  advancedSearchRequest,
  asksForSomething,
  NOTHING_ASKED,
  type SearchFilters,
  searchBody,
  searchFilters,
  searchQuery,
  suggestBody,
  suggestQuery,
} from '@sheaf/contract/search';
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
import { behindFeature } from '../http/feature.ts';
import { parseInput } from '../http/parse-input.ts';
import { jsonRoute, type RequestContext, type Route } from '../http/route.ts';
import { cursorFields, cutSearch, type SearchServices, searchCutBody } from './search-cut.ts';

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
