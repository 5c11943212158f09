import type { Db } from '@sheaf/db';
import { type DocumentFilter, findSelected, listDocuments } from '@sheaf/documents';
import { documentConditions } from '@sheaf/search';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { DocumentSortField } from '@sheaf/vocabulary/sort-fields';
import { readConditions } from './document-filter.ts';
import type { PageRequest } from './paging.ts';
import { type AnyQuery, lastOf } from './query.ts';
import { findHits, type Hit } from './search-hits.ts';

/** Ids of documents beside a page of them. */
const MAX_ALL = 1_000;

const SORT_FIELDS: Readonly<Record<string, DocumentSortField>> = {
  id: 'created_at',
  created: 'document_date',
  added: 'created_at',
  modified: 'updated_at',
  title: 'title',
  archive_serial_number: 'archive_number',
  correspondent__name: 'correspondent',
  document_type__name: 'document_type',
};

interface Order {
  readonly sort: DocumentSortField;
  readonly order: 'asc' | 'desc';
}

/** The order that is asked for; undefined where there is none that is known, as Django ignores it. */
const readOrder = (ordering: string | undefined): Order | undefined => {
  const field = ordering?.split(',', 1)[0] ?? '';
  const name = field.startsWith('-') ? field.slice(1) : field;
  const sort = Object.hasOwn(SORT_FIELDS, name) ? SORT_FIELDS[name] : undefined;
  return sort === undefined ? undefined : { sort, order: field.startsWith('-') ? 'desc' : 'asc' };
};

const DEFAULT_ORDER: Order = { sort: 'document_date', order: 'desc' };

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
    ...DEFAULT_ORDER,
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

/** One page of the documents that pass the filters among `query` and that `principal` may read. Throws VALIDATION_ERROR for filters that make no sense. */
export const findDocuments = async (db: Db, principal: Principal, query: AnyQuery, page: PageRequest): Promise<FoundDocuments> => {
  const { filter, hits } = await readFilter(db, principal, query);
  const order = readOrder(lastOf(query, 'ordering'));
  if (hits !== undefined && order === undefined) return findByRank(db, principal, filter, hits, page);
  const { rows, total } = await listDocuments(db, principal, { ...filter, ...(order ?? DEFAULT_ORDER), ...page });
  return { count: total, documents: rows, ids: await idsOf(db, principal, filter, MAX_ALL), ...(hits === undefined ? {} : { hits }) };
};

/** The ids of the documents that pass the filters among `query`, at most `limit`. */
export const findDocumentIds = async (db: Db, principal: Principal, query: AnyQuery, limit: number): Promise<string[]> =>
  idsOf(db, principal, (await readFilter(db, principal, query)).filter, limit);
