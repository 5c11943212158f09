import type { Db } from '@sheaf/db';
import { type Asker, type Cut, type CutRequest, documentsFor, makeKeyset, type Position, toCut } from '@sheaf/db';
import { and, asc, desc, isNull, type SQL, sql } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import { DEFAULT_PER_PAGE } from '@sheaf/vocabulary/limits';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import type { DocumentSortField } from '@sheaf/vocabulary/sort-fields';
import { type DocumentFilter, labelsOf, matchesFilter } from './document-filter.ts';
import { type Tallied, tallied } from './document-tallies.ts';
import { type LabelledDocument, labelNames } from './documents.ts';

export interface OrderedFilter extends DocumentFilter {
  readonly sort: DocumentSortField;
  readonly order: 'asc' | 'desc';
}

export interface DocumentListRequest extends OrderedFilter {
  readonly page: number;
  readonly perPage: number;
}

/** What people may sort by, and nothing else. Each has an index of its own that ends with the id. */
const SORT_KEYS = {
  created_at: documents.createdAt,
  updated_at: documents.updatedAt,
  title: documents.titleKey,
  filename: documents.filenameKey,
  size: documents.sizeBytes,
  status: documents.status,
  mime_type: documents.mimeType,
  ocr_confidence: documents.ocrConfidence,
  document_date: documents.documentDate,
  archive_number: documents.archiveNumber,
  correspondent: documents.correspondentKey,
  document_type: documents.documentTypeKey,
} as const satisfies Record<DocumentSortField, unknown>;

/** What a document may be without. Choice: that stands below any value. */
const MAY_BE_MISSING: ReadonlySet<DocumentSortField> = new Set([
  'ocr_confidence',
  'document_date',
  'archive_number',
  'correspondent',
  'document_type',
]);

/** From here on a page is far: it pays to gather the documents of a label before the walk to it. */
const FAR_OFFSET = 1_000;

const offsetOf = ({ page, perPage }: DocumentListRequest): number => (page - 1) * perPage;

const orderOf = ({ sort, order }: Pick<OrderedFilter, 'sort' | 'order'>): SQL[] => {
  const [key, id] = order === 'asc' ? [asc(SORT_KEYS[sort]), asc(documents.id)] : [desc(SORT_KEYS[sort]), desc(documents.id)];
  if (MAY_BE_MISSING.has(sort)) return [order === 'asc' ? sql`${key} nulls first` : sql`${key} nulls last`, id];
  // the id makes the order total, so that no row stands on two pages
  return [key, id];
};

const matches = (principal: Asker, request: DocumentFilter, isFar: boolean): SQL | undefined =>
  and(documentsFor(principal, 'documents.read'), matchesFilter(principal, request, isFar));

const counted = (principal: Principal, request: DocumentFilter): SQL =>
  sql`(select count(*)::int from documents where ${matches(principal, request, false)})`;

const monthOf = (time: Date, months = 0): Date => new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + months));
const isMonth = (time: Date): boolean => monthOf(time).getTime() === time.getTime();
const toDay = (month: Date): string => month.toISOString().slice(0, 10);

/** Whole months from the tallies, and what is before and behind them one by one. */
const countedByMonths = (principal: Principal, request: DocumentListRequest, by: Tallied): SQL => {
  const { from, before } = request;
  const firstMonth = from && (isMonth(from) ? from : monthOf(from, 1));
  const lastMonth = before && monthOf(before);
  if (firstMonth !== undefined && lastMonth !== undefined && firstMonth >= lastMonth) return counted(principal, request);
  const parts = [tallied(principal, { ...by, months: { from: firstMonth && toDay(firstMonth), before: lastMonth && toDay(lastMonth) } })];
  if (from !== undefined && !isMonth(from)) parts.push(counted(principal, { ...request, before: firstMonth }));
  if (before !== undefined && !isMonth(before)) parts.push(counted(principal, { ...request, from: lastMonth }));
  return sql.join(parts, sql` + `);
};

const makeReader = (db: Db) =>
  db
    .select({ document: documents, labels: labelNames })
    .from(documents)
    .where(sql`${documents.id} = any(${sql.placeholder('ids')}::uuid[])`)
    // planned once a connection: planning takes longer than reading 20 rows (0.32 ms against 0.12)
    .prepare('documents_by_id');

const readers = new WeakMap<Db, ReturnType<typeof makeReader>>();

/** The documents with these ids, in no order. */
const readLabelled = async (db: Db, ids: readonly string[]): Promise<LabelledDocument[]> => {
  const reader = readers.get(db) ?? makeReader(db);
  readers.set(db, reader);
  return (await reader.execute({ ids })).map(({ document, labels }) => ({ ...document, labels }));
};

