import { CHANNELS, type DocumentSortField, type DocumentStatus, documentNotFound, type IngestRoute, type Principal } from '@sheaf/contract';
import { uuidv7 } from '@sheaf/runtime';
import { documentsFor } from '../access.ts';
import type { Db } from '../client.ts';
import type { PgColumn } from '../drizzle.ts';
import { and, asc, count, desc, eq, gte, inArray, lte, type SQL, sql } from '../drizzle.ts';
import { type Document, documents } from '../schema/documents.ts';

export interface NewDocument {
  readonly ownerId: string;
  readonly title: string;
  readonly filename: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly filePath: string;
  readonly ocrEnabled: boolean;
  readonly ocrLanguage: string;
  readonly source: IngestRoute;
  readonly sourceId?: string | undefined;
}

/** Makes the row, or answers undefined when this owner already has a document with the same bytes. */
export const createDocument = async (tx: Db, fields: NewDocument): Promise<Document | undefined> =>
  (
    await tx
      .insert(documents)
      .values({ id: uuidv7(), ...fields })
      .onConflictDoNothing({ target: [documents.ownerId, documents.sha256] })
      .returning()
  )[0];

/** The document of `ownerId` with these bytes, its row locked until the end of the transaction. */
export const lockDocumentByHash = async (tx: Db, ownerId: string, sha256: string): Promise<Document | undefined> =>
  (
    await tx
      .select()
      .from(documents)
      .where(and(eq(documents.ownerId, ownerId), eq(documents.sha256, sha256)))
      .for('update')
  )[0];

/** A document with the names of its labels. */
export type LabelledDocument = Document & { readonly labels: readonly string[] };

// Written with plain names: in a query of one table drizzle leaves the table's name off its columns, and `id` would mean the label's.
const labelNames = sql<string[]>`array(
  select labels.name from document_labels join labels on labels.id = document_labels.label_id
  where document_labels.document_id = documents.id order by lower(labels.name))`;

/** The document, if `principal` may read it. Throws DOCUMENT_NOT_FOUND otherwise. */
export const getDocument = async (db: Db, principal: Principal, id: string): Promise<LabelledDocument> => {
  const [row] = await db
    .select({ document: documents, labels: labelNames })
    .from(documents)
    .where(and(eq(documents.id, id), documentsFor(principal, 'documents.read')));
  if (row === undefined) throw documentNotFound(id);
  return { ...row.document, labels: row.labels };
};

/** The columns people may sort by, and by nothing else. */
const SORT_COLUMNS = {
  created_at: documents.createdAt,
  updated_at: documents.updatedAt,
  title: documents.title,
  filename: documents.filename,
  size: documents.sizeBytes,
  status: documents.status,
  mime_type: documents.mimeType,
  ocr_confidence: documents.ocrConfidence,
} as const satisfies Record<DocumentSortField, PgColumn>;

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
  readonly to?: Date | undefined;
}

const matches = (principal: Principal, request: DocumentListRequest): SQL | undefined =>
  and(
    documentsFor(principal, 'documents.read'),
    request.status === undefined ? undefined : eq(documents.status, request.status),
    request.sourceId === undefined ? undefined : eq(documents.sourceId, request.sourceId),
    request.from && gte(documents.createdAt, request.from),
    request.to && lte(documents.createdAt, request.to),
    ...(request.labelIds ?? []).map(
      (labelId) =>
        sql`exists (select from document_labels where document_labels.document_id = documents.id and document_labels.label_id = ${labelId})`,
    ),
  );

/** One page of the documents that `principal` may read, and how many there are in all. Never reads text. */
export const listDocuments = async (
  db: Db,
  principal: Principal,
  request: DocumentListRequest,
): Promise<{ rows: LabelledDocument[]; total: number }> => {
  const where = matches(principal, request);
  const column = SORT_COLUMNS[request.sort];
  const direction = request.order === 'asc' ? asc : desc;
  const [rows, [counted]] = await Promise.all([
    db
      .select({ document: documents, labels: labelNames })
      .from(documents)
      .where(where)
      // the id makes the order total, so that no row stands on two pages
      .orderBy(direction(column), asc(documents.id))
      .limit(request.perPage)
      .offset((request.page - 1) * request.perPage),
    db.select({ total: count() }).from(documents).where(where),
  ]);
  return { rows: rows.map((row) => ({ ...row.document, labels: row.labels })), total: counted?.total ?? 0 };
};

/** How many documents there are, whoever owns them. For counts without names only. */
export const countDocuments = async (db: Db): Promise<number> => (await db.select({ total: count() }).from(documents))[0]?.total ?? 0;

/** Deletes the row with everything that hangs on it. */
export const deleteDocument = async (tx: Db, id: string): Promise<void> => {
  await tx.delete(documents).where(eq(documents.id, id));
  // a worker that is reading it finds its job gone, and is told to look
  await tx.execute(sql`select pg_notify(${CHANNELS.leases}, ${id})`);
};

/** Whether `principal` may do `action` on this document. */
export const mayOnDocument = async (
  db: Db,
  principal: Principal,
  action: 'documents.update' | 'documents.delete',
  id: string,
): Promise<boolean> =>
  (
    await db
      .select({ id: documents.id })
      .from(documents)
      .where(and(eq(documents.id, id), documentsFor(principal, action)))
  ).length > 0;

/** Those of `hashes` that some document refers to. */
export const referencedHashes = async (db: Db, hashes: readonly string[]): Promise<Set<string>> => {
  if (hashes.length === 0) return new Set();
  const rows = await db
    .selectDistinct({ sha256: documents.sha256 })
    .from(documents)
    .where(inArray(documents.sha256, [...hashes]));
  return new Set(rows.map((row) => row.sha256));
};
