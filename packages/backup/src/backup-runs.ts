import { codedError } from '@sheaf/contract';
import { makeProblem } from '@sheaf/contract/operations';
import type { Db } from '@sheaf/db';
import { and, desc, eq, inArray, lt, sql } from '@sheaf/db/drizzle';
import { type BackupRun, backupRuns } from '@sheaf/db/schema';
import { FILES_IN_BACKUP_LOCK } from '@sheaf/documents';
import { FatalError, uuidv7 } from '@sheaf/process';
import type { BackupFinding, BackupProblem, BackupRunKind } from '@sheaf/vocabulary/backups';
import { CHANNELS } from '@sheaf/vocabulary/events';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { Client } from 'pg';
import { z } from 'zod';

/** One backup at a time ("shk" in hexadecimal). */
export const ONE_BACKUP_LOCK = [0x73_68_6b, 2] as const;

/**
 * Takes the locks of a backup, or of a restore, for as long as the connection lives: that it is the only one, and that nobody removes stored files.
 * Waits for those who are removing some now. Throws a FatalError with exit code 69 where another backup runs, and with 78 on a standby,
 * whose locks those who remove files do not see.
 */
export const takeBackupLocks = async (client: Client): Promise<void> => {
  const server = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
  if (server.rows[0]?.standby === true) throw new FatalError(makeProblem('backup_on_standby'), EXIT.configuration);
  const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1, $2) as held', [...ONE_BACKUP_LOCK]);
  if (rows[0]?.held !== true) throw new FatalError(makeProblem('backup_running'), EXIT.replicaRuns);
  await client.query('select pg_advisory_lock($1, $2)', [...FILES_IN_BACKUP_LOCK]);
};

/** A process that runs something says so more often than this; after it, the run counts as interrupted. */
const LEASE_SECONDS = 30;

const leaseEnd = sql`now() + ${LEASE_SECONDS} * interval '1 second'`;

export interface RunRequest {
  readonly kind: BackupRunKind;
  /** What is to be verified. */
  readonly backupName: string | null;
  readonly requestedBy: string;
  /** The API key of the request; null where there is none. */
  readonly requestedKeyId: string | null;
}

/** Asks for a run. Throws BACKUP_RUNNING while one of its kind waits or runs. */
export const requestBackupRun = async (tx: Db, request: RunRequest): Promise<BackupRun> => {
  const [run] = await tx
    .insert(backupRuns)
    .values({ id: uuidv7(), ...request })
    .onConflictDoNothing({ target: backupRuns.kind, where: sql`state in ('queued', 'running')` })
    .returning();
  if (run === undefined) throw codedError('DUPLICATE_RESOURCE', 'BACKUP_RUNNING', {});
  await tx.execute(sql`select pg_notify(${CHANNELS.requests}, 'backup')`);
  return run;
};

/** Takes the run that waits longest, for as long as it is renewed; undefined where none waits or one runs. */
export const claimBackupRun = async (db: Db): Promise<BackupRun | undefined> => {
  const [run] = await db
    .update(backupRuns)
    .set({ state: 'running', startedAt: sql`now()`, leaseUntil: leaseEnd, fence: sql`fence + 1` })
    .where(
      sql`id = (select id from backup_runs where state = 'queued' and not exists (select from backup_runs where state = 'running')
        order by created_at, id limit 1 for update skip locked)`,
    )
    .returning();
  return run;
};

const isMine = ({ id, fence }: BackupRun) => and(eq(backupRuns.id, id), eq(backupRuns.fence, fence), eq(backupRuns.state, 'running'));

/** Keeps a run, and writes how far it has come where that is known. False where it was lost: somebody has ended it. */
export const renewBackupRun = async (db: Db, run: BackupRun, progress: RunProgress | undefined): Promise<boolean> =>
  (
    await db
      .update(backupRuns)
      .set({ ...progress, leaseUntil: leaseEnd })
      .where(isMine(run))
      .returning({ id: backupRuns.id })
  ).length > 0;

