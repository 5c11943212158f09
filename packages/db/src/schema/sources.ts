import type { SourceSettings } from '@sheaf/contract/sources';
import { SOURCE_FILE_STATES } from '@sheaf/vocabulary/documents';
import { RUN_STATES, RUN_TRIGGERS, SOURCE_PROBLEMS, SOURCE_TYPES } from '@sheaf/vocabulary/sources';
import { bigint, boolean, check, desc, index, integer, jsonb, pgTable, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { belongsTo, createdAt, refersTo, timestamptz, updatedAt } from './columns.ts';
import { documents } from './documents.ts';
import { users } from './users.ts';

/** What people say of a source. */
const FIELDS = {
  name: text('name').notNull(),
  url: text('url'),
  username: text('username'),
  sealedSecret: text('sealed_secret'),
  settings: jsonb('settings').$type<SourceSettings>().notNull().default({}),
  syncIntervalSeconds: integer('sync_interval_seconds').notNull(),
  isRecursive: boolean('is_recursive').notNull().default(true),
  filePatterns: text('file_patterns').array().notNull().default(['*']),
  isEnabled: boolean('is_enabled').notNull().default(true),
};

/** Places that files are fetched from. */
export const sources = pgTable(
  'sources',
  {
    id: uuid('id').primaryKey(),
    ownerId: belongsTo('owner_id', () => users.id),
    type: text('type', { enum: SOURCE_TYPES }).notNull(),
    ...FIELDS,
    lastSyncAt: timestamptz('last_sync_at'),
    nextSyncAt: timestamptz('next_sync_at'),
    failures: integer('failures').notNull().default(0),
    lastError: text('last_error'),
    lastErrorCode: text('last_error_code', { enum: SOURCE_PROBLEMS }),
    isReachable: boolean('is_reachable'),
    checkMessage: text('check_message'),
    checkCode: text('check_code', { enum: SOURCE_PROBLEMS }),
    checkedAt: timestamptz('checked_at'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    check('sources_sync_interval_seconds_check', sql`${t.syncIntervalSeconds} >= 0`),
    index('sources_owner_id_idx').on(t.ownerId, desc(t.createdAt), t.id),
    index('sources_next_sync_at_idx').on(t.nextSyncAt).where(sql`${t.isEnabled} and ${t.nextSyncAt} is not null`),
  ],
);
export type Source = typeof sources.$inferSelect;
/** What people say of a source. */
export type SourceFields = Pick<Source, keyof typeof FIELDS>;

/** One pass over a source. */
export const syncRuns = pgTable(
  'sync_runs',
  {
    id: uuid('id').primaryKey(),
    sourceId: belongsTo('source_id', () => sources.id),
    state: text('state', { enum: RUN_STATES }).notNull().default('queued'),
    trigger: text('trigger', { enum: RUN_TRIGGERS }).notNull(),
    requestedBy: refersTo('requested_by', () => users.id),
    cancelRequestedAt: timestamptz('cancel_requested_at'),
    processed: integer('processed').notNull().default(0),
    total: integer('total').notNull().default(0),
    added: integer('added').notNull().default(0),
    updated: integer('updated').notNull().default(0),
    moved: integer('moved').notNull().default(0),
    removed: integer('removed').notNull().default(0),
    skipped: integer('skipped').notNull().default(0),
    failed: integer('failed').notNull().default(0),
    bytes: bigint('bytes', { mode: 'number' }).notNull().default(0),
    currentFile: text('current_file'),
    error: text('error'),
    errorCode: text('error_code', { enum: SOURCE_PROBLEMS }),
    createdAt: createdAt(),
    startedAt: timestamptz('started_at'),
    finishedAt: timestamptz('finished_at'),
  },
  (t) => [
    uniqueIndex('sync_runs_open_key').on(t.sourceId).where(sql`${t.state} in ('queued', 'running')`),
    index('sync_runs_source_id_idx').on(t.sourceId, desc(t.createdAt), t.id),
  ],
);
export type SyncRun = typeof syncRuns.$inferSelect;

/** What is known of each file of a source. */
export const sourceFiles = pgTable(
  'source_files',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    sourceId: belongsTo('source_id', () => sources.id),
    path: text('path').notNull(),
    etag: text('etag'),
    sizeBytes: bigint('size_bytes', { mode: 'number' }),
    modifiedAt: timestamptz('modified_at'),
    sha256: text('sha256'),
    state: text('state', { enum: SOURCE_FILE_STATES }).notNull(),
    documentId: refersTo('document_id', () => documents.id),
    attempts: integer('attempts').notNull().default(0),
    nextAttemptAt: timestamptz('next_attempt_at'),
    removedAt: timestamptz('removed_at'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    uniqueIndex('source_files_path_key').on(t.sourceId, t.path),
    index('source_files_sha256_idx').on(t.sourceId, t.sha256).where(sql`${t.sha256} is not null`),
    index('source_files_document_id_idx').on(t.documentId).where(sql`${t.documentId} is not null`),
  ],
);
export type SourceFile = typeof sourceFiles.$inferSelect;
