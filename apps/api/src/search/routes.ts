import { type SearchFilters, searchBody, searchFilters, searchQuery, validationError } from '@sheaf/contract';
import { search } from '@sheaf/search';
import { parseInput } from '../http/parse-input.ts';
import { jsonRoute, type Route } from '../http/route.ts';

/** The filters travel as JSON text in the query string. */
const readFilters = (text: string | undefined): SearchFilters => {
  if (text === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw validationError('The query is not valid: filters: must be JSON', {
      issues: [{ path: 'filters', message: error instanceof Error ? error.message : 'must be JSON' }],
    });
  }
  return parseInput(searchFilters, value, 'query');
};

const find = jsonRoute({
  method: 'get',
  path: '/api/search',
  access: 'search.query',
  summary: 'Search the text and the titles of documents',
  query: searchQuery,
  status: 200,
  response: searchBody,
  handle: ({ query, principal }, { database }) =>
    search(database.db, principal, {
      q: query.q,
      filters: readFilters(query.filters),
      page: query.page,
      perPage: query.per_page,
      highlight: query.highlight,
      fuzzy: query.fuzzy,
    }),
});

export const searchRoutes: readonly Route[] = [find];
