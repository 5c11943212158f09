import { permissionNeeded } from '@sheaf/contract';
import type { SearchClause } from '@sheaf/contract/search';
import type { Db } from '@sheaf/db';
import { getDocument } from '@sheaf/documents';
import { readInteger, refuseField, requireLetters } from '@sheaf/paperless';
import { advancedQuery, findMoreLike, readPaperlessQuery, type search, searchByQuery } from '@sheaf/search';
import { MAX_CLAUSE_CHARACTERS, MAX_QUERY_CHARACTERS, MAX_SEARCH_RESULTS } from '@sheaf/vocabulary/limits';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { type AnyQuery, lastOf, requireDocuments } from './query.ts';

/** A document that was found, the best first. */
export interface Hit {
  readonly id: string;
  readonly score: number;
}

const OPTIONS = { filters: {}, page: 1, perPage: MAX_SEARCH_RESULTS, highlight: false, fuzzy: false };

type Ask = (db: Db, principal: Principal, text: string) => Promise<Hit[]>;

const toHits = ({ results }: Awaited<ReturnType<typeof search>>): Hit[] => results.map(({ document_id: id, score }) => ({ id, score }));

const containing =
  (...fields: readonly SearchClause['field'][]): Ask =>
  async (db, principal, value) =>
    toHits(
      await searchByQuery(db, principal, {
        ...OPTIONS,
        query: advancedQuery({ must: [], should: fields.map((field) => ({ field, type: 'contains', value })), must_not: [] }),
      }),
    );

/** In the syntax of Paperless-ngx. Throws VALIDATION_ERROR for what is not understood of it. */
const byQuery: Ask = async (db, principal, text) => {
  const read = readPaperlessQuery(text);
  if ('problem' in read) throw refuseField('query', read.problem);
  return toHits(await searchByQuery(db, principal, { ...OPTIONS, query: read.query }));
};

/** What has the words of a document. Throws NOT_FOUND where there is none, or the caller may not read it. */
const moreLike: Ask = async (db, principal, text) => {
  const [id = ''] = await requireDocuments(db, [readInteger('more_like_id', text)]);
  await getDocument(db, principal, id);
  return (await findMoreLike(db, principal, id, MAX_SEARCH_RESULTS)).map(({ documentId, score }) => ({ id: documentId, score }));
};

/** The filters that the search answers, by their parameter. */
const SEARCHES: Readonly<Record<string, Ask>> = {
  query: byQuery,
  text: containing('title', 'content'),
  title_content: containing('title', 'content'),
  title_search: containing('title'),
  content__icontains: containing('content'),
  more_like_id: moreLike,
};

/** The parameters by which the search finds documents. */
export const SEARCH_PARAMETERS: ReadonlySet<string> = new Set(Object.keys(SEARCHES));

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
    if (name !== 'query' && name !== 'more_like_id') requireLetters(name, text);
    if (scopeOf(principal.permissions, 'search.query') === 'none') throw permissionNeeded('search.query');
    requireLength(name, text);
    const found = await ask(db, principal, text);
    const before = hits && new Set(hits.map(({ id }) => id));
    hits = found.filter(({ id }) => before?.has(id) !== false);
  }
  return hits;
};
