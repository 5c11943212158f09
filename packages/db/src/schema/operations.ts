import type { ComponentHealth } from '@sheaf/contract/operations';
import { BACKUP_FINDINGS, BACKUP_PROBLEMS, BACKUP_RUN_KINDS, BACKUP_RUN_STATES } from '@sheaf/vocabulary/backups';
import { HEALTH_STATUSES } from '@sheaf/vocabulary/health';
import { bigint, boolean, check, desc, index, integer, jsonb, pgTable, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { createdAt, refersTo, timestamptz, updatedAt } from './columns.ts';
import { users } from './users.ts';

/** What was found when a stored original was last read again; no finding: its bytes have this hash. */
export const storedFileChecks = pgTable(
  'stored_file_checks',
  {
    sha256: text('sha256').primaryKey(),
    checkedAt: timestamptz('checked_at').notNull(),
    finding: text('finding', { enum: ['missing', 'changed', 'unreadable'] }),
    foundAt: timestamptz('found_at'),
  },
  (t) => [
    check('stored_file_checks_sha256_check', sql`${t.sha256} ~ '^[0-9a-f]{64}$'`),
    check('stored_file_checks_finding_check', sql`${t.finding} in ('missing', 'changed', 'unreadable')`),
    check('stored_file_checks_check', sql`(${t.foundAt} is null) = (${t.finding} is null)`),
    index('stored_file_checks_oldest').on(t.checkedAt),
    index('stored_file_checks_findings').on(t.foundAt).where(sql`${t.finding} is not null`),
  ],
);
export type StoredFileCheck = typeof storedFileChecks.$inferSelect;

/** Backups and verifications that were asked for in the interface. */
export const backupRuns = pgTable(
  'backup_runs',
  {
    id: uuid('id').primaryKey(),
    kind: text('kind', { enum: BACKUP_RUN_KINDS }).notNull(),
    state: text('state', { enum: BACKUP_RUN_STATES }).notNull().default('queued'),
    backupName: text('backup_name'),
    finding: text('finding', { enum: BACKUP_FINDINGS }),
    requestedBy: refersTo('requested_by', () => users.id),
    /** The API key that the request came with; it stays when the key is deleted. */
    requestedKeyId: uuid('requested_key_id'),
    phase: text('phase'),
    files: bigint('files', { mode: 'number' }).notNull().default(0),
    totalFiles: bigint('total_files', { mode: 'number' }),
    bytes: bigint('bytes', { mode: 'number' }).notNull().default(0),
    totalBytes: bigint('total_bytes', { mode: 'number' }),
    fence: bigint('fence', { mode: 'number' }).notNull().default(0),
    leaseUntil: timestamptz('lease_until'),
    problem: text('problem', { enum: BACKUP_PROBLEMS }),
    error: text('error'),
    createdAt: createdAt(),
    startedAt: timestamptz('started_at'),
    finishedAt: timestamptz('finished_at'),
  },
  (t) => [
    check('backup_runs_kind_check', sql`${t.kind} in ('backup', 'verification')`),
    check('backup_runs_state_check', sql`${t.state} in ('queued', 'running', 'completed', 'failed')`),
    check('backup_runs_finding_check', sql`${t.finding} in ('ok', 'damaged')`),
    check('backup_runs_problem_check', sql`${t.problem} in ('interrupted', 'busy', 'failed')`),
    check('backup_runs_running_has_lease', sql`(${t.state} = 'running') = (${t.leaseUntil} is not null)`),
    check('backup_runs_failed_has_problem', sql`(${t.state} = 'failed') = (${t.problem} is not null)`),
    uniqueIndex('backup_runs_open_key').on(t.kind).where(sql`${t.state} in ('queued', 'running')`),
    index('backup_runs_kind_idx').on(t.kind, desc(t.createdAt), t.id),
    index('backup_runs_backup_name_idx').on(t.backupName, desc(t.finishedAt)).where(sql`${t.finding} is not null`),
    index('backup_runs_requested_by_idx').on(t.requestedBy),
  ],
);
export type BackupRun = typeof backupRuns.$inferSelect;

/** What is set while the service runs and is the same for every process. */
export const settings = pgTable('settings', {
  key: text('key').primaryKey(),
  value: jsonb('value').notNull(),
  updatedAt: updatedAt(),
  updatedBy: refersTo('updated_by', () => users.id),
});

/** What users have chosen; null where they have not. */
export const userSettings = pgTable(
  'user_settings',
  {
    userId: uuid('user_id')
      .primaryKey()
      .references(() => users.id, { onDelete: 'cascade' }),
    theme: text('theme', { enum: ['auto', 'light', 'dark'] }),
    language: text('language'),
    notificationsEnabled: boolean('notifications_enabled'),
    ocrDefaultLanguage: text('ocr_default_language'),
    itemsPerPage: integer('items_per_page'),
    updatedAt: updatedAt(),
  },
  (t) => [check('user_settings_items_per_page_check', sql`${t.itemsPerPage} between 1 and 100`)],
);
export type UserSettingsRow = typeof userSettings.$inferSelect;

/** Each running process keeps its row fresh; health is read from here. */
export const processes = pgTable(
  'processes',
  {
    id: uuid('id').primaryKey(),
    name: text('name').notNull(),
    pid: integer('pid').notNull(),
    host: text('host').notNull(),
    version: text('version').notNull(),
    configHash: text('config_hash').notNull(),
    probePort: integer('probe_port'),
    holdsLock: boolean('holds_lock').notNull().default(false),
    status: text('status', { enum: HEALTH_STATUSES }).notNull(),
    components: jsonb('components').$type<Record<string, ComponentHealth>>().notNull().default({}),
    facts: jsonb('facts').$type<Record<string, unknown>>().notNull().default({}),
    memoryBytes: bigint('memory_bytes', { mode: 'number' }).notNull(),
    startedAt: timestamptz('started_at').notNull(),
    seenAt: timestamptz('seen_at').notNull().defaultNow(),
  },
  (t) => [index('processes_seen_at_idx').on(t.seenAt)],
);
export type ProcessRow = typeof processes.$inferSelect;

/** The hosts of OCR workers and the languages that they recognise. */
export const ocrHosts = pgTable('ocr_hosts', {
  host: text('host').primaryKey(),
  languages: text('languages').array().notNull(),
  seenAt: timestamptz('seen_at').notNull().defaultNow(),
});

/** Which term the processes work in of which one works at a time. See Leadership. */
export const leaderships = pgTable('leaderships', {
  name: text('name').primaryKey(),
  term: bigint('term', { mode: 'number' }).notNull(),
  takenAt: timestamptz('taken_at').notNull().defaultNow(),
});
