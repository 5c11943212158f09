import type { Db } from '@sheaf/db';
import { type DocumentFilter, findSelected, listDocuments } from '@sheaf/documents';
import { documentConditions, numbersOf } from '@sheaf/paperless-api';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { DocumentSortField } from '@sheaf/vocabulary/sort-fields';
import { jsonRoute, type Route } from '../http/route.ts';
import { type PaperlessDocument, paperlessDocument } from './bodies.ts';
import { readConditions } from './document-filter.ts';
import { type PageRequest, pageBody, readPage, toPage } from './paging.ts';
import type { PaperlessServices } from './paperless-services.ts';
import { presentDocuments, type Shown } from './present-documents.ts';
import { type AnyQuery, anyQuery, isTrue, lastOf } from './query.ts';
import { PAPERLESS_PREFIX } from './requests.ts';
import { findHits, type Hit } from './search-hits.ts';

/** Documents of one page, and ids in `all`. */
const MAX_PAGE_SIZE = 1_000;
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

export const readShown = (query: AnyQuery): Shown => ({
  fullPerms: isTrue(lastOf(query, 'full_perms')),
  fields:
    lastOf(query, 'fields') === undefined
      ? undefined
      : new Set(
          lastOf(query, 'fields')
            ?.split(',', 100)
            .map((name) => name.trim()),
        ),
});

interface Found {
  readonly count: number;
  /** Of the page. */
  readonly documents: Awaited<ReturnType<typeof listDocuments>>['rows'];
  /** Of the first documents in all. */
  readonly ids: readonly string[];
}

const idsOf = async (db: Db, principal: Principal, filter: DocumentFilter, limit: number): Promise<string[]> =>
  (await findSelected(db, principal, 'documents.read', { filter }, limit)).map(({ id }) => id);

const among = (ids: readonly string[]) => documentConditions([{ kind: 'reference', field: 'document', match: 'any', ids }]);

/** Documents in the order in which the search has found them: of the hits, those that pass the other filters. */
const findByRank = async (
  db: Db,
  principal: Principal,
  filter: DocumentFilter,
  hits: readonly Hit[],
  page: PageRequest,
): Promise<Found> => {
  const passing = new Set(await idsOf(db, principal, filter, hits.length));
  const ids = hits.map(({ id }) => id).filter((id) => passing.has(id));
  const shown = ids.slice((page.page - 1) * page.perPage, page.page * page.perPage);
  const { rows } = await listDocuments(db, principal, {
    ...DEFAULT_ORDER,
    page: 1,
    perPage: Math.max(1, shown.length),
    further: among(shown),
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return { count: ids.length, ids, documents: shown.flatMap((id) => byId.get(id) ?? []) };
};

const find = async (
  db: Db,
  principal: Principal,
  query: AnyQuery,
  page: PageRequest,
): Promise<Found & { readonly hits?: readonly Hit[] }> => {
  const hits = await findHits(db, principal, query);
  const conditions = await readConditions(db, query);
  const found = hits === undefined ? [] : [{ kind: 'reference', field: 'document', match: 'any', ids: hits.map(({ id }) => id) } as const];
  const filter: DocumentFilter = { further: documentConditions([...conditions, ...found]) };
  const order = readOrder(lastOf(query, 'ordering'));
  if (hits !== undefined && order === undefined) return { ...(await findByRank(db, principal, filter, hits, page)), hits };
  const { rows, total } = await listDocuments(db, principal, { ...filter, ...(order ?? DEFAULT_ORDER), ...page });
  return { count: total, documents: rows, ids: await idsOf(db, principal, filter, MAX_ALL), ...(hits === undefined ? {} : { hits }) };
};

const withHits = (
  bodies: readonly PaperlessDocument[],
  documents: Found['documents'],
  hits: readonly Hit[] | undefined,
): PaperlessDocument[] => {
  const ranks = new Map(hits?.map(({ id, score }, rank) => [id, { score, rank }]));
  return bodies.map((body, n) => {
    const hit = ranks.get(documents[n]?.id ?? '');
    return hit === undefined ? body : { ...body, __search_hit__: { ...hit, highlights: '', note_highlights: '' } };
  });
};

export const list = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: `${PAPERLESS_PREFIX}/documents`,
    access: 'documents.read',
    summary: 'List documents',
    query: anyQuery,
    status: 200,
    response: pageBody(paperlessDocument),
    handle: async ({ query, principal, context }) => {
      const page = readPage(query, MAX_PAGE_SIZE);
      const { count, ids, documents, hits } = await find(db, principal, query, page);
      const bodies = withHits(await presentDocuments(db, principal, documents, readShown(query)), documents, hits);
      const all = ids.slice(0, MAX_ALL);
      const numberOf = await numbersOf(
        db,
        all.map((id) => ({ kind: 'document', id })),
      );
      const listed = { count, all: all.map((id) => numberOf('document', id)), results: bodies };
      return toPage(listed, page, { path: '/documents', query, context });
    },
  });
