import { type Db, violates } from '@sheaf/db';
import { and, eq, inArray, type SQL, sql } from '@sheaf/db/drizzle';
import { type Document, documents, type OcrJob, ocrJobs, settings } from '@sheaf/db/schema';
import { englishMessage } from '@sheaf/messages/english';
import { uuidv7 } from '@sheaf/process';
import { currentTraceParent } from '@sheaf/process/tracing';
import { CHANNELS } from '@sheaf/vocabulary/events';
import type { FailureReason } from '@sheaf/vocabulary/extraction-failures';
import { FILE_KINDS } from '@sheaf/vocabulary/file-kinds';
import { JOB_PRIORITIES, type JobPriority } from '@sheaf/vocabulary/jobs';
import { DRAINED_HOST, TAKEN_LANGUAGES } from './job-languages.ts';

/** Rows of one insert: six values each, and a statement takes 65,535. */
const INSERT_BATCH = 1_000;

/** Queues the reading of documents and nudges idle workers. A job that a document already has starts over. */
export const enqueueJobs = async (
  tx: Db,
  documentIds: readonly string[],
  { maxAttempts, priority }: { readonly maxAttempts: number; readonly priority: JobPriority },
): Promise<void> => {
  for (let at = 0; at < documentIds.length; at += INSERT_BATCH)
    await insertJobs(tx, documentIds.slice(at, at + INSERT_BATCH), {
      status: 'pending',
      priority: JOB_PRIORITIES[priority],
      maxAttempts,
      traceContext: currentTraceParent() ?? null,
    });
  await tx.execute(sql`select pg_notify(${CHANNELS.jobs}, '')`);
};

const insertJobs = async (
  tx: Db,
  documentIds: readonly string[],
  fresh: { readonly status: 'pending'; readonly priority: number; readonly maxAttempts: number; readonly traceContext: string | null },
): Promise<void> => {
  await tx
    .insert(ocrJobs)
    .values(documentIds.map((documentId) => ({ id: uuidv7(), documentId, ...fresh })))
    .onConflictDoUpdate({
      target: ocrJobs.documentId,
      set: {
        ...fresh,
        attempts: 0,
        dueAt: sql`now()`,
        leaseBy: null,
        leaseUntil: null,
        // a worker that still holds the old lease must not be able to write any more
        fence: sql`${ocrJobs.fence} + 1`,
        pagesDone: 0,
        pagesTotal: null,
        errorCode: null,
        errorMessage: null,
        startedAt: null,
        claimedAt: null,
        completedAt: null,
        spentMs: 0,
        processingSince: null,
        crashes: 0,
        isSuspect: false,
      },
    });
};

/** A claimed job: `id`, `fence` and `worker` are repeated by every later write. */
export interface ClaimedJob {
  readonly id: string;
  readonly documentId: string;
  readonly isUrgent: boolean;
  readonly fence: number;
  readonly worker: string;
  readonly attempts: number;
  readonly maxAttempts: number;
  /** How often a worker died that processed this document and nothing else. */
  readonly crashes: number;
  /** It must be processed alone: `beginAlone` comes before its file is opened, and this worker claims nothing else meanwhile. */
  readonly isSuspect: boolean;
  /** The trace that it goes on with. */
  readonly traceContext: string | null;
}

export interface ClaimedRow extends Record<string, unknown> {
  readonly id: string;
  readonly document_id: string;
  readonly fence: string;
  readonly attempts: number;
  readonly max_attempts: number;
  readonly crashes: number;
  readonly is_suspect: boolean;
  readonly priority: number;
  readonly trace_context: string | null;
}

/** What a statement returns for `toClaimedJob`. */
export const CLAIMED_COLUMNS = sql.raw('id, document_id, fence, attempts, max_attempts, crashes, is_suspect, priority, trace_context');

export const toClaimedJob = (row: ClaimedRow, worker: string): ClaimedJob => ({
  id: row.id,
  documentId: row.document_id,
  fence: Number(row.fence),
  worker,
  attempts: row.attempts,
  maxAttempts: row.max_attempts,
  crashes: row.crashes,
  isSuspect: row.is_suspect,
  isUrgent: row.priority >= JOB_PRIORITIES.urgent,
  traceContext: row.trace_context,
});

