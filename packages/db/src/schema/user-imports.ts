import type { ErrorReason } from '@sheaf/vocabulary/error-codes';
import { USER_IMPORT_STATES } from '@sheaf/vocabulary/imports';
import { bigint, check, index, integer, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts';
import { belongsTo, createdAt, refersTo, timestamptz } from './columns.ts';
import { users } from './users.ts';

/** Imports of users out of a list. */
export const userImports = pgTable(
  'user_imports',
  {
    id: uuid('id').primaryKey(),
    requestedBy: refersTo('requested_by', () => users.id),
    /** The API key that the request came with; it stays when the key is deleted. */
    requestedKeyId: uuid('requested_key_id'),
    /** From where it was requested, for the audit log. */
    address: text('address'),
    state: text('state', { enum: USER_IMPORT_STATES }).notNull().default('queued'),
    total: integer('total').notNull(),
    /** Entries that were handled, and those of them that made no user. */
    done: integer('done').notNull().default(0),
    skipped: integer('skipped').notNull().default(0),
    fence: bigint('fence', { mode: 'number' }).notNull().default(0),
    /** How often it was begun since the last entry that was handled. */
    attempts: integer('attempts').notNull().default(0),
    leaseUntil: timestamptz('lease_until'),
    /** When some of its entries were handled last: imports take turns. */
    lastTurnAt: timestamptz('last_turn_at').notNull().defaultNow(),
    error: text('error'),
    /** The reason of `error`, where it has one. */
    errorCode: text('error_code').$type<ErrorReason>(),
    createdAt: createdAt(),
    finishedAt: timestamptz('finished_at'),
  },
  (t) => [
    check('user_imports_state_check', sql`${t.state} in ('queued', 'running', 'completed', 'failed')`),
    index('user_imports_requested_by_idx').on(t.requestedBy).where(sql`${t.requestedBy} is not null`),
    index('user_imports_last_turn_at_idx').on(t.lastTurnAt).where(sql`${t.finishedAt} is null`),
  ],
);
export type UserImport = typeof userImports.$inferSelect;

/** One user of such a list, in its order. */
export const userImportEntries = pgTable(
  'user_import_entries',
  {
    importId: belongsTo('import_id', () => userImports.id),
    position: integer('position').notNull(),
    /** The entry as it was sent, encrypted because it may have a password; null once it was handled. */
    sealed: text('sealed'),
    userId: refersTo('user_id', () => users.id),
    /** Why no user was made, as JSON: text, because what was sent may have characters that `jsonb` refuses. */
    refusal: text('refusal'),
  },
  (t) => [
    primaryKey({ columns: [t.importId, t.position] }),
    index('user_import_entries_user_id_idx').on(t.userId).where(sql`${t.userId} is not null`),
  ],
);
