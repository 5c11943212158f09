import { DOCUMENT_STATUSES, INGEST_ROUTES, PAGE_ORIGINS } from '@sheaf/vocabulary/documents';
import {
  bigint,
  boolean,
  check,
  customType,
  date,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  real,
  smallint,
  sql,
  text,
  unique,
  uniqueIndex,
  uuid,
} from '../drizzle.ts';
import { belongsTo, createdAt, refersTo, timestamptz, updatedAt } from './columns.ts';
import { users } from './users.ts';

/** How many documents there are, but for what still waits in `documentTallyDeltas`. */
export const documentTallies = pgTable(
  'document_tallies',
  {
    /** Documents with this label; null: all documents. */
    labelId: uuid('label_id'),
    /** The first day of a month in UTC; null: all months. */
    month: date('month'),
    ownerId: uuid('owner_id').notNull(),
    status: text('status').notNull(),
    sourceId: uuid('source_id'),
    documents: integer('documents').notNull(),
  },
  (t) => [unique('document_tallies_key').on(t.labelId, t.month, t.ownerId, t.status, t.sourceId).nullsNotDistinct()],
);

/** What triggers append for each document and each label that comes, changes or goes. */
export const documentTallyDeltas = pgTable('document_tally_deltas', {
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  labelId: uuid('label_id'),
  month: date('month').notNull(),
  ownerId: uuid('owner_id').notNull(),
  status: text('status').notNull(),
  sourceId: uuid('source_id'),
  documents: integer('documents').notNull(),
});

export const documentNotes = pgTable(
  'document_notes',
  {
    id: uuid('id').primaryKey(),
    documentId: belongsTo('document_id', () => documentIds.id),
    /** Null once the author is gone: what was noted stays. */
    authorId: refersTo('author_id', () => users.id),
    text: text('text').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    check('document_notes_text_check', sql`char_length(${t.text}) between 1 and 10000`),
    index('document_notes_document_id_idx').on(t.documentId, t.createdAt, t.id),
    index('document_notes_author_id_idx').on(t.authorId).where(sql`${t.authorId} is not null`),
  ],
);

/** Who documents are from. */
export const correspondents = pgTable(
  'correspondents',
  {
    id: uuid('id').primaryKey(),
    name: text('name').notNull(),
    aliases: text('aliases').array().notNull().default([]),
    ibans: text('ibans').array().notNull().default([]),
    vatIds: text('vat_ids').array().notNull().default([]),
    /** Of e-mail and web addresses. */
    domains: text('domains').array().notNull().default([]),
    /** In which order the numbers of its dates stand, learnt from what people confirmed. */
    dateOrder: text('date_order', { enum: ['day_first', 'month_first', 'year_first'] }),
    createdBy: refersTo('created_by', () => users.id),
    createdAt: createdAt(),
    /** The name in the order of people. */
    nameKey: text('name_key').notNull().generatedAlwaysAs(sql`name`),
  },
  (t) => [
    check('correspondents_name_check', sql`char_length(${t.name}) between 1 and 200`),
    check('correspondents_date_order_check', sql`${t.dateOrder} in ('day_first', 'month_first', 'year_first')`),
    index('correspondents_name_idx').on(sql`lower(${t.name})`, t.createdBy),
    index('correspondents_plain_name_idx').using('gin', sql`sheaf_plain(sheaf_words(${t.name})) gin_trgm_ops`),
    index('correspondents_created_by_idx').on(t.createdBy).where(sql`${t.createdBy} is not null`),
  ],
);
export type Correspondent = typeof correspondents.$inferSelect;

/** What documents are: invoices, contracts, letters. */
export const documentTypes = pgTable(
  'document_types',
  {
    id: uuid('id').primaryKey(),
    name: text('name').notNull(),
    createdBy: refersTo('created_by', () => users.id),
    createdAt: createdAt(),
    /** The name in the order of people. */
    nameKey: text('name_key').notNull().generatedAlwaysAs(sql`name`),
  },
  (t) => [
    check('document_types_name_check', sql`char_length(${t.name}) between 1 and 100`),
    index('document_types_name_idx').on(sql`lower(${t.name})`, t.createdBy),
    index('document_types_plain_name_idx').using('gin', sql`sheaf_plain(sheaf_words(${t.name})) gin_trgm_ops`),
    index('document_types_created_by_idx').on(t.createdBy).where(sql`${t.createdBy} is not null`),
  ],
);
export type DocumentType = typeof documentTypes.$inferSelect;