/** Whether a suspect is being processed: by this worker, which then takes nothing else, or by any, which then takes no other suspect. */
const suspectInProgress = (more: SQL = sql``): SQL =>
  sql`exists (select from ocr_jobs other where other.status = 'processing' and other.is_suspect ${more})`;

/**
 * Claims the next due job for `worker`, or undefined when none is due: the highest priority first, then the longest due. That its
 * processing starts is recorded with the claim, for a suspect by `beginAlone`. The lease lasts `leaseMs`; the caller renews it. Jobs of
 * workers that died come due by `recoverJobs`. Only what `filter` lets through. Each language that waits is a range of one index, of
 * which the first job is looked at: a long queue in a language that this host lacks costs nothing.
 */
export const claimJob = async (db: Db, worker: string, leaseMs: number, filter: ClaimFilter = {}): Promise<ClaimedJob | undefined> => {
  try {
    return await claimOnce(db, worker, leaseMs, filter);
  } catch (error) {
    // another worker claimed a suspect at the same moment; the next statement sees that
    if (violates(error, 'ocr_jobs_one_suspect_key')) return claimOnce(db, worker, leaseMs, filter);
    throw error;
  }
};

const claimOnce = async (db: Db, worker: string, leaseMs: number, filter: ClaimFilter): Promise<ClaimedJob | undefined> => {
  const { rows } = await db.execute<ClaimedRow>(claimStatement(worker, leaseMs, filter));
  return rows[0] && toClaimedJob(rows[0], worker);
};

/**
 * Without parameters: a worker claims with the same few values all its life, and a statement that has none is planned once for each
 * connection. Planning it takes longer than running it.
 */
const claimStatement = (worker: string, leaseMs: number, filter: ClaimFilter): SQL =>
  sql`
    with recursive ${TAKEN_LANGUAGES(filter.languages)}, due as (
      select next.id from taken cross join lateral (
        select id, priority, due_at from ocr_jobs
        where status = 'pending' and ocr_language = taken.language and due_at <= now()
          and not exists (select from settings where key = ${QUEUE_PAUSED} and value = 'true')
          and not ${suspectInProgress(sql`and other.lease_by = ${worker}`)} and (not is_suspect or not ${suspectInProgress()})
          ${claimable(filter)}
        order by priority desc, due_at, id limit 1 for update skip locked
      ) next order by next.priority desc, next.due_at, next.id limit 1
    ), claimed as (
      update ocr_jobs set status = 'processing', lease_by = ${worker}, lease_until = now() + ${leaseMs} * interval '1 millisecond',
        fence = fence + 1, attempts = attempts + 1, started_at = coalesce(started_at, now()), claimed_at = now(),
        processing_since = case when is_suspect then null else now() end
      from due where ocr_jobs.id = due.id
      returning ocr_jobs.*
    ), marked as (
      update documents set status = 'processing', updated_at = now() from claimed
      where documents.id = claimed.document_id and documents.status <> 'processing'
      returning documents.id, owner_id, floor(100.0 * claimed.pages_done / nullif(claimed.pages_total, 0)) as percent
    ), told as (
      insert into events (type, owner_id, document_id, data)
      select 'ocr_progress', owner_id, id,
        jsonb_build_object('document_id', id, 'progress', least(coalesce(percent, 0), 99)::int, 'status', 'processing') from marked
      returning pg_notify('${sql.raw(CHANNELS.events)}', '')
    )
    select ${CLAIMED_COLUMNS}, (select count(*) from told) from claimed`.inlineParams();

/** Records that a suspect's file is about to be opened; false while its worker has other files open. Throws LeaseLost. */
export const beginAlone = async (db: Db, job: ClaimedJob): Promise<boolean> => {
  const besides = sql`select from ocr_jobs other where other.status = 'processing' and other.lease_by = ${job.worker} and other.id <> ${job.id}`;
  const { processingSince } = await updateMine(db, job, { processingSince: sql`case when not exists (${besides}) then now() end` });
  return processingSince !== null;
};

