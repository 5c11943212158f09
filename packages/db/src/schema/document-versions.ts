import { INGEST_ROUTES, PAGE_ORIGINS } from '@sheaf/vocabulary/documents';
import { bigint, check, foreignKey, index, integer, pgTable, primaryKey, real, sql, text, uuid } from '../drizzle.ts';
import { belongsTo, timestamptz } from './columns.ts';
import { bytea, documentIds } from './documents.ts';

/** The files that a document had before the one that it has now, one row each. */
export const documentVersions = pgTable(
  'document_versions',
  {
    documentId: belongsTo('document_id', () => documentIds.id),
    version: integer('version').notNull(),
    filename: text('filename').notNull(),
    mimeType: text('mime_type').notNull(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
    sha256: text('sha256').notNull(),
    filePath: text('file_path').notNull(),
    pageCount: integer('page_count'),
    ocrLanguage: text('ocr_language').notNull(),
    ocrConfidence: real('ocr_confidence'),
    language: text('language'),
    source: text('source', { enum: INGEST_ROUTES }).notNull(),
    sourceId: uuid('source_id'),
    /** When its file came. */
    createdAt: timestamptz('created_at').notNull(),
    /** When a newer one took its place. */
    replacedAt: timestamptz('replaced_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.documentId, t.version] }),
    check('document_versions_version_check', sql`${t.version} > 0`),
    index('document_versions_sha256_idx').on(t.sha256),
  ],
);
export type DocumentVersion = typeof documentVersions.$inferSelect;

/** The pages of an earlier version, as `document_pages` had them. */
export const documentVersionPages = pgTable(
  'document_version_pages',
  {
    documentId: uuid('document_id').notNull(),
    version: integer('version').notNull(),
    page: integer('page').notNull(),
    content: text('content').notNull(),
    confidence: real('confidence').notNull(),
    origin: text('origin', { enum: PAGE_ORIGINS }).notNull(),
    error: text('error'),
    words: bytea('words'),
    language: text('language'),
  },
  (t) => [
    primaryKey({ columns: [t.documentId, t.version, t.page] }),
    foreignKey({
      name: 'document_version_pages_version_fkey',
      columns: [t.documentId, t.version],
      foreignColumns: [documentVersions.documentId, documentVersions.version],
    }).onDelete('cascade'),
  ],
);