export const bytea = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' });

/**
 * The ids of documents, in the library or in the trash. What hangs on a document refers to it here, and stays where it is when the document
 * goes to the trash. Triggers keep it: an id is there as long as a row of `documents` or `trashed_documents` has it.
 */
export const documentIds = pgTable('document_ids', { id: uuid('id').primaryKey() });

/** What is known of a document itself, in the library and in the trash. */
export const documentColumns = () => ({
  id: uuid('id')
    .primaryKey()
    .references(() => documentIds.id, { onDelete: 'cascade' }),
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
  /** Whether its owner has told an app of Paperless-ngx that the processing was seen. */
  isTaskAcknowledged: boolean('is_task_acknowledged').notNull().default(false),
  /** What its text was found to be in, as a code of tesseract; null where it is not plain. */
  language: text('language'),
  /** What scanned pages of it are in though no OCR worker can read that language. */
  missingLanguage: text('missing_language'),
  ocrConfidence: real('ocr_confidence'),
  pageCount: integer('page_count'),
  contentExcerpt: text('content_excerpt').notNull().default(''),
  source: text('source', { enum: INGEST_ROUTES }).notNull(),
  sourceId: uuid('source_id'),
  /** Since when the file that it came from is gone at the source. */
  sourceRemovedAt: timestamptz('source_removed_at'),
  /** How many rows of document_notes are about it. */
  notesCount: integer('notes_count').notNull().default(0),
  /** Whether a row of document_einvoices is about it. */
  hasEinvoice: boolean('has_einvoice').notNull().default(false),
  /** Whether its file has digital signatures. */
  isSigned: boolean('is_signed').notNull().default(false),
  /** The day that the document bears, as YYYY-MM-DD. */
  documentDate: date('document_date', { mode: 'string' }),
  /** Under which its paper is filed. */
  archiveNumber: integer('archive_number'),
  correspondentId: refersTo('correspondent_id', () => correspondents.id),
  documentTypeId: refersTo('document_type_id', () => documentTypes.id),
  /** Names of the fields that a person has set, which nothing else changes. */
  confirmedFields: text('confirmed_fields').array().notNull().default([]),
  /** When facts were last looked for in its text; null where they were not. */
  factsFoundAt: timestamptz('facts_found_at'),
  /** FACTS_VERSION of who looked for them; null where they were not, or by a version without a number. */
  factsVersion: smallint('facts_version'),
  /** The id that it had in the system that it was imported from, such as paperless:123. */
  importedFrom: text('imported_from'),
  /** Counts its files: one more with each that takes the place of another. */
  version: integer('version').notNull().default(1),
  /** When the file that it has now came; null: with the document. */
  versionCreatedAt: timestamptz('version_created_at'),
  metadata: jsonb('metadata').$type<Record<string, unknown>>().notNull().default({}),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
  completedAt: timestamptz('completed_at'),
  /** Since when rules are to be applied to it; null: they are not. */
  rulesDueAt: timestamptz('rules_due_at'),
});