/** Whether a document is being read at the moment. */
export const isReading = async (db: Db): Promise<boolean> =>
  (await db.execute(sql`select from ocr_jobs where status = 'processing' and lease_until > now() limit 1`)).rows.length > 0;

/** Whether a document is being read, or was at some time in the last `ms` milliseconds. */
export const wasReading = async (db: Db, ms: number): Promise<boolean> =>
  (await isReading(db)) ||
  (
    await db.execute(sql`select from ocr_jobs where status in ('completed', 'failed')
      and completed_at > now() - ${ms} * interval '1 millisecond' limit 1`)
  ).rows.length > 0;

/** The lease was lost: someone else has the job now, or it is gone. Nothing of this worker's may be written any more. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

const isMine = (job: ClaimedJob) =>
  and(eq(ocrJobs.id, job.id), eq(ocrJobs.fence, job.fence), eq(ocrJobs.leaseBy, job.worker), eq(ocrJobs.status, 'processing'));

type Written = Pick<OcrJob, 'processingSince'>;

/** Changes the job if the lease still holds, else throws LeaseLost. Locks the row until the transaction ends. */
const updateMine = async (
  tx: Db,
  job: ClaimedJob,
  set: Parameters<ReturnType<typeof tx.update<typeof ocrJobs>>['set']>[0],
): Promise<Written> => {
  const [row] = await tx.update(ocrJobs).set(set).where(isMine(job)).returning({ processingSince: ocrJobs.processingSince });
  if (row === undefined) throw new LeaseLost(`The lease of job ${job.id} expired`);
  return row;
};

export const renewLease = async (db: Db, job: ClaimedJob, leaseMs: number): Promise<void> => {
  await updateMine(db, job, { leaseUntil: sql`now() + ${leaseMs} * interval '1 millisecond'` });
};

export const recordProgress = (tx: Db, job: ClaimedJob, pages: { done: number; total: number }): Promise<Written> =>
  updateMine(tx, job, { pagesDone: pages.done, pagesTotal: pages.total });

/** The end of a go: no lease any more, and its time added to that of the others. */
const released = {
  leaseBy: null,
  leaseUntil: null,
  processingSince: null,
  spentMs: sql`${ocrJobs.spentMs} + (extract(epoch from clock_timestamp() - ${ocrJobs.claimedAt}) * 1000)::bigint`,
} as const;

export const completeJob = (tx: Db, job: ClaimedJob): Promise<Written> =>
  updateMine(tx, job, {
    ...released,
    status: 'completed',
    errorCode: null,
    errorMessage: null,
    completedAt: sql`now()`,
    crashes: 0,
    isSuspect: false,
  });

export interface JobFailure {
  readonly reason: FailureReason;
  /** In words; the usual ones of the reason where none are given. */
  readonly message?: string | undefined;
}

const failureFields = ({ reason, message }: JobFailure) => ({
  errorCode: reason,
  errorMessage: message ?? englishMessage(`failures.${reason}`),
});

/** Ends the job for good. */
export const failJob = (tx: Db, job: ClaimedJob, failure: JobFailure): Promise<Written> =>
  updateMine(tx, job, { ...released, status: 'failed', completedAt: sql`now()`, isSuspect: false, ...failureFields(failure) });

/** Gives the job back for another try after `delayMs`. */
export const retryJob = (tx: Db, job: ClaimedJob, failure: JobFailure, delayMs: number): Promise<Written> =>
  updateMine(tx, job, {
    ...released,
    status: 'pending',
    dueAt: sql`now() + ${delayMs} * interval '1 millisecond'`,
    ...failureFields(failure),
  });

/** Where a job goes in the queue that is released. */
export type ReleasePlace =
  | 'kept'
  /** Behind those that are as urgent. */
  | 'behind'
  /** It is due again after this time: what it needs is not there now. */
  | { readonly afterMs: number };

