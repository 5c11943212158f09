import type { ErrorReason } from '@sheaf/vocabulary/error-codes';
import { IMPORT_PHASES, IMPORT_STATES, USER_IMPORT_STATES } from '@sheaf/vocabulary/imports';
import { bigint, boolean, check, index, integer, jsonb, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts';
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

/** Imports of the archives of other systems. */
export const imports = pgTable(
  'imports',
  {
    id: uuid('id').primaryKey(),
    kind: text('kind').notNull(),
    /** What the other system is called here: its ids are told apart by it. */
    source: text('source').notNull(),
    /** Who gets what had no owner there. */
    ownerId: refersTo('owner_id', () => users.id),
    state: text('state', { enum: IMPORT_STATES }).notNull(),
    counts: jsonb('counts').$type<Readonly<Record<string, unknown>>>().notNull().default({}),
    /** What was not taken over, and why. */
    report: jsonb('report').$type<readonly unknown[]>().notNull().default([]),
    startedAt: timestamptz('started_at').notNull().defaultNow(),
    finishedAt: timestamptz('finished_at'),
    /** Who asked for it in the interface. */
    requestedBy: refersTo('requested_by', () => users.id),
    /** The API key that the request came with; it stays when the key is deleted. */
    requestedKeyId: uuid('requested_key_id'),
    isDryRun: boolean('is_dry_run').notNull().default(false),
    /** Folder or file on the server. Null: a ZIP file that was uploaded, or an import of the command line. */
    path: text('path'),
    /** Of a ZIP file that was uploaded. */
    filename: text('filename'),
    pattern: text('pattern'),
    hasPassphrase: boolean('has_passphrase').notNull().default(false),
    phase: text('phase', { enum: IMPORT_PHASES }),
    documentsDone: integer('documents_done').notNull().default(0),
    /** Null: it is not known before the end. */
    documentsTotal: integer('documents_total'),
    fence: bigint('fence', { mode: 'number' }).notNull().default(0),
    /** How often it was begun since the last document that was imported. */
    attempts: integer('attempts').notNull().default(0),
    leaseUntil: timestamptz('lease_until'),
    error: text('error'),
    /** The reason of `error`, where it has one. */
    errorCode: text('error_code').$type<ErrorReason>(),
    createdAt: createdAt(),
  },
  (t) => [
    check('imports_source_check', sql`char_length(${t.source}) between 1 and 50`),
    check('imports_state_check', sql`${t.state} in ('queued', 'running', 'completed', 'failed', 'cancelled')`),
    check('imports_phase_check', sql`${t.phase} in ('preparing', 'documents', 'finishing')`),
    index('imports_started_at_idx').on(t.startedAt, t.id),
    index('imports_owner_id_idx').on(t.ownerId).where(sql`${t.ownerId} is not null`),
    index('imports_requested_by_idx').on(t.requestedBy).where(sql`${t.requestedBy} is not null`),
  ],
);
export type Import = typeof imports.$inferSelect;

/** What an id of another system became here; written with the row itself, so that nothing is made twice. */
export const importItems = pgTable(
  'import_items',
  {
    kind: text('kind').notNull(),
    source: text('source').notNull(),
    model: text('model').notNull(),
    foreignId: text('foreign_id').notNull(),
    /** Stays when the row goes: what was deleted here is not brought back. */
    localId: uuid('local_id').notNull(),
    /** Whether it is a row that was here, not one that was made of it. */
    isJoined: boolean('is_joined').notNull().default(false),
    /** What shows that the id still means the same. */
    fingerprint: text('fingerprint'),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.kind, t.source, t.model, t.foreignId] })],
);
export type ImportItem = typeof importItems.$inferSelect;
