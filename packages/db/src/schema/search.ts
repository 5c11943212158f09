import type { IngestRoute } from '@sheaf/vocabulary/documents';
import { bigint, boolean, customType, date, index, integer, pgTable, primaryKey, smallint, sql, text, uuid } from '../drizzle.ts';
import { belongsTo, timestamptz } from './columns.ts';
import { documentIds } from './documents.ts';

const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' });

/** How far the entries of documents were compared with what this version of them is, and renewed. */
export const searchRenewals = pgTable('search_renewals', {
  version: integer('version').primaryKey(),
  position: uuid('position'),
  compared: integer('compared').notNull().default(0),
  renewed: integer('renewed').notNull().default(0),
  finishedAt: timestamptz('finished_at'),
});

/** One row a searchable document; written by packages/search. What is no word, length or configuration is a copy that a trigger keeps. */
export const documentSearch = pgTable(
  'document_search',
  {
    documentId: uuid('document_id')
      .primaryKey()
      .references(() => documentIds.id, { onDelete: 'cascade' }),
    ownerId: uuid('owner_id').notNull(),
    createdAt: timestamptz('created_at').notNull(),
    length: integer('length').notNull(),
    isLong: boolean('is_long').notNull(),
    isTruncated: boolean('is_truncated').notNull(),
    configuration: text('configuration').notNull(),
    mimeType: text('mime_type').notNull(),
    words: tsvector('words').notNull(),
    source: text('source').$type<IngestRoute>().notNull(),
    language: text('language'),
    documentDate: date('document_date'),
    correspondentId: uuid('correspondent_id'),
    documentTypeId: uuid('document_type_id'),
    /** Its document is in the trash: it is no entry of any search, and counts for nothing. */
    isTrashed: boolean('is_trashed').notNull().default(false),
  },
  (t) => [
    index('document_search_words_idx').using('gin', t.words, t.ownerId),
    index('document_search_owner_id_idx').on(t.ownerId),
    index('document_search_strong_idx').using('gin', sql`sheaf_strong_words(${t.documentId}, ${t.words}, ${t.length})`, t.ownerId),
    index('document_search_slice_idx').on(sql`(uuid_hash(${t.documentId}) & 255)`),
  ],
);

/** The pages of documents with more than one, long pages in several parts. */
export const documentSearchParts = pgTable(
  'document_search_parts',
  {
    documentId: belongsTo('document_id', () => documentIds.id),
    part: integer('part').notNull(),
    page: integer('page').notNull(),
    start: integer('start').notNull(),
    isBorder: boolean('is_border').notNull(),
    words: tsvector('words').notNull(),
  },
  (t) => [primaryKey({ columns: [t.documentId, t.part] })],
);

/** In how many documents a word is, but for what still waits in `searchDeltas`. */
export const searchTerms = pgTable(
  'search_terms',
  {
    lexeme: text('lexeme').primaryKey(),
    documents: integer('documents').notNull(),
  },
  (t) => [
    index('search_terms_trigram_idx')
      .using('gist', sql`${t.lexeme} gist_trgm_ops (siglen = 32)`)
      .where(sql`char_length(${t.lexeme}) between 3 and 40`),
  ],
);

/** The same within the documents of each owner. */
export const searchOwnerTerms = pgTable(
  'search_owner_terms',
  {
    ownerId: uuid('owner_id').notNull(),
    lexeme: text('lexeme').notNull(),
    documents: integer('documents').notNull(),
  },
  (t) => [primaryKey({ columns: [t.ownerId, t.lexeme] })],
);

export const searchTotals = pgTable('search_totals', {
  configuration: text('configuration').primaryKey(),
  documents: bigint('documents', { mode: 'number' }).notNull(),
  length: bigint('length', { mode: 'number' }).notNull(),
});

export const searchOwnerTotals = pgTable(
  'search_owner_totals',
  {
    ownerId: uuid('owner_id').notNull(),
    configuration: text('configuration').notNull(),
    documents: bigint('documents', { mode: 'number' }).notNull(),
    length: bigint('length', { mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.ownerId, t.configuration] })],
);

/** What each written or deleted search entry changes in the statistics, until it is folded into them. */
export const searchDeltas = pgTable('search_deltas', {
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  sign: smallint('sign').notNull(),
  /** Null in what was written before owners were counted, and is in their statistics already. */
  ownerId: uuid('owner_id'),
  configuration: text('configuration').notNull(),
  length: integer('length').notNull(),
  lexemes: tsvector('lexemes').notNull(),
});