/** Gives the job back, as a worker that is asked to stop does; this is no attempt. */
export const releaseJob = async (tx: Db, job: ClaimedJob, place: ReleasePlace = 'kept'): Promise<void> => {
  const afterMs = typeof place === 'string' ? 0 : place.afterMs;
  const dueAt = place === 'kept' ? {} : { dueAt: sql`now() + ${afterMs} * interval '1 millisecond'` };
  await updateMine(tx, job, { ...released, ...dueAt, status: 'pending', attempts: sql`${ocrJobs.attempts} - 1` });
  await tx.update(documents).set({ status: 'pending', updatedAt: sql`now()` }).where(eq(documents.id, job.documentId));
  await tx.execute(sql`select pg_notify(${CHANNELS.jobs}, ${job.documentId})`);
};

const jobDocumentOf = (db: Db) =>
  db
    .select()
    .from(documents)
    .where(eq(documents.id, sql.placeholder('id')))
    .prepare('sheaf-job-document');
const prepared = new WeakMap<Db, ReturnType<typeof jobDocumentOf>>();

export const getJobDocument = async (db: Db, job: ClaimedJob): Promise<Document | undefined> => {
  const statement = prepared.get(db) ?? jobDocumentOf(db);
  prepared.set(db, statement);
  return (await statement.execute({ id: job.documentId }))[0];
};

/** The key under which the queue is paused. The claim reads it in its own statement, so a pause holds for every worker at once. */
const QUEUE_PAUSED = 'ocr_queue_paused';

export const isQueuePaused = async (db: Db): Promise<boolean> => {
  const [row] = await db.select({ value: settings.value }).from(settings).where(eq(settings.key, QUEUE_PAUSED));
  return row?.value === true;
};

/** Pauses or resumes the queue. What is being read is read to its end. */
export const setQueuePaused = async (tx: Db, isPaused: boolean, userId: string): Promise<void> => {
  const fields = { value: isPaused, updatedBy: userId, updatedAt: sql`now()` };
  await tx
    .insert(settings)
    .values({ key: QUEUE_PAUSED, ...fields })
    .onConflictDoUpdate({ target: settings.key, set: fields });
  await tx.execute(sql`select pg_notify(${CHANNELS.jobs}, '')`);
};

/** Which jobs a claim may take; all that are due where nothing is given. */
export interface ClaimFilter {
  /** Where the worker runs. A host that is drained takes nothing. */
  readonly host?: string;
  /** Which languages it recognises. A job goes to a host that has its language, where there is one; all where nothing is given. */
  readonly languages?: readonly string[];
  readonly leastPriority?: JobPriority;
  /** Only documents that are processed in a moment, whoever sent them: plain texts of at most `SHORT_BYTES`. */
  readonly isShort?: true;
}

const SHORT_BYTES = 1024 * 1024;
const SHORT_MIME_TYPES: readonly string[] = FILE_KINDS.filter(({ family }) => family === 'text').map(({ mimeType }) => mimeType);
/** Short documents are looked for among so many jobs that are next, so that a long queue without any costs little. */
const NEXT_JOBS = 1_000;
/** Of which other workers may be claiming some at this moment. */
const SHORT_JOBS = 100;

/**
 * Found once, as an array, and not for each job that waits. What a document is comes from a subquery of its own, so that it is looked up by
 * its id: joined, each job was compared with all texts of the library. Texts need no OCR, so every host takes them.
 */
const shortJobs = sql`array(
  select next.id from (
    select id, document_id, priority, due_at from ocr_jobs
    where status = 'pending' and due_at <= now() order by priority desc, due_at, id limit ${NEXT_JOBS}
  ) next
  where (
    select ${inArray(documents.mimeType, [...SHORT_MIME_TYPES])} and documents.size_bytes <= ${SHORT_BYTES}
    from documents where documents.id = next.document_id
  )
  order by next.priority desc, next.due_at, next.id limit ${SHORT_JOBS})`;

/** The condition on a row of `ocr_jobs`, beginning with `and`; empty where all may be taken. */
const claimable = ({ host, leastPriority, isShort }: ClaimFilter): SQL => {
  const working = host === undefined ? sql`` : sql`and not exists (select from settings where key = ${DRAINED_HOST + host})`;
  const urgency = leastPriority === undefined ? working : sql`${working} and priority >= ${JOB_PRIORITIES[leastPriority]}`;
  return isShort ? sql`${urgency} and id = any(${shortJobs})` : urgency;
};
