import { INGEST_ROUTES, TRASH_REASONS } from '@sheaf/vocabulary/documents';
import { bigint, check, index, integer, jsonb, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts';
import { belongsTo, refersTo, timestamptz } from './columns.ts';
import { users } from './users.ts';

/** Documents in the trash. They have no row in `documents`, so that nothing but the trash can show, find, count or change them. */
export const trashedDocuments = pgTable(
  'trashed_documents',
  {
    /** The document's, which it gets back. */
    id: uuid('id').primaryKey(),
    ownerId: uuid('owner_id')
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
    title: text('title').notNull(),
    filename: text('filename').notNull(),
    mimeType: text('mime_type').notNull(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
    sha256: text('sha256').notNull(),
    pageCount: integer('page_count'),
    source: text('source', { enum: INGEST_ROUTES }).notNull(),
    sourceId: uuid('source_id'),
    createdAt: timestamptz('created_at').notNull(),
    trashedAt: timestamptz('trashed_at').notNull().defaultNow(),
    /** Null: it went because its file was gone at its source, or the user is gone. */
    trashedBy: refersTo('trashed_by', () => users.id),
    reason: text('reason', { enum: TRASH_REASONS }).notNull(),
  },
  (t) => [
    check('trashed_documents_reason_check', sql`${t.reason} in ('deleted', 'source_file_removed')`),
    index('trashed_documents_trashed_at_idx').on(t.trashedAt, t.id),
    index('trashed_documents_owner_idx').on(t.ownerId, t.trashedAt, t.id),
    index('trashed_documents_owner_sha256_idx').on(t.ownerId, t.sha256),
  ],
);
export type TrashedDocument = typeof trashedDocuments.$inferSelect;

/** The rows of a document in the trash, as they were, their columns by their names. */
export const trashedRows = pgTable(
  'trashed_rows',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    documentId: belongsTo('document_id', () => trashedDocuments.id),
    tableName: text('table_name').notNull(),
    content: jsonb('content').$type<Record<string, unknown>>().notNull(),
  },
  (t) => [index('trashed_rows_document_id_idx').on(t.documentId, t.id)],
);

/** The stored files of a document in the trash: its own and those of its earlier versions. */
export const trashedFiles = pgTable(
  'trashed_files',
  {
    documentId: belongsTo('document_id', () => trashedDocuments.id),
    version: integer('version').notNull(),
    sha256: text('sha256').notNull(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
    filePath: text('file_path').notNull(),
  },
  (t) => [primaryKey({ columns: [t.documentId, t.version] }), index('trashed_files_sha256_idx').on(t.sha256)],
);
