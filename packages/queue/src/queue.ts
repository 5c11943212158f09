import { type AppError, codedError } from '@sheaf/contract';
import { type Cut, type CutRequest, type Db, documentsFor, makeKeyset, type Page, type PageRequest, queryCut, queryPage } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { englishMessage } from '@sheaf/messages/english';
import { CHANNELS } from '@sheaf/vocabulary/events';
import { JOB_PRIORITIES, type JobPriority, type JobStatus } from '@sheaf/vocabulary/jobs';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { QueueSortField, SortOrder } from '@sheaf/vocabulary/sort-fields';
import { TAKEN_LANGUAGES } from './job-languages.ts';
import type { ClaimedJob } from './ocr-jobs.ts';

/** A job as people see it. */
export interface QueueItem {
  readonly id: string;
  readonly documentId: string;
  readonly ownerId: string;
  readonly filename: string;
  readonly status: JobStatus;
  readonly priority: number;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly pagesDone: number;
  readonly pagesTotal: number | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
  readonly nextAttemptAt: Date | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  /** 1 is next, among the waiting jobs that the caller may see; null for one that does not wait. */
  readonly position: number | null;
}

interface QueueRow extends Record<string, unknown> {
  readonly id: string;
  readonly document_id: string;
  readonly owner_id: string;
  readonly filename: string;
  readonly status: JobStatus;
  readonly priority: number;
  readonly attempts: number;
  readonly max_attempts: number;
  readonly pages_done: number;
  readonly pages_total: number | null;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly due_at: string;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly position: number | null;
}

const toDate = (text: string | null): Date | null => (text === null ? null : new Date(text));

const toItem = (row: QueueRow): QueueItem => ({
  id: row.id,
  documentId: row.document_id,
  ownerId: row.owner_id,
  filename: row.filename,
  status: row.status,
  priority: row.priority,
  attempts: row.attempts,
  maxAttempts: row.max_attempts,
  pagesDone: row.pages_done,
  pagesTotal: row.pages_total,
  createdAt: new Date(row.created_at),
  startedAt: toDate(row.started_at),
  completedAt: toDate(row.completed_at),
  nextAttemptAt: row.status === 'pending' ? new Date(row.due_at) : null,
  errorCode: row.error_code,
  errorMessage: row.error_message,
  position: row.position,
});

const visible = (principal: Principal): SQL =>
  sql`(${documentsFor(principal, 'documents.read')}) and (${documentsFor(principal, 'ocr.read')})`;

const selectItems = (principal: Principal, more: SQL = sql``): SQL => sql`
  with waiting as (
    select ocr_jobs.id, row_number() over (order by priority desc, due_at, ocr_jobs.id)::int as position
    from ocr_jobs join documents on documents.id = ocr_jobs.document_id
    where ocr_jobs.status = 'pending' and ${visible(principal)}
  )
  select ocr_jobs.id, document_id, owner_id, filename, ocr_jobs.status, priority, attempts, max_attempts, pages_done, pages_total,
    ocr_jobs.created_at, started_at, ocr_jobs.completed_at, due_at, ocr_jobs.error_code, ocr_jobs.error_message, waiting.position ${more}
  from ocr_jobs join documents on documents.id = ocr_jobs.document_id left join waiting on waiting.id = ocr_jobs.id`;

export interface QueueFilter {
  readonly status?: JobStatus | undefined;
  readonly priority?: JobPriority | undefined;
}

/** Which jobs, and in which order. */
export interface QueueQuestion extends QueueFilter {
  readonly sort: QueueSortField;
  readonly order: SortOrder;
}

export interface QueueListRequest extends QueueQuestion, PageRequest {}

const itemsThat = (principal: Principal, { status, priority }: QueueFilter): SQL => sql`${visible(principal)}
    ${status === undefined ? sql`` : sql`and ocr_jobs.status = ${status}`}
    ${priority === undefined ? sql`` : sql`and priority = ${JOB_PRIORITIES[priority]}`}`;

const ID = { by: sql`ocr_jobs.id`, type: 'uuid' } as const;

/** The order by position in keys that are never null: the state, then what is first among the waiting, then the last that ended. */
const SORT_KEYS = {
  position: [
    { by: sql`array_position(array['processing', 'pending', 'failed', 'completed'], ocr_jobs.status)`, type: 'integer' },
    { by: sql`case ocr_jobs.status when 'pending' then -priority else 0 end`, type: 'integer' },
    {
      by: sql`case ocr_jobs.status when 'pending' then extract(epoch from due_at)
      else coalesce(-extract(epoch from ocr_jobs.completed_at), 'infinity') end`,
      type: 'numeric',
    },
  ],
  created_at: [{ by: sql`ocr_jobs.created_at`, type: 'timestamptz' }],
  priority: [{ by: sql`priority`, type: 'integer' }],
  id: [ID],
  document_id: [{ by: sql`document_id`, type: 'uuid' }],
  filename: [{ by: sql`filename`, type: 'text' }],
  status: [{ by: sql`ocr_jobs.status`, type: 'text' }],
  attempts: [{ by: sql`attempts`, type: 'integer' }],
  max_attempts: [{ by: sql`max_attempts`, type: 'integer' }],
  pages_done: [{ by: sql`pages_done`, type: 'integer' }],
  pages_total: [{ by: sql`pages_total`, type: 'integer', mayBeMissing: true }],
  started_at: [{ by: sql`started_at`, type: 'timestamptz', mayBeMissing: true }],
  completed_at: [{ by: sql`ocr_jobs.completed_at`, type: 'timestamptz', mayBeMissing: true }],
  next_attempt_at: [{ by: sql`case when ocr_jobs.status = 'pending' then due_at end`, type: 'timestamptz', mayBeMissing: true }],
} as const satisfies Record<QueueSortField, unknown>;

