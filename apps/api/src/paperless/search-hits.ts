import { permissionNeeded } from '@sheaf/contract';
import type { SearchClause } from '@sheaf/contract/search';
import type { Db } from '@sheaf/db';
import { advancedQuery, search, searchByQuery } from '@sheaf/search';
import { MAX_CLAUSE_CHARACTERS, MAX_QUERY_CHARACTERS, MAX_SEARCH_RESULTS } from '@sheaf/vocabulary/limits';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { type AnyQuery, lastOf, refuseField } from './query.ts';

/** A document that was found, the best first. */
export interface Hit {
  readonly id: string;
  readonly score: number;
}

const OPTIONS = { filters: {}, page: 1, perPage: MAX_SEARCH_RESULTS, highlight: false, fuzzy: false };

const containing = (db: Db, principal: Principal, fields: readonly SearchClause['field'][], value: string) =>
  searchByQuery(db, principal, {
    ...OPTIONS,
    query: advancedQuery({ must: [], should: fields.map((field) => ({ field, type: 'contains', value })), must_not: [] }),
  });

/** The filters that the search answers, by their parameter. */
const SEARCHES = {
  query: (db: Db, principal: Principal, q: string) => search(db, principal, { ...OPTIONS, q }),
  text: (db: Db, principal: Principal, text: string) => containing(db, principal, ['title', 'content'], text),
  title_content: (db: Db, principal: Principal, text: string) => containing(db, principal, ['title', 'content'], text),
  title_search: (db: Db, principal: Principal, text: string) => containing(db, principal, ['title'], text),
  content__icontains: (db: Db, principal: Principal, text: string) => containing(db, principal, ['content'], text),
} as const;

const requireLength = (name: string, text: string): void => {
  const maximum = name === 'query' ? MAX_QUERY_CHARACTERS : MAX_CLAUSE_CHARACTERS;
  if (text.length > maximum) throw refuseField(name, `Ensure this value has at most ${maximum} characters.`);
};

/**
 * The first thousand documents that the words among the filters find, the best first; undefined where none of the filters are words. Of several,
 * all must find it. Throws FORBIDDEN where the caller may not search.
 */
export const findHits = async (db: Db, principal: Principal, query: AnyQuery): Promise<Hit[] | undefined> => {
  let hits: Hit[] | undefined;
  for (const [name, ask] of Object.entries(SEARCHES)) {
    const text = lastOf(query, name)?.trim();
    if (text === undefined || text === '') continue;
    if (scopeOf(principal.permissions, 'search.query') === 'none') throw permissionNeeded('search.query');
    requireLength(name, text);
    const { results } = await ask(db, principal, text);
    const before = hits && new Set(hits.map(({ id }) => id));
    hits = results.map(({ document_id: id, score }) => ({ id, score })).filter(({ id }) => before?.has(id) !== false);
  }
  return hits;
};
