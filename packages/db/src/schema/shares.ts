import { bigint, boolean, check, index, pgTable, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { belongsTo, createdAt, timestamptz } from './columns.ts';
import { documents } from './documents.ts';
import { savedSearches } from './saved-searches.ts';
import { users } from './users.ts';

/** Links by which people without an account see a document, or what a saved search finds. */
export const shares = pgTable(
  'shares',
  {
    id: uuid('id').primaryKey(),
    /** SHA-256 of the token: who reads the table cannot open the link. */
    tokenHash: text('token_hash').notNull(),
    createdBy: belongsTo('created_by', () => users.id),
    documentId: uuid('document_id').references(() => documents.id, { onDelete: 'cascade' }),
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