/** The documents with these ids, which the caller may read, in their order; one may have been deleted meanwhile. */
export const readInOrder = async (db: Db, ids: readonly string[]): Promise<LabelledDocument[]> => {
  if (ids.length === 0) return [];
  const found = new Map((await readLabelled(db, ids)).map((row) => [row.id, row]));
  return ids.flatMap((id) => found.get(id) ?? []);
};

/** Where several labels are all that is asked for, the table of documents has nothing to add: 2.2 ms against 3.9. */
const countedByLabels = (first: string, others: readonly string[]): SQL =>
  sql`(select count(*)::int from document_labels where label_id = ${first}::uuid and ${sql.join(
    others.map(
      (labelId) =>
        sql`exists (select from document_labels other where other.document_id = document_labels.document_id and other.label_id = ${labelId}::uuid)`,
    ),
    sql` and `,
  )})`;

/** Whether nothing is asked for that the tallies do not know. */
const isTallied = ({ mimeTypes = [], correspondentIds = [], documentTypeIds = [], ...filter }: DocumentFilter): boolean =>
  [mimeTypes, correspondentIds, documentTypeIds].every((wanted) => wanted.length === 0) &&
  [filter.language, filter.ownerId, filter.hasLabels, filter.hasCorrespondent, filter.hasDocumentType, filter.hasSimilar].every(
    (value) => value === undefined,
  ) &&
  [filter.documentDateFrom, filter.documentDateTo, filter.archiveNumber, filter.importedFrom, filter.fields, filter.further].every(
    (value) => value === undefined,
  );

/** How many documents match, as an SQL expression: by the tallies, or one by one where several labels meet. */
const totalOf = (principal: Principal, request: DocumentListRequest): SQL => {
  const { status, sourceId, from, before } = request;
  if (!isTallied(request)) return counted(principal, request);
  const isDated = from !== undefined || before !== undefined;
  const [labelId, ...others] = labelsOf(request);
  if (labelId !== undefined && others.length > 0) {
    const isAll = scopeOf(principal.permissions, 'documents.read') === 'all';
    return isAll && !isDated && status === undefined && sourceId === undefined && request.labelMatch === 'all'
      ? countedByLabels(labelId, others)
      : counted(principal, request);
  }
  const by = { labelId, status, sourceId };
  return isDated ? countedByMonths(principal, request, by) : tallied(principal, by);
};

interface FoundPage extends Record<string, unknown> {
  readonly total: number;
  readonly ids: readonly string[] | null;
}

interface PageParts {
  readonly matching: SQL | undefined;
  readonly total: SQL;
  readonly limit: number | SQL;
  readonly offset: number | SQL;
}

/** How many match, and the ids of one page of them, out of an index alone. A page beyond the last one is not looked for. */
const pageStatement = (request: Pick<OrderedFilter, 'sort' | 'order'>, { matching, total, limit, offset }: PageParts): SQL => {
  const ids = sql`array(
    select documents.id from documents where ${matching}
    order by ${sql.join(orderOf(request), sql`, `)} limit ${limit} offset ${offset})`;
  // `offset 0` keeps PostgreSQL from counting twice
  return sql`select total, case when total > ${offset}::bigint then ${ids} end as ids from (select ${total} as total offset 0) as counted`;
};

const isPlain = (request: DocumentFilter): boolean =>
  isTallied(request) &&
  labelsOf(request).length === 0 &&
  [request.status, request.sourceId, request.from, request.before].every((value) => value === undefined);

const isFirstLook = (request: DocumentListRequest): boolean =>
  request.page === 1 && request.perPage === DEFAULT_PER_PAGE && isPlain(request);

const makeFirstLook = (db: Db, { permissions }: Principal, request: DocumentListRequest) => {
  const asker: Asker = { permissions, userId: sql.placeholder('user') };
  const page = pageStatement(request, {
    matching: documentsFor(asker, 'documents.read'),
    total: tallied(asker, {}),
    limit: sql.raw(String(DEFAULT_PER_PAGE)),
    offset: sql.raw('0'),
  });
  return db
    .select({ total: sql<number>`page.total`, document: documents, labels: labelNames })
    .from(sql`(${page}) as page`)
    .leftJoin(documents, sql`documents.id = any(page.ids)`)
    .orderBy(...orderOf(request))
    .prepare(`documents_page_${scopeOf(permissions, 'documents.read')}_${request.sort}_${request.order}`);
};

type FirstLook = ReturnType<typeof makeFirstLook>;
const firstLooks = new WeakMap<Db, Map<string, FirstLook>>();

/**
 * The first page of all documents, which is what most people look at most of the time, in one statement that is made once for each
 * order and planned once a connection: for the others, planning takes longer than finding. With a place for the limit PostgreSQL would
 * plan each time, as it does not know how many are wanted; and a plan for each limit is more than a connection should keep.
 */
