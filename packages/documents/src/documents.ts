import { documentNotFound } from '@sheaf/contract';
import { type Db, documentsFor, ownedBy, preparedByScope } from '@sheaf/db';
import { and, asc, count, eq, type SQL, sql } from '@sheaf/db/drizzle';
import { type Document, documents } from '@sheaf/db/schema';
import type { DocumentStatus, IngestRoute } from '@sheaf/vocabulary/documents';
import { CHANNELS } from '@sheaf/vocabulary/events';
import { type Action, type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import type { ChangedColumns } from './document-fields.ts';
import { type DocumentFilter, matching } from './document-filter.ts';
import { wholeText } from './document-pages.ts';
import { fieldTakenBy, requireFreeFields } from './unique-fields.ts';

/** The document of `ownerId` with these bytes, its row and its job locked until the end of the transaction. */
export const lockDocumentByHash = async (tx: Db, ownerId: string, sha256: string): Promise<Document | undefined> => {
  // The job first, as its reader takes them: the other way round the two could wait for each other.
  await tx.execute(sql`
    select 1 from ocr_jobs join documents on documents.id = document_id
    where documents.owner_id = ${ownerId} and documents.sha256 = ${sha256} for no key update of ocr_jobs`);
  return (
    await tx
      .select()
      .from(documents)
      .where(and(eq(documents.ownerId, ownerId), eq(documents.sha256, sha256)))
      .for('update')
  )[0];
};

/** A document with the names of its labels. */
export type LabelledDocument = Document & { readonly labels: readonly string[] };

// Written with plain names: in a query of one table drizzle leaves the table's name off its columns, and `id` would mean the label's.
export const labelNames = sql<string[]>`array(
  select labels.name from document_labels join labels on labels.id = document_labels.label_id
  where document_labels.document_id = documents.id order by lower(labels.name))`;

const readerOf = preparedByScope((db, scope) =>
  db
    .select({
      document: documents,
      labels: labelNames,
      content: wholeText(sql`documents.id`),
    })
    .from(documents)
    .where(and(eq(documents.id, sql.placeholder('id')), ownedBy(scope, sql.placeholder('user'), documents.ownerId)))
    // planned once a connection: planning takes longer than reading the rows
    .prepare(`whole_document_${scope}`),
);

/** The document with its whole text, pages parted by a form feed, if `principal` may read it. Throws DOCUMENT_NOT_FOUND otherwise. */
export const readWholeDocument = async (
  db: Db,
  principal: Principal,
  id: string,
): Promise<LabelledDocument & { readonly content: string }> => {
  const reader = readerOf(db, scopeOf(principal.permissions, 'documents.read'));
  const [row] = await reader.execute({ id, user: principal.userId });
  if (row === undefined) throw documentNotFound(id);
  return { ...row.document, labels: row.labels, content: row.content };
};

const rowReaderOf = preparedByScope((db, scope) =>
  db
    .select({ document: documents, labels: labelNames })
    .from(documents)
    .where(and(eq(documents.id, sql.placeholder('id')), ownedBy(scope, sql.placeholder('user'), documents.ownerId)))
    .prepare(`document_${scope}`),
);

/** The document, if `principal` may read it. Throws DOCUMENT_NOT_FOUND otherwise. */
export const getDocument = async (db: Db, principal: Principal, id: string): Promise<LabelledDocument> => {
  const reader = rowReaderOf(db, scopeOf(principal.permissions, 'documents.read'));
  const [row] = await reader.execute({ id, user: principal.userId });
  if (row === undefined) throw documentNotFound(id);
  return { ...row.document, labels: row.labels };
};

/** Deletes the row with everything that hangs on it. */
export const deleteDocument = (tx: Db, id: string): Promise<void> => deleteDocuments(tx, [id]);

/** What people may change of a document's row. */
export type DocumentChanges = Partial<Pick<Document, 'title' | 'metadata' | 'correspondentId' | 'documentTypeId'>> & ChangedColumns;

/**
 * Changes the row, and says that it was changed even where no field of the row itself was. Who is no person leaves alone the fields
 * among `confirmedFields` of the row, and confirms none. Throws ARCHIVE_NUMBER_TAKEN where a document of the same owner has the number, or
 * one that `reader` may read: of others nobody learns anything.
 */
export const updateDocument = async (tx: Db, id: string, changes: DocumentChanges, reader?: Principal): Promise<void> => {
  if (reader !== undefined) await requireFreeFields(tx, reader, changes, id);
  try {
    await tx
      .update(documents)
      .set({ ...changes, updatedAt: sql`now()` })
      .where(eq(documents.id, id));
  } catch (error) {
    throw fieldTakenBy(error, changes) ?? error;
  }
};

/** The row, locked until the end of the transaction against others who would change it. Throws DOCUMENT_NOT_FOUND. */
export const lockDocument = async (tx: Db, id: string): Promise<Document> => {
  const [row] = await tx.select().from(documents).where(eq(documents.id, id)).for('no key update');
  if (row === undefined) throw documentNotFound(id);
  return row;
};

/** How many documents of each status came in by each route, whoever owns them. Reads all of them: 0.2 s for a million. */
export const countDocumentsByRouteAndStatus = (db: Db): Promise<{ route: IngestRoute; status: DocumentStatus; documents: number }[]> =>
  db
    .select({ route: documents.source, status: documents.status, documents: count() })
    .from(documents)
    .groupBy(documents.source, documents.status);

/** The documents an action is for: these, or all that match. */
export type Selection = { readonly ids: readonly string[] } | { readonly filter: DocumentFilter };

/** A document of a selection, and whether the caller may act on it. */
export interface SelectedDocument {
  readonly id: string;
  readonly ownerId: string;
  readonly title: string;
  readonly filename: string;
  readonly sizeBytes: number;
  readonly createdAt: Date;
  readonly sha256: string;
  readonly status: DocumentStatus;
  readonly isAllowed: boolean;
}

const oneOf = (ids: readonly string[]): SQL => sql`${documents.id} = any(${sql.param([...ids])}::uuid[])`;

const isSelected = (principal: Principal, selection: Selection): SQL | undefined =>
  'ids' in selection ? and(documentsFor(principal, 'documents.read'), oneOf(selection.ids)) : matching(principal, selection.filter);

const fieldsFor = (principal: Principal, action: Action) => ({
  id: documents.id,
  ownerId: documents.ownerId,
  title: documents.title,
  filename: documents.filename,
  sizeBytes: documents.sizeBytes,
  createdAt: documents.createdAt,
  sha256: documents.sha256,
  status: documents.status,
  isAllowed: sql<boolean>`(${documentsFor(principal, action)})`,
});

/** The documents of `selection` that `principal` may read, at most `limit`, and whether they may do `action` on each. */
export const findSelected = (
  db: Db,
  principal: Principal,
  action: Action,
  selection: Selection,
  limit: number,
): Promise<SelectedDocument[]> =>
  db.select(fieldsFor(principal, action)).from(documents).where(isSelected(principal, selection)).limit(limit);

/**
 * What is to happen to the rows that are locked: `change` alone, `read` again, which changes their jobs too, `replace` their files, which
 * are part of their keys, or `delete`.
 */
export type LockPurpose = 'change' | 'read' | 'replace' | 'delete';

/**
 * Those of the documents `ids` that are still in `selection`, locked until the end of the transaction, with their jobs where
 * these change too. Jobs go before documents, as their readers take them, and both in the order of the documents' ids: so
 * nobody waits in a circle.
 */
export const lockSelected = async (
  tx: Db,
  principal: Principal,
  action: Action,
  selection: Selection,
  { ids, purpose }: { readonly ids: readonly string[]; readonly purpose: LockPurpose },
): Promise<SelectedDocument[]> => {
  if (purpose !== 'change')
    await tx.execute(
      sql`select 1 from ocr_jobs where document_id = any(${sql.param([...ids])}::uuid[]) order by document_id for no key update`,
    );
  return tx
    .select(fieldsFor(principal, action))
    .from(documents)
    .where(and(oneOf(ids), isSelected(principal, selection)))
    .orderBy(asc(documents.id))
    .for(purpose === 'delete' || purpose === 'replace' ? 'update' : 'no key update');
};

/** Deletes the rows with everything that hangs on them. Lock them first, with their jobs. */
export const deleteDocuments = async (tx: Db, ids: readonly string[]): Promise<void> => {
  await tx.delete(documents).where(oneOf(ids));
  // a worker that is reading one finds its job gone, and is told to look
  await tx.execute(sql`select pg_notify(${CHANNELS.leases}, '')`);
};

/** Says that something about these documents was changed now. */
export const touchDocuments = async (tx: Db, ids: readonly string[]): Promise<void> => {
  await tx.update(documents).set({ updatedAt: sql`now()` }).where(oneOf(ids));
};
