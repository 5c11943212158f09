import type { Db } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { recordEvents } from '@sheaf/events';
import { englishMessage } from '@sheaf/messages/english';
import { CHANNELS } from '@sheaf/vocabulary/events';
import { CLAIMED_COLUMNS, type ClaimedJob, type ClaimedRow, toClaimedJob } from './ocr-jobs.ts';

/** After so many crashes that nothing else can have caused, a document is not processed any more. */
const MAX_CRASHES = 2;

/** First key of the advisory lock of whoever recovers jobs ("shc" in hexadecimal). */
const RECOVERY_LOCK = 0x73_68_63;

/** What was found out about a job whose lease expired. */
export interface RecoveredJob {
  readonly documentId: string;
  /** Crashes that are put down to it, this one included. */
  readonly crashes: number;
  readonly isSuspect: boolean;
}

export interface Recovery {
  /** Jobs that are pending again. */
  readonly pending: readonly RecoveredJob[];
  /** Jobs that crashed too often, claimed for the caller, who fails them. */
  readonly poison: readonly ClaimedJob[];
}

interface RecoveredRow extends ClaimedRow {
  readonly status: 'pending' | 'processing';
  readonly owner_id: string;
}

const NOTHING: Recovery = { pending: [], poison: [] };

/**
 * A database that was away for a while lets every lease expire. Whoever still lives renews within the length of a lease, so until
 * then nobody is taken for dead.
 */
const isDatabaseSettled = (leaseMs: number): SQL => sql`pg_postmaster_start_time() < now() - ${leaseMs} * interval '1 millisecond'`;

const hasExpired = async (db: Db, leaseMs: number): Promise<boolean> =>
  (
    await db.execute(
      sql`select from ocr_jobs where status = 'processing' and lease_until < now() and ${isDatabaseSettled(leaseMs)} limit 1`,
    )
  ).rows.length > 0;

/**
 * Makes the jobs of workers that died pending again, behind those that wait and are as urgent. A worker has died when all its leases
 * have expired. If it had one file open, the crash is put down to that; if it had several, each of them is a suspect. An expired lease
 * of a worker that renewed another one since is no crash, and remains a try. `leaseMs` is the length of a lease.
 */
export const recoverJobs = async (db: Db, worker: string, leaseMs: number): Promise<Recovery> => {
  if (!(await hasExpired(db, leaseMs))) return NOTHING;
  return await db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ mine: boolean }>(sql`select pg_try_advisory_xact_lock(${RECOVERY_LOCK}, 0) as mine`);
    if (rows[0]?.mine !== true) return NOTHING;
    const jobs = await release(tx, worker, leaseMs);
    const pending = jobs.filter(({ status }) => status === 'pending');
    await announce(tx, pending);
    return {
      pending: pending.map((row) => ({ documentId: row.document_id, crashes: row.crashes, isSuspect: row.is_suspect })),
      poison: jobs.filter(({ status }) => status === 'processing').map((row) => toClaimedJob(row, worker)),
    };
  });
};

/** Of each expired job, what its worker was doing; not of those whose worker may still live. */
const JUDGED = (leaseMs: number): SQL => sql`
  judged as (
    select id, fence, is_dead, is_dead and processing_since is not null as was_open, crashes +
      (is_dead and processing_since is not null and opened = 1)::int as crashes
    from (
      select *, max(lease_until) over same < now() as is_dead, count(processing_since) over same as opened,
        max(lease_until) over same - ${leaseMs} * interval '1 millisecond' > lease_until as was_outlived
      from ocr_jobs where status = 'processing' window same as (partition by lease_by)
    ) held
    where lease_until < now() and (is_dead or was_outlived)
  )`;

const release = async (tx: Db, worker: string, leaseMs: number): Promise<readonly RecoveredRow[]> => {
  const { rows } = await tx.execute<RecoveredRow>(sql`
    with ${JUDGED(leaseMs)}, recovered as (
      update ocr_jobs set crashes = judged.crashes, is_suspect = is_suspect or judged.was_open,
        -- a crash that is put down to the document is a try of it, as is a lease that its worker let expire
        attempts = attempts - (judged.is_dead and judged.crashes = ocr_jobs.crashes and judged.crashes < ${MAX_CRASHES})::int,
        fence = ocr_jobs.fence + 1, processing_since = null, due_at = now(),
        spent_ms = spent_ms + (extract(epoch from lease_until - claimed_at) * 1000)::bigint,
        error_code = case when judged.crashes > ocr_jobs.crashes then 'reader_died' else error_code end,
        error_message = case when judged.crashes > ocr_jobs.crashes then ${englishMessage('failures.reader_died')} else error_message end,
        status = case when judged.crashes >= ${MAX_CRASHES} then 'processing' else 'pending' end,
        lease_by = case when judged.crashes >= ${MAX_CRASHES} then ${worker} end,
        lease_until = case when judged.crashes >= ${MAX_CRASHES} then now() + ${leaseMs} * interval '1 millisecond' end,
        claimed_at = case when judged.crashes >= ${MAX_CRASHES} then now() else claimed_at end
      from judged where ocr_jobs.id = judged.id and ocr_jobs.fence = judged.fence and status = 'processing' and lease_until < now()
      returning ocr_jobs.*
    ), marked as (
      update documents set status = 'pending', updated_at = now() from recovered
      where documents.id = recovered.document_id and recovered.status = 'pending'
    )
    select ${CLAIMED_COLUMNS}, status, (select owner_id from documents where documents.id = document_id) from recovered`);
  return rows;
};

const announce = async (tx: Db, rows: readonly RecoveredRow[]): Promise<void> => {
  if (rows.length === 0) return;
  await recordEvents(
    tx,
    rows.map(({ document_id, owner_id }) => ({
      event: { type: 'ocr_progress', document_id, progress: 0, status: 'pending' },
      ownerId: owner_id,
    })),
  );
  await tx.execute(sql`select pg_notify(${CHANNELS.jobs}, '')`);
};