const firstLook = (db: Db, principal: Principal, request: DocumentListRequest): FirstLook => {
  const known = firstLooks.get(db) ?? new Map<string, FirstLook>();
  firstLooks.set(db, known);
  const name = `${scopeOf(principal.permissions, 'documents.read')} ${request.sort} ${request.order}`;
  const look = known.get(name) ?? makeFirstLook(db, principal, request);
  known.set(name, look);
  return look;
};

const findPage = async (db: Db, principal: Principal, request: DocumentListRequest): Promise<FoundPage> => {
  const [limit, offset] = [request.perPage, offsetOf(request)];
  const matching = matches(principal, request, offset >= FAR_OFFSET);
  const { rows } = await db.execute<FoundPage>(pageStatement(request, { matching, total: totalOf(principal, request), limit, offset }));
  return rows[0] ?? { total: 0, ids: null };
};

/** One page of the documents that `principal` may read, and how many there are in all. Never reads text. */
export const listDocuments = async (
  db: Db,
  principal: Principal,
  request: DocumentListRequest,
): Promise<{ rows: LabelledDocument[]; total: number }> => {
  if (isFirstLook(request)) {
    const found = await firstLook(db, principal, request).execute({ user: principal.userId });
    const rows = found.flatMap(({ document, labels }) => (document === null ? [] : [{ ...document, labels }]));
    return { rows, total: found[0]?.total ?? 0 };
  }
  const { total, ids } = await findPage(db, principal, request);
  return { rows: await readInOrder(db, ids ?? []), total };
};

const POSITION_TYPES = {
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
  title: 'text',
  filename: 'text',
  size: 'bigint',
  status: 'text',
  mime_type: 'text',
  ocr_confidence: 'real',
  document_date: 'date',
  archive_number: 'integer',
  correspondent: 'text',
  document_type: 'text',
} as const satisfies Record<DocumentSortField, unknown>;

interface FoundPlace extends Record<string, unknown> {
  readonly id: string;
  readonly position: Position;
}

/** Ids and positions of documents with a value to sort by, behind `after` where that has one. */
const placesWith = (principal: Principal, request: OrderedFilter & CutRequest): SQL => {
  const { sort, order, after, limit } = request;
  const key = SORT_KEYS[sort];
  const keyset = makeKeyset(order, [
    { by: key, type: POSITION_TYPES[sort], hasNullsLowest: MAY_BE_MISSING.has(sort) },
    { by: documents.id, type: 'uuid' },
  ]);
  const behind = after?.[0] === null ? undefined : keyset.behind(after);
  const nulls = MAY_BE_MISSING.has(sort) ? sql`${key} is not null` : undefined;
  return sql`select documents.id, ${keyset.position} as position from documents
    where ${and(matches(principal, request, false), nulls, behind)} order by ${keyset.order} limit ${limit + 1}`;
};

/** The same of documents without a value, which stand below any. */
const placesWithout = (principal: Principal, request: OrderedFilter & CutRequest): SQL => {
  const { sort, order, after, limit } = request;
  const keyset = makeKeyset(order, [{ by: documents.id, type: 'uuid' }]);
  const behind = after?.[0] === null ? keyset.behind(after.slice(1)) : undefined;
  return sql`select documents.id, array[null, documents.id::text] as position from documents
    where ${and(matches(principal, request, false), isNull(SORT_KEYS[sort]), behind)} order by ${keyset.order} limit ${limit + 1}`;
};

/**
 * The statements that find the places of a cut, one behind the other. Where the value may be missing, the two parts are two walks
 * through its index, as a condition that holds for both would have to begin at the first row each time.
 */
const placesOf = (principal: Principal, request: OrderedFilter & CutRequest): SQL[] => {
  if (!MAY_BE_MISSING.has(request.sort)) return [placesWith(principal, request)];
  const isIn = request.after === undefined ? undefined : request.after[0] === null ? 'without' : 'with';
  return request.order === 'asc'
    ? [...(isIn === 'with' ? [] : [placesWithout(principal, request)]), placesWith(principal, request)]
    : [...(isIn === 'without' ? [] : [placesWith(principal, request)]), placesWithout(principal, request)];
};

/** The documents that `principal` may read behind `after`, at most `limit`. Reads neither text nor what stands before them. */
export const listDocumentsAfter = async (
  db: Db,
  principal: Principal,
  request: OrderedFilter & CutRequest,
): Promise<Cut<LabelledDocument>> => {
  const places: FoundPlace[] = [];
  for (const statement of placesOf(principal, request))
    if (places.length <= request.limit) places.push(...(await db.execute<FoundPlace>(statement)).rows);
  const { rows: ids, next } = toCut(places, request.limit, ({ id }) => id);
  return { rows: await readInOrder(db, ids), next };
};