/** How a run ended. */
export type BackupRunEnd =
  | { readonly state: 'completed'; readonly backupName: string; readonly finding: BackupFinding | null; readonly error: string | null }
  | { readonly state: 'failed'; readonly problem: BackupProblem; readonly error: string | null };

/** Ends a run; false where it was lost. */
export const endBackupRun = async (tx: Db, run: BackupRun, end: BackupRunEnd): Promise<boolean> =>
  (
    await tx
      .update(backupRuns)
      .set({ ...end, leaseUntil: null, finishedAt: sql`now()` })
      .where(isMine(run))
      .returning({ id: backupRuns.id })
  ).length > 0;

/** Ends the runs whose process is gone, and returns them. */
export const endInterruptedRuns = (tx: Db): Promise<BackupRun[]> =>
  tx
    .update(backupRuns)
    .set({ state: 'failed', problem: 'interrupted', leaseUntil: null, finishedAt: sql`now()`, fence: sql`fence + 1` })
    .where(and(eq(backupRuns.state, 'running'), lt(backupRuns.leaseUntil, sql`now()`)))
    .returning();

/** The newest run of a kind, whatever became of it. */
export const findLastBackupRun = async (db: Db, kind: BackupRunKind): Promise<BackupRun | undefined> =>
  (
    await db.select().from(backupRuns).where(eq(backupRuns.kind, kind)).orderBy(desc(backupRuns.createdAt), desc(backupRuns.id)).limit(1)
  )[0];

/** What the last verification of a backup found. */
export interface BackupVerification {
  readonly backupName: string;
  readonly finding: BackupFinding;
  readonly verifiedAt: Date;
  readonly error: string | null;
}

/** The last verification of each of these backups that was verified, by name. */
export const findVerifications = async (db: Db, names: readonly string[]): Promise<ReadonlyMap<string, BackupVerification>> => {
  if (names.length === 0) return new Map();
  const rows = await db
    .selectDistinctOn([backupRuns.backupName], {
      backupName: sql<string>`backup_name`,
      finding: sql<BackupFinding>`finding`,
      verifiedAt: sql<Date>`finished_at`.mapWith(backupRuns.finishedAt),
      error: backupRuns.error,
    })
    .from(backupRuns)
    .where(and(inArray(backupRuns.backupName, [...names]), sql`finding is not null`))
    .orderBy(backupRuns.backupName, desc(backupRuns.finishedAt));
  return new Map(rows.map((row) => [row.backupName, row]));
};

/** Forgets the runs that ended before then. */
export const deleteBackupRunsBefore = async (db: Db, before: Date): Promise<void> => {
  await db.delete(backupRuns).where(lt(backupRuns.finishedAt, before));
};

/** Whether a backup or a restore of this database runs, whoever has started it. */
export const isBackupRunning = async (db: Db): Promise<boolean> => {
  const [space, key] = ONE_BACKUP_LOCK;
  const { rows } = await db.execute(sql`select from pg_locks
    where locktype = 'advisory' and granted and objsubid = 2 and classid = ${space}::int::oid and objid = ${key}::int::oid
      and database = (select oid from pg_database where datname = current_database())`);
  return rows.length > 0;
};

const count = z.int().min(0);

/** How far a run has come in its phase. */
const runProgress = z.object({
  type: z.literal('progress'),
  phase: z.string(),
  files: count,
  bytes: count,
  totalFiles: count.nullable(),
  totalBytes: count.nullable(),
});
export type RunProgress = Omit<z.infer<typeof runProgress>, 'type'>;

/** What the command line tool tells the process that has started it. How it failed is on its standard error. */
export const runMessage = z.discriminatedUnion('type', [
  runProgress,
  z.object({ type: z.literal('backed_up'), name: z.string() }),
  z.object({
    type: z.literal('verified'),
    differences: count,
    /** The first of them. */
    first: z.string().nullable(),
  }),
]);
export type RunMessage = z.infer<typeof runMessage>;
