import { type DocumentSortField, type DocumentStatus, type Principal, scopeOf } from '@sheaf/contract';
import { documentsFor } from '../access.ts';
import type { Db } from '../client.ts';
import { and, asc, desc, eq, gte, lt, type SQL, sql } from '../drizzle.ts';
import { documents } from '../schema/documents.ts';
import { type Tallied, tallied } from './document-tallies.ts';
import { type LabelledDocument, labelNames } from './documents.ts';

export interface DocumentListRequest {
  readonly page: number;
  readonly perPage: number;
  readonly sort: DocumentSortField;
  readonly order: 'asc' | 'desc';
  readonly status?: DocumentStatus | undefined;
  readonly sourceId?: string | undefined;
  /** Documents that carry every one of them. */
  readonly labelIds?: readonly string[] | undefined;
  readonly from?: Date | undefined;
  /** The first moment that is too late. */
  readonly before?: Date | undefined;
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
} as const satisfies Record<DocumentSortField, unknown>;

/** From here on a page is far: it pays to gather the documents of a label before the walk to it. */
const FAR_OFFSET = 1_000;

const offsetOf = ({ page, perPage }: DocumentListRequest): number => (page - 1) * perPage;

const orderOf = ({ sort, order }: DocumentListRequest): SQL[] => {
  const [key, id] = order === 'asc' ? [asc(SORT_KEYS[sort]), asc(documents.id)] : [desc(SORT_KEYS[sort]), desc(documents.id)];
  // Choice: what was not read yet comes below any confidence.
  if (sort === 'ocr_confidence') return [order === 'asc' ? sql`${key} nulls first` : sql`${key} nulls last`, id];
  // the id makes the order total, so that no row stands on two pages
  return [key, id];
};

/**
 * A near page is found by looking up the labels of each document on the way, or by sorting the documents of the label: the
 * planner sees which. On the way to a far page each look costs 2.5 µs against 0.3 µs for one into a table of hashes, and
 * `is true` keeps the planner from a join, after which it would have to sort.
 */
const carries = (labelId: string, isFar: boolean): SQL =>
  isFar
    ? sql`(documents.id in (select document_labels.document_id from document_labels where document_labels.label_id = ${labelId}::uuid)) is true`
    : sql`exists (select from document_labels where document_labels.document_id = documents.id and document_labels.label_id = ${labelId}::uuid)`;

const labelsOf = (request: DocumentListRequest): string[] => [...new Set(request.labelIds)];

const matches = (principal: Principal, request: DocumentListRequest): SQL | undefined =>
  and(
    documentsFor(principal, 'documents.read'),
    request.status === undefined ? undefined : eq(documents.status, request.status),
    request.sourceId === undefined ? undefined : eq(documents.sourceId, request.sourceId),
    request.from && gte(documents.createdAt, request.from),
    request.before && lt(documents.createdAt, request.before),
    ...labelsOf(request).map((labelId) => carries(labelId, offsetOf(request) >= FAR_OFFSET)),
  );

const counted = (principal: Principal, request: DocumentListRequest): SQL =>
  sql`(select count(*)::int from documents where ${matches(principal, { ...request, page: 1 })})`;

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

/** Where several labels are all that is asked for, the table of documents has nothing to add: 2.2 ms against 3.9. */
const countedByLabels = (first: string, others: readonly string[]): SQL =>
  sql`(select count(*)::int from document_labels where label_id = ${first}::uuid and ${sql.join(
    others.map(
      (labelId) =>
        sql`exists (select from document_labels other where other.document_id = document_labels.document_id and other.label_id = ${labelId}::uuid)`,
    ),
    sql` and `,
  )})`;

/** How many documents match, as an SQL expression: by the tallies, or one by one where several labels meet. */
const totalOf = (principal: Principal, request: DocumentListRequest): SQL => {
  const { status, sourceId, from, before } = request;
  const isDated = from !== undefined || before !== undefined;
  const [labelId, ...others] = labelsOf(request);
  if (labelId !== undefined && others.length > 0) {
    const isAll = scopeOf(principal.permissions, 'documents.read') === 'all';
    return isAll && !isDated && status === undefined && sourceId === undefined
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

/** How many match, and the ids of one page of them, out of an index alone. A page beyond the last one is not looked for. */
const findPage = async (db: Db, principal: Principal, request: DocumentListRequest): Promise<FoundPage> => {
  const offset = offsetOf(request);
  const ids = sql`array(
    select documents.id from documents where ${matches(principal, request)}
    order by ${sql.join(orderOf(request), sql`, `)} limit ${request.perPage} offset ${offset})`;
  // `offset 0` keeps PostgreSQL from counting twice
  const { rows } = await db.execute<FoundPage>(
    sql`select total, case when total > ${offset} then ${ids} end as ids from (select ${totalOf(principal, request)} as total offset 0) as counted`,
  );
  return rows[0] ?? { total: 0, ids: null };
};

/** One page of the documents that `principal` may read, and how many there are in all. Never reads text. */
export const listDocuments = async (
  db: Db,
  principal: Principal,
  request: DocumentListRequest,
): Promise<{ rows: LabelledDocument[]; total: number }> => {
  const { total, ids } = await findPage(db, principal, request);
  if (ids === null || ids.length === 0) return { rows: [], total };
  const found = new Map((await readLabelled(db, ids)).map((row) => [row.id, row]));
  // one may have been deleted meanwhile
  return { rows: ids.flatMap((id) => found.get(id) ?? []), total };
};
