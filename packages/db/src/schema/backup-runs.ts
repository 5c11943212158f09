import { BACKUP_FINDINGS, BACKUP_PROBLEMS, BACKUP_RUN_KINDS, BACKUP_RUN_STATES } from '@sheaf/vocabulary/backups';
import { bigint, check, desc, index, pgTable, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { createdAt, refersTo, timestamptz } from './columns.ts';
import { users } from './users.ts';

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
