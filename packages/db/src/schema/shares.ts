import { bigint, boolean, check, index, integer, jsonb, pgTable, primaryKey, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { belongsTo, createdAt, timestamptz, updatedAt } from './columns.ts';
import { documentIds } from './documents.ts';
import { users } from './users.ts';

/** Links by which people without an account see a document, or what a saved search finds. */
export const shares = pgTable(
  'shares',
  {
    id: uuid('id').primaryKey(),
    /** SHA-256 of the token: who reads the table cannot open the link. */
    tokenHash: text('token_hash').notNull(),
    createdBy: belongsTo('created_by', () => users.id),
    documentId: uuid('document_id').references(() => documentIds.id, { onDelete: 'cascade' }),
    savedSearchId: uuid('saved_search_id').references(() => savedSearches.id, { onDelete: 'cascade' }),
    passwordHash: text('password_hash'),
    allowDownload: boolean('allow_download').notNull(),
    expiresAt: timestamptz('expires_at').notNull(),
    revokedAt: timestamptz('revoked_at'),
    accessCount: bigint('access_count', { mode: 'number' }).notNull().default(0),
    firstAccessedAt: timestamptz('first_accessed_at'),
    lastAccessedAt: timestamptz('last_accessed_at'),
    createdAt: createdAt(),
  },
  (t) => [
    check('shares_subject_check', sql`num_nonnulls(${t.documentId}, ${t.savedSearchId}) = 1`),
    uniqueIndex('shares_token_hash_idx').on(t.tokenHash),
    index('shares_created_by_idx').on(t.createdBy, t.createdAt, t.id),
    index('shares_document_id_idx').on(t.documentId).where(sql`${t.documentId} is not null`),
    index('shares_saved_search_id_idx').on(t.savedSearchId).where(sql`${t.savedSearchId} is not null`),
    index('shares_expires_at_idx').on(t.expiresAt),
  ],
);

/** A condition of a saved view as Paperless-ngx has it. */
export interface ViewRule {
  readonly rule_type: number;
  readonly value: string | null;
}

/** Searches that people keep. */
export const savedSearches = pgTable(
  'saved_searches',
  {
    id: uuid('id').primaryKey(),
    ownerId: belongsTo('owner_id', () => users.id),
    name: text('name').notNull(),
    query: text('query').notNull().default(''),
    /** As the body of a search has them; what another version stored may have others. */
    filters: jsonb('filters').$type<Readonly<Record<string, unknown>>>().notNull().default({}),
    sort: text('sort').notNull(),
    order: text('sort_order', { enum: ['asc', 'desc'] }).notNull(),
    columns: text('columns').array().notNull().default([]),
    isShared: boolean('is_shared').notNull().default(false),
    /** The rules of a saved view as an app for Paperless-ngx sent them; null where there are none, or query or filters have changed since. */
    viewRules: jsonb('view_rules').$type<readonly ViewRule[]>(),
    /** The owner is notified of matching documents that were completed since; null: of none. */
    notifySince: timestamptz('notify_since'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    /** The name in the order of people. */
    nameKey: text('name_key').notNull().generatedAlwaysAs(sql`name`),
  },
  (t) => [
    check('saved_searches_name_check', sql`char_length(${t.name}) between 1 and 100`),
    check('saved_searches_query_check', sql`char_length(${t.query}) <= 2000`),
    check('saved_searches_filters_check', sql`char_length(${t.filters}::text) <= 20000`),
    check('saved_searches_view_rules_check', sql`char_length(${t.viewRules}::text) <= 100000`),
    check('saved_searches_sort_check', sql`char_length(${t.sort}) <= 100`),
    check('saved_searches_order_check', sql`${t.order} in ('asc', 'desc')`),
    check('saved_searches_columns_check', sql`cardinality(${t.columns}) <= 50`),
    index('saved_searches_owner_id_idx').on(t.ownerId),
    index('saved_searches_shared_idx').on(t.id).where(sql`${t.isShared}`),
    index('saved_searches_notify_idx').on(t.id).where(sql`${t.notifySince} is not null`),
  ],
);

/** Which searches stand in whose navigation: a pin is personal. */
export const savedSearchPins = pgTable(
  'saved_search_pins',
  {
    savedSearchId: belongsTo('saved_search_id', () => savedSearches.id),
    userId: belongsTo('user_id', () => users.id),
    position: integer('position').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.savedSearchId] }),
    check('saved_search_pins_position_check', sql`${t.position} >= 0`),
    index('saved_search_pins_saved_search_id_idx').on(t.savedSearchId),
  ],
);

/** Documents that can be searched for the first time, which a trigger puts here until it is known which saved searches they match. */
export const savedSearchCandidates = pgTable(
  'saved_search_candidates',
  {
    documentId: uuid('document_id')
      .primaryKey()
      .references(() => documentIds.id, { onDelete: 'cascade' }),
    completedAt: timestamptz('completed_at').notNull().defaultNow(),
  },
  (t) => [index('saved_search_candidates_completed_at_idx').on(t.completedAt, t.documentId)],
);
