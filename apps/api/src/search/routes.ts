import {
  type AdvancedSearchRequest,
  advancedSearchRequest,
  MAX_CLAUSE_CHARACTERS,
  MAX_CLAUSES,
  MAX_QUERY_CHARACTERS,
  MAX_SEARCH_RESULTS,
  MAX_SORT_KEYS,
  MAX_SUGGESTIONS,
  makeIssue,
  type PageQuery,
  type Principal,
  type SearchFilters,
  searchBody,
  searchFilters,
  searchQuery,
  suggestBody,
  suggestQuery,
  validationError,
} from '@sheaf/contract';
import { advancedQuery, type SearchOptions, search, searchByQuery, suggest } from '@sheaf/search';
import { z } from 'zod';
import { behindFeature } from '../http/feature.ts';
import { parseInput } from '../http/parse-input.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import { cursorFields, cutSearch, searchCutBody } from './search-cut.ts';
import type { SearchServices } from './search-services.ts';

/** The filters travel as JSON text in the query string. */
const readFilters = (text: string | undefined): SearchFilters => {
  if (text === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw validationError('The query is not valid: filters: must be JSON', {
      issues: [makeIssue('filters', 'other', error instanceof Error ? error.message : 'must be JSON')],
    });
  }
  return parseInput(searchFilters, value, 'query');
};

type Part = Pick<SearchOptions, 'page' | 'perPage' | 'until'>;
const partOf = ({ page, per_page: perPage }: PageQuery): Part => ({ page, perPage });

type Question = Omit<z.infer<typeof searchQuery>, keyof PageQuery>;

const ask = async (query: Question, principal: Principal, part: Part, { database, searchMetrics }: SearchServices) => {
  const filters = readFilters(query.filters);
  return searchMetrics.measure('simple', () =>
    search(database.db, principal, {
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
  summary: 'Search the text and the titles of documents',
  description: [
    `\`q\` speaks words, of which all must match, \`"phrases"\`, \`-word\`, \`a OR b\`, \`begin*\`, \`title:\`, \`filename:\`, \`content:\` and \`label:\`, each of which takes a phrase as well (\`label:"to pay"\`). Case, accents and the endings of words do not matter, in any language that documents are in. Any text is understood; what makes no sense is left out, and a question of nothing but exclusions finds nothing.`,
    `At most ${MAX_QUERY_CHARACTERS} characters and the first ${MAX_SEARCH_RESULTS} results: a page beyond them is refused.`,
    '`fuzzy=true` corrects words that no document has by one or two letters, and, where all words are known but stand nowhere together, the rarest of them. `corrected_query` then says what was searched.',
  ].join('\n\n'),
  status: 200,
} as const;

const { page: _page, per_page: _perPage, ...questionFields } = searchQuery.shape;

const find = (services: SearchServices): Route => ({
  ...jsonRoute({
    ...FIND,
    query: searchQuery,
    response: searchBody,
    handle: ({ query, principal }) => ask(query, principal, partOf(query), services),
  }),
  isSuperseded: true,
  v2: jsonRoute({
    ...FIND,
    query: z.strictObject({ ...questionFields, ...cursorFields }),
    response: searchCutBody,
    handle: ({ query: { cursor, limit, ...question }, principal }) =>
      cutSearch(services, { path: FIND.path, cursor, limit, question }, (part) => ask(question, principal, part, services)),
  }),
});

type AdvancedQuestion = Omit<AdvancedSearchRequest, keyof PageQuery>;

const askAdvanced = (body: AdvancedQuestion, principal: Principal, part: Part, { database, searchMetrics }: SearchServices) =>
  searchMetrics.measure('advanced', () =>
    searchByQuery(database.db, principal, {
      query: advancedQuery(body.query),
      filters: body.filters,
      sort: body.sort,
      highlight: body.highlight,
      fuzzy: body.fuzzy,
      ...part,
    }),
  );

const FIND_ADVANCED = {
  method: 'post',
  path: '/api/search/advanced',
  access: 'search.query',
  isQuery: true,
  summary: 'Search with clauses that must, should or must not hold',
  description: [
    'Each clause has a field, a value and a type. `match`: all words of the value, in any form and order. `contains`: the text stands somewhere in the field, ignoring case and accents; in `content` and `any` its words stand one after the other, and the last may go on. `exact`: the whole field, ignoring case; in `content` and `any` the words one after the other. A label is matched by its name.',
    `At most ${MAX_CLAUSES} clauses in all with values of ${MAX_CLAUSE_CHARACTERS} characters, ${MAX_SORT_KEYS} sort keys, a body of 1 MB and the first ${MAX_SEARCH_RESULTS} results. Clauses do not nest.`,
    'Conditions such as a type or a label have no words to rank by: where they stand alone the score is 0 and the newest come first; in `should` each counts 1.',
  ].join('\n\n'),
  errors: { FEATURE_DISABLED: 'NOT_FOUND' },
  status: 200,
} as const;

const { page: _bodyPage, per_page: _bodyPerPage, ...advancedFields } = advancedSearchRequest.shape;

const findAdvanced = (services: SearchServices): Route => ({
  ...jsonRoute({
    ...FIND_ADVANCED,
    body: advancedSearchRequest,
    response: searchBody,
    handle: ({ body, principal }) => askAdvanced(body, principal, partOf(body), services),
  }),
  isSuperseded: true,
  v2: jsonRoute({
    ...FIND_ADVANCED,
    body: z.strictObject({ ...advancedFields, ...cursorFields }).meta({ id: 'AdvancedSearchCut' }),
    response: searchCutBody,
    handle: ({ body: { cursor, limit, ...question }, principal }) =>
      cutSearch(services, { path: FIND_ADVANCED.path, cursor, limit, question }, (part) =>
        askAdvanced(question, principal, part, services),
      ),
  }),
});

const complete = ({ database, searchMetrics }: SearchServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/search/suggest',
    access: 'search.query',
    summary: 'Words and titles that complete what is typed so far',
    description: `Up to ${MAX_SUGGESTIONS} whole words that begin with the last word of \`q\`, from its second letter on, and titles that have all of its words, the last of which may go on. All of them stand in documents that the caller may read.`,
    query: suggestQuery,
    status: 200,
    response: suggestBody,
    handle: async ({ query, principal }) => ({
      suggestions: await searchMetrics.measure('suggest', () => suggest(database.db, principal, query.q)),
    }),
  });

export const searchRoutes = (services: SearchServices): readonly Route[] => [
  find(services),
  ...behindFeature('FEATURE_ADVANCED_SEARCH', services.config.features.advancedSearch, [findAdvanced(services)]),
  complete(services),
];
