import { DOCUMENT_STATUSES, INGEST_ROUTES, PAGE_ORIGINS } from '@sheaf/contract';
import {
  bigint,
  boolean,
  check,
  desc,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  real,
  sql,
  text,
  timestamp,
  unique,
  uuid,
} from '../drizzle.ts';
import { users } from './users.ts';

/** Narrow on purpose: lists read this table and never the text. */
export const documents = pgTable(
  'documents',
  {
    id: uuid('id').primaryKey(),
    ownerId: uuid('owner_id')
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
    title: text('title').notNull(),
    filename: text('filename').notNull(),
    mimeType: text('mime_type').notNull(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
    sha256: text('sha256').notNull(),
    filePath: text('file_path').notNull(),
    status: text('status', { enum: DOCUMENT_STATUSES }).notNull().default('pending'),
    errorCode: text('error_code'),
    errorMessage: text('error_message'),
    needsAttention: boolean('needs_attention').notNull().default(false),
    ocrEnabled: boolean('ocr_enabled').notNull().default(true),
    ocrLanguage: text('ocr_language').notNull(),
    ocrConfidence: real('ocr_confidence'),
    pageCount: integer('page_count'),
    contentExcerpt: text('content_excerpt').notNull().default(''),
    source: text('source', { enum: INGEST_ROUTES }).notNull(),
    sourceId: uuid('source_id'),
    metadata: jsonb('metadata').$type<Record<string, unknown>>().notNull().default({}),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
    completedAt: timestamp('completed_at', { withTimezone: true }),
  },
  (t) => [
    unique('documents_owner_sha256_key').on(t.ownerId, t.sha256),
    check('documents_failed_has_reason', sql`${t.status} <> 'failed' or ${t.errorCode} is not null`),
    index('documents_created_at_idx').on(desc(t.createdAt), t.id),
    index('documents_owner_created_at_idx').on(t.ownerId, desc(t.createdAt), t.id),
    index('documents_sha256_idx').on(t.sha256),
    index('documents_status_idx').on(t.status).where(sql`${t.status} <> 'completed'`),
  ],
);
export type Document = typeof documents.$inferSelect;

/** One row a page that has been read; a retry goes on with the pages that are not here. */
export const documentPages = pgTable(
  'document_pages',
  {
    documentId: uuid('document_id')
      .notNull()
      .references(() => documents.id, { onDelete: 'cascade' }),
    page: integer('page').notNull(),
    content: text('content').notNull(),
    confidence: real('confidence').notNull(),
    origin: text('origin', { enum: PAGE_ORIGINS }).notNull(),
    error: text('error'),
    isStale: boolean('is_stale').notNull().default(false),
  },
  (t) => [primaryKey({ columns: [t.documentId, t.page] })],
);
export type DocumentPage = typeof documentPages.$inferSelect;
