import { TRASH_REASONS } from '@sheaf/vocabulary/documents';
import { bigint, boolean, check, index, jsonb, pgTable, sql, text, uuid } from '../drizzle.ts';
import { belongsTo, refersTo, timestamptz } from './columns.ts';
import { documentColumns, documentIds } from './documents.ts';
import { customFields } from './filing.ts';
import { users } from './users.ts';

/**
 * Documents in the trash, each as its row in `documents` was. It has none there, so that nothing but the trash can show, find, count or
 * change it; what hangs on it stays where it is.
 */
export const trashedDocuments = pgTable(
  'trashed_documents',
  {
    ...documentColumns(),
    trashedAt: timestamptz('trashed_at').notNull().defaultNow(),
    /** Null: it went because its file was gone at its source, or the user is gone. */
    trashedBy: refersTo('trashed_by', () => users.id),
    reason: text('reason', { enum: TRASH_REASONS }).notNull(),
    /** Whether it could be searched: where its entry is gone by then, restoring it makes another one. */
    wasIndexed: boolean('was_indexed').notNull(),
    /** The row of its OCR job, its columns by their names, which nobody may take meanwhile; null where it has none. */
    job: jsonb('job').$type<Record<string, unknown>>(),
  },
  (t) => [
    check('trashed_documents_reason_check', sql`${t.reason} in ('deleted', 'source_file_removed')`),
    index('trashed_documents_trashed_at_idx').on(t.trashedAt, t.id),
    index('trashed_documents_owner_idx').on(t.ownerId, t.trashedAt, t.id),
    index('trashed_documents_owner_sha256_idx').on(t.ownerId, t.sha256),
    index('trashed_documents_sha256_idx').on(t.sha256),
    index('trashed_documents_correspondent_id_idx').on(t.correspondentId).where(sql`${t.correspondentId} is not null`),
    index('trashed_documents_document_type_id_idx').on(t.documentTypeId).where(sql`${t.documentTypeId} is not null`),
  ],
);
export type TrashedDocument = typeof trashedDocuments.$inferSelect;

/** Rows that forgot a document in the trash and know it again when it is restored: files that became it, and links to it. */
export const trashedReferences = pgTable(
  'trashed_references',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    documentId: belongsTo('document_id', () => trashedDocuments.id),
    kind: text('kind', { enum: ['ingest_ledger', 'source_files', 'link'] }).notNull(),
    /** Of the row in the table that `kind` names; null for a link. */
    rowId: text('row_id'),
    /** What the file had. */
    sha256: text('sha256'),
    /** The document that links to it, by which of its fields. */
    linkingId: uuid('linking_id').references(() => documentIds.id, { onDelete: 'cascade' }),
    fieldId: uuid('field_id').references(() => customFields.id, { onDelete: 'cascade' }),
  },
  (t) => [
    check('trashed_references_kind_check', sql`${t.kind} in ('ingest_ledger', 'source_files', 'link')`),
    check(
      'trashed_references_what_check',
      sql`case ${t.kind} when 'link' then num_nonnulls(${t.linkingId}, ${t.fieldId}) = 2 and ${t.rowId} is null else ${t.rowId} is not null end`,
    ),
    index('trashed_references_document_id_idx').on(t.documentId, t.id),
    index('trashed_references_linking_id_idx').on(t.linkingId).where(sql`${t.linkingId} is not null`),
    index('trashed_references_field_id_idx').on(t.fieldId).where(sql`${t.fieldId} is not null`),
  ],
);
