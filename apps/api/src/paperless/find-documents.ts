import type { Db } from '@sheaf/db';
import { type DocumentFilter, findSelected, listDocuments, listDocumentsBy } from '@sheaf/documents';
import { documentOrder } from '@sheaf/paperless';
import { documentConditions } from '@sheaf/search';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { readConditions } from './document-filter.ts';
import { readOrdering } from './document-order.ts';
import { FILTER_RULES } from './filter-rules.ts';
import type { PageRequest } from './paging.ts';
import { type AnyQuery, lastOf, refuseField, requireKnown } from './query.ts';
import { findHits, type Hit, SEARCH_PARAMETERS } from './search-hits.ts';

/** Ids of documents beside a page of them. */
const MAX_ALL = 1_000;

const DEFAULT_ORDER = { by: 'own', sort: 'document_date', order: 'desc' } as const;

/** Documents that a query finds. */
export interface FoundDocuments {
  readonly count: number;
  /** Of the page. */
  readonly documents: Awaited<ReturnType<typeof listDocuments>>['rows'];
  /** Of the first documents in all. */
  readonly ids: readonly string[];
  /** What the words of the query have found, the best first; missing where it has none. */
  readonly hits?: readonly Hit[];
}

const idsOf = async (db: Db, principal: Principal, filter: DocumentFilter, limit: number): Promise<string[]> =>
  (await findSelected(db, principal, 'documents.read', { filter }, limit)).map(({ id }) => id);

const among = (db: Db, principal: Principal, ids: readonly string[]) =>
  documentConditions(db, principal, [{ kind: 'reference', field: 'document', match: 'any', ids: [...ids] }]);

/** Documents in the order in which the search has found them: of the hits, those that pass the other filters. */
const findByRank = async (
  db: Db,
  principal: Principal,
  filter: DocumentFilter,
  hits: readonly Hit[],
  page: PageRequest,
): Promise<FoundDocuments> => {
  const passing = new Set(await idsOf(db, principal, filter, hits.length));
  const ids = hits.map(({ id }) => id).filter((id) => passing.has(id));
  const shown = ids.slice((page.page - 1) * page.perPage, page.page * page.perPage);
  const { rows } = await listDocuments(db, principal, {
    sort: 'created_at',
    order: 'asc',
    page: 1,
    perPage: Math.max(1, shown.length),
    further: await among(db, principal, shown),
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return { count: ids.length, ids: ids.slice(0, MAX_ALL), hits, documents: shown.flatMap((id) => byId.get(id) ?? []) };
};

interface Filtered {
  readonly filter: DocumentFilter;
  readonly hits: readonly Hit[] | undefined;
}

/** What the filters among `query` say, its words as the documents that they have found. */
const readFilter = async (db: Db, principal: Principal, query: AnyQuery): Promise<Filtered> => {
  const hits = await findHits(db, principal, query);
  const conditions = await readConditions(db, principal, query);
  const found = hits === undefined ? [] : [{ kind: 'reference', field: 'document', match: 'any', ids: hits.map(({ id }) => id) } as const];
  return { hits, filter: { further: await documentConditions(db, principal, [...conditions, ...found]) } };
};

/** What lists of documents take beside filters. */
const OF_LISTS: ReadonlySet<string> = new Set(['ordering', 'fields', 'full_perms', 'truncate_content', 'include_selection_data']);

export const isFilter = (name: string): boolean => FILTER_RULES.has(name) || SEARCH_PARAMETERS.has(name) || name === 'custom_field_query';
export const isOfList = (name: string): boolean => OF_LISTS.has(name);

/**
 * One page of the documents that pass the filters among `query` and that `principal` may read. Throws VALIDATION_ERROR for parameters and orders that
 * do not exist, and for values that make no sense.
 */
export const findDocuments = async (db: Db, principal: Principal, query: AnyQuery, page: PageRequest): Promise<FoundDocuments> => {
  requireKnown(query, (name) => isFilter(name) || isOfList(name));
  const ordering = await readOrdering(db, lastOf(query, 'ordering'));
  const { filter, hits } = await readFilter(db, principal, query);
  if (ordering?.by === 'rank' && hits === undefined) throw refuseField('ordering', '"score" needs a query.');
  if (hits !== undefined && (ordering === undefined || ordering.by === 'rank'))
    return findByRank(db, principal, filter, ordering?.isWorstFirst === true ? hits.toReversed() : hits, page);
  const { rows, total } =
    ordering?.by === 'keys'
      ? await listDocumentsBy(db, principal, { ...filter, by: documentOrder(ordering.keys), ...page })
      : await listDocuments(db, principal, { ...filter, ...(ordering?.by === 'own' ? ordering : DEFAULT_ORDER), ...page });
  return { count: total, documents: rows, ids: await idsOf(db, principal, filter, MAX_ALL), ...(hits === undefined ? {} : { hits }) };
};

/** The ids of the documents that pass the filters among `query`, at most `limit`. */
export const findDocumentIds = async (db: Db, principal: Principal, query: AnyQuery, limit: number): Promise<string[]> =>
  idsOf(db, principal, (await readFilter(db, principal, query)).filter, limit);