/** Narrow on purpose: lists read this table and never the text. */
export const documents = pgTable(
  'documents',
  {
    ...documentColumns(),
    /** Their names, which triggers copy, for lists to sort by. */
    correspondentKey: text('correspondent_key'),
    documentTypeKey: text('document_type_key'),
    /** What lists sort by: in the order of people, and no longer than an index can hold. */
    titleKey: text('title_key').notNull().generatedAlwaysAs(sql`left(title, 200)`),
    filenameKey: text('filename_key').notNull().generatedAlwaysAs(sql`left(filename, 200)`),
  },
  (t) => [
    unique('documents_owner_sha256_key').on(t.ownerId, t.sha256),
    check('documents_version_check', sql`${t.version} > 0`),
    check('documents_archive_number_check', sql`${t.archiveNumber} > 0`),
    uniqueIndex('documents_archive_number_key').on(t.ownerId, t.archiveNumber).where(sql`${t.archiveNumber} is not null`),
    check('documents_failed_has_reason', sql`${t.status} <> 'failed' or ${t.errorCode} is not null`),
    // The migration has each include what lists filter by, which drizzle cannot say.
    index('documents_by_created_at_idx').on(t.createdAt, t.id),
    index('documents_by_updated_at_idx').on(t.updatedAt, t.id),
    index('documents_by_title_idx').on(t.titleKey, t.id),
    index('documents_by_filename_idx').on(t.filenameKey, t.id),
    index('documents_by_size_idx').on(t.sizeBytes, t.id),
    index('documents_by_status_idx').on(t.status, t.id),
    index('documents_by_mime_type_idx').on(t.mimeType, t.id),
    index('documents_by_ocr_confidence_idx').on(t.ocrConfidence.asc().nullsFirst(), t.id),
    index('documents_by_document_date_idx').on(t.documentDate.asc().nullsFirst(), t.id),
    index('documents_by_archive_number_idx').on(t.archiveNumber.asc().nullsFirst(), t.id),
    index('documents_by_correspondent_idx').on(t.correspondentKey.asc().nullsFirst(), t.id),
    index('documents_by_document_type_idx').on(t.documentTypeKey.asc().nullsFirst(), t.id),
    index('documents_own_by_created_at_idx').on(t.ownerId, t.createdAt, t.id),
    index('documents_own_by_updated_at_idx').on(t.ownerId, t.updatedAt, t.id),
    index('documents_own_by_title_idx').on(t.ownerId, t.titleKey, t.id),
    index('documents_own_by_filename_idx').on(t.ownerId, t.filenameKey, t.id),
    index('documents_own_by_size_idx').on(t.ownerId, t.sizeBytes, t.id),
    index('documents_own_by_status_idx').on(t.ownerId, t.status, t.id),
    index('documents_own_by_mime_type_idx').on(t.ownerId, t.mimeType, t.id),
    index('documents_own_by_ocr_confidence_idx').on(t.ownerId, t.ocrConfidence.asc().nullsFirst(), t.id),
    index('documents_own_by_document_date_idx').on(t.ownerId, t.documentDate.asc().nullsFirst(), t.id),
    index('documents_own_by_archive_number_idx').on(t.ownerId, t.archiveNumber.asc().nullsFirst(), t.id),
    index('documents_own_by_correspondent_idx').on(t.ownerId, t.correspondentKey.asc().nullsFirst(), t.id),
    index('documents_own_by_document_type_idx').on(t.ownerId, t.documentTypeKey.asc().nullsFirst(), t.id),
    index('documents_correspondent_id_idx').on(t.correspondentId, t.createdAt, t.id).where(sql`${t.correspondentId} is not null`),
    index('documents_document_type_id_idx').on(t.documentTypeId, t.createdAt, t.id).where(sql`${t.documentTypeId} is not null`),
    index('documents_source_id_idx').on(t.sourceId, t.createdAt, t.id).where(sql`${t.sourceId} is not null`),
    index('documents_sha256_idx').on(t.sha256),
    index('documents_figures_idx').on(t.ownerId, t.mimeType, t.source),
    index('documents_completed_at_idx').on(t.completedAt).where(sql`${t.status} = 'completed'`),
    index('documents_rules_due_at_idx').on(t.rulesDueAt).where(sql`${t.rulesDueAt} is not null`),
    index('documents_plain_title_idx').using('gin', sql`sheaf_plain(${t.title}) gin_trgm_ops`),
    index('documents_plain_filename_idx').using('gin', sql`sheaf_plain(${t.filename}) gin_trgm_ops`),
    index('documents_missing_language_idx').on(t.missingLanguage).where(sql`${t.missingLanguage} is not null`),
    index('documents_language_idx').on(t.language, t.createdAt, t.id),
    index('documents_owner_language_idx').on(t.ownerId, t.completedAt.desc().nullsFirst()).where(sql`${t.language} is not null`),
    index('documents_imported_from_idx').on(t.importedFrom).where(sql`${t.importedFrom} is not null`),
    index('documents_metadata_idx').using('gin', t.metadata),
  ],
);
export type Document = typeof documents.$inferSelect;

/** One row a page that has been read; a retry goes on with the pages that are not here. */
export const documentPages = pgTable(
  'document_pages',
  {
    documentId: belongsTo('document_id', () => documentIds.id),
    page: integer('page').notNull(),
    content: text('content').notNull(),
    confidence: real('confidence').notNull(),
    origin: text('origin', { enum: PAGE_ORIGINS }).notNull(),
    error: text('error'),
    isStale: boolean('is_stale').notNull().default(false),
    /** Where the words of `content` stand, for `decodePageWords`; null where nothing is known of it. */
    words: bytea('words'),
    /** What `content` was found to be in, as a code of tesseract. */
    language: text('language'),
  },
  (t) => [primaryKey({ columns: [t.documentId, t.page] })],
);
export type DocumentPage = typeof documentPages.$inferSelect;

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