const keysetOf = ({ sort, order }: QueueQuestion) => makeKeyset(order, [...SORT_KEYS[sort], ID]);

const selectionOf = (principal: Principal, filter: QueueFilter) => ({
  select: (more?: SQL) => selectItems(principal, more),
  where: itemsThat(principal, filter),
  toRow: toItem,
});

/** One page of the jobs whose documents `principal` may read. */
export const listQueueItems = (db: Db, principal: Principal, { page, perPage, ...filter }: QueueListRequest): Promise<Page<QueueItem>> => {
  const from = sql`ocr_jobs join documents on documents.id = ocr_jobs.document_id`;
  return queryPage(db, selectionOf(principal, filter), { from, order: keysetOf(filter).order, page, perPage });
};

/** The jobs whose documents `principal` may read behind `after`, at most `limit`. */
export const listQueueItemsAfter = (
  db: Db,
  principal: Principal,
  { after, limit, ...filter }: QueueQuestion & CutRequest,
): Promise<Cut<QueueItem>> => queryCut(db, selectionOf(principal, filter), { keyset: keysetOf(filter), after, limit });

const jobNotFound = (id: string): AppError => codedError('NOT_FOUND', 'QUEUE_ITEM_NOT_FOUND', { queue_item_id: id });

/** The job, if `principal` may read its document. Throws QUEUE_ITEM_NOT_FOUND otherwise. */
export const getQueueItem = async (db: Db, principal: Principal, id: string): Promise<QueueItem> => {
  const { rows } = await db.execute<QueueRow>(sql`${selectItems(principal)} where ocr_jobs.id = ${id} and ${visible(principal)}`);
  if (rows[0] === undefined) throw jobNotFound(id);
  return toItem(rows[0]);
};

/** The job of a document that the caller has been let to. */
export const getQueueItemOfDocument = async (db: Db, principal: Principal, documentId: string): Promise<QueueItem> => {
  const { rows } = await db.execute<QueueRow>(sql`${selectItems(principal)} where document_id = ${documentId} and ${visible(principal)}`);
  if (rows[0] === undefined) throw jobNotFound(documentId);
  return toItem(rows[0]);
};

/** Whether `principal` may change the job of this document. */
export const mayChangeJob = async (db: Db, principal: Principal, documentId: string): Promise<boolean> =>
  (await db.execute(sql`select 1 from documents where id = ${documentId} and (${documentsFor(principal, 'ocr.update')})`)).rows.length > 0;

/** Moves a waiting or running job; false when it has ended. A running one keeps running. */
export const setJobPriority = async (tx: Db, id: string, priority: JobPriority): Promise<boolean> => {
  const { rowCount } = await tx.execute(
    sql`update ocr_jobs set priority = ${JOB_PRIORITIES[priority]} where id = ${id} and status in ('pending', 'processing')`,
  );
  await tx.execute(sql`select pg_notify(${CHANNELS.jobs}, ${id})`);
  return (rowCount ?? 0) > 0;
};

/** Ends a waiting or running job for good; false when it has ended already. Its reader loses the lease and is told so. */
export const cancelJob = async (tx: Db, id: string): Promise<boolean> => {
  const { rowCount } = await tx.execute(sql`
    update ocr_jobs set status = 'failed', lease_by = null, lease_until = null, processing_since = null, is_suspect = false, fence = fence + 1,
      completed_at = now(), error_code = 'cancelled', error_message = ${englishMessage('failures.cancelled')}
    where id = ${id} and status in ('pending', 'processing')`);
  await tx.execute(sql`select pg_notify(${CHANNELS.leases}, ${id})`);
  return (rowCount ?? 0) > 0;
};

/** Whether a job waits behind this one, compared by priority, that a host with `languages` takes. */
const hasWaitingJob = async (db: Db, job: ClaimedJob, compared: SQL, languages: readonly string[] | undefined): Promise<boolean> => {
  const { rows } = await db.execute(sql`
    with recursive ${TAKEN_LANGUAGES(languages)}
    select 1 from ocr_jobs mine cross join taken cross join lateral (
      select from ocr_jobs rival where rival.status = 'pending' and rival.ocr_language = taken.language
        and rival.priority ${compared} mine.priority and rival.due_at <= now() limit 1
    ) waiting where mine.id = ${job.id} limit 1`);
  return rows.length > 0;
};

/** Whether another job that is as urgent waits behind this one for a host that recognises `languages`, or for any. */
export const hasRival = (db: Db, job: ClaimedJob, languages?: readonly string[]): Promise<boolean> =>
  hasWaitingJob(db, job, sql`>=`, languages);

/** Whether a job waits that is more urgent than this one, for a host that recognises `languages`, or for any. */
export const hasMoreUrgent = (db: Db, job: ClaimedJob, languages?: readonly string[]): Promise<boolean> =>
  hasWaitingJob(db, job, sql`>`, languages);
