import type { QueueStatusBody } from '@sheaf/contract/queue';
import { type DaySpan, type Db, dayOf, nameOfDay, type Reach, within } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { documents, events } from '@sheaf/db/schema';
import { talliedByStatus } from '@sheaf/documents';
import type { JobStatus } from '@sheaf/vocabulary/jobs';

/** What ended on one day. */
export interface ReadingDay {
  /** As `2026-11-20`, in UTC. */
  readonly day: string;
  readonly completed: number;
  readonly failed: number;
  /** Of both. */
  readonly spentMs: number;
}

/** What was read on one day, in one language or several that are joined by +. */
export interface LanguageDay {
  readonly day: string;
  readonly language: string;
  readonly documents: number;
  readonly pages: number;
}

/** How the readings of some days ended: of each document the last one. Days of none are absent. */
export interface ReadingFigures {
  readonly days: readonly ReadingDay[];
  readonly languages: readonly LanguageDay[];
  readonly failures: Readonly<Record<string, number>>;
}

/** Readings that ended in `span`, of the documents within `reach`. Where that is all of them, nothing but an index is looked at. */
const endedOf = (reach: Reach, { from, before }: DaySpan): SQL => {
  const isThen = sql`ocr_jobs.status in ('completed', 'failed') and ocr_jobs.completed_at >= ${from} and ocr_jobs.completed_at < ${before}`;
  return reach.scope === 'all'
    ? sql`ocr_jobs where ${isThen}`
    : sql`ocr_jobs join ${documents} on documents.id = ocr_jobs.document_id where ${isThen} and ${within(reach, documents.ownerId)}`;
};

interface ReadingDayRow extends Record<string, unknown> {
  readonly day: string;
  readonly completed: number;
  readonly failed: number;
  readonly spent_ms: number;
}

export const readReadingFigures = async (db: Db, reach: Reach, span: DaySpan): Promise<ReadingFigures> => {
  const [ended, languages, failures] = await Promise.all([
    db.execute<ReadingDayRow>(sql`
      select ${nameOfDay} as day, completed, failed, spent_ms from (
        select ${dayOf(sql`ocr_jobs.completed_at`)} as day,
          (count(*) filter (where ocr_jobs.status = 'completed'))::int as completed,
          (count(*) filter (where ocr_jobs.status = 'failed'))::int as failed, sum(spent_ms)::float8 as spent_ms
        from ${endedOf(reach, span)} group by 1) as days`),
    db.execute<LanguageDay & Record<string, unknown>>(sql`
      select ${nameOfDay} as day, language, documents, pages from (
        select ${dayOf(sql`completed_at`)} as day, ocr_language as language, count(*)::int as documents,
          coalesce(sum(page_count), 0)::int as pages
        from ${documents} where status = 'completed' and completed_at >= ${span.from} and completed_at < ${span.before}
          and ${within(reach, documents.ownerId)} group by 1, 2) as days`),
    db.execute<{ code: string; readings: number }>(sql`
      select coalesce(ocr_jobs.error_code, 'unknown') as code, count(*)::int as readings
      from ${endedOf(reach, span)} and ocr_jobs.status = 'failed' group by 1 order by 2 desc, 1`),
  ]);
  return {
    days: ended.rows.map(({ day, completed, failed, spent_ms }) => ({ day, completed, failed, spentMs: spent_ms })),
    languages: languages.rows,
    failures: Object.fromEntries(failures.rows.map(({ code, readings }) => [code, readings])),
  };
};

/**
 * Since when documents wait although nothing is read: no job was begun or ended since, and the oldest of them could have been.
 * Undefined while the queue moves, is empty or is paused.
 */
export const readQueueStandstill = async (db: Db): Promise<{ readonly sinceMs: number; readonly waiting: number } | undefined> => {
  const { rows } = await db.execute<{ seconds: number | null; waiting: number }>(sql`
    select count(*)::int as waiting,
      extract(epoch from now() - greatest(min(due_at),
        (select max(started_at) from ocr_jobs), (select max(completed_at) from ocr_jobs where status = 'completed')))::float8 as seconds
    from ocr_jobs where status = 'pending' and due_at <= now()
      and not exists (select from settings where key = 'ocr_queue_paused' and value = 'true'::jsonb)
      and not exists (select from ocr_jobs reading where reading.status = 'processing' and reading.lease_until > now())`);
  const [row] = rows;
  return row === undefined || row.waiting === 0 || row.seconds === null
    ? undefined
    : { sinceMs: row.seconds * 1_000, waiting: row.waiting };
};

/** How many documents wait to be read; `limit` where there are more. Looks at no more than `limit` entries of an index. */
export const countWaiting = async (db: Db, limit: number): Promise<number> => {
  const { rows } = await db.execute<{ waiting: number }>(
    sql`select count(*)::int as waiting from (select from ocr_jobs where status = 'pending' limit ${limit}) as first_ones`,
  );
  return rows[0]?.waiting ?? 0;
};

export interface QueueDepth {
  /** Jobs of each status; none is 0. */
  readonly jobs: Readonly<Record<JobStatus, number>>;
  /** For how long the job that is due and has waited longest has waited, in seconds; 0 where none waits. */
  readonly oldestSeconds: number;
}

interface DepthRow extends Record<string, unknown> {
  readonly status: JobStatus;
  readonly jobs: number;
  readonly seconds: number | null;
}

/** The whole queue in numbers, whoever owns the documents. Reads all jobs: 20 ms for 100,000. */
export const readQueueDepth = async (db: Db): Promise<QueueDepth> => {
  const { rows } = await db.execute<DepthRow>(sql`
    select status, count(*)::int as jobs,
      extract(epoch from now() - min(due_at) filter (where status = 'pending' and due_at <= now()))::float8 as seconds
    from ocr_jobs group by status`);
  const jobs = { pending: 0, processing: 0, completed: 0, failed: 0 };
  for (const row of rows) jobs[row.status] = row.jobs;
  return { jobs, oldestSeconds: rows.find(({ status }) => status === 'pending')?.seconds ?? 0 };
};

interface StatusRow extends Record<string, unknown> {
  readonly pending: number;
  readonly processing: number;
  readonly failed: number;
  readonly completed_today: number;
  readonly seconds: number | null;
  readonly workers: number;
}

/** Readings that went well, of the documents within `reach`. Where that is all of them, nothing but an index is looked at. */
const completedOf = (reach: Reach): SQL =>
  reach.scope === 'all'
    ? sql`ocr_jobs where status = 'completed' and completed_at is not null`
    : sql`ocr_jobs join ${documents} on documents.id = ocr_jobs.document_id
      where ocr_jobs.status = 'completed' and ocr_jobs.completed_at is not null and ${within(reach, documents.ownerId)}`;

const TODAY = sql`date_trunc('day', now() at time zone 'utc') at time zone 'utc'`;

/**
 * The queue in numbers, over the documents within `reach`: a reading is in the state its document is in, and these are counted
 * already. `completed_today` counts what happened, also where a document was processed again since or deleted: events stay for a day.
 * Costs the same however many there are, but for those that were processed today.
 */
export const readQueueStatus = async (db: Db, reach: Reach, now: Date): Promise<QueueStatusBody> => {
  const { rows } = await db.execute<StatusRow>(sql`
    with counted as (${talliedByStatus(reach)}), recent as (
      select spent_ms / 1000.0 as seconds from ${completedOf(reach)} order by ocr_jobs.completed_at desc limit 100
    )
    select coalesce((select documents from counted where status = 'pending'), 0) as pending,
      coalesce((select documents from counted where status = 'processing'), 0) as processing,
      coalesce((select documents from counted where status = 'failed'), 0) as failed,
      (select count(*)::int from events where type = 'ocr_progress' and data ->> 'status' = 'completed' and created_at >= ${TODAY}
        and ${within(reach, events.ownerId)}) as completed_today,
      (select avg(seconds)::float8 from recent) as seconds,
      greatest(1, (select count(*) from processes where name = 'ocr-worker' and seen_at > now() - interval '30 seconds'))::int as workers`);
  const [row] = rows;
  if (row === undefined) throw new Error('an aggregate returned no row');
  return toQueueStatus(row, now);
};

const toQueueStatus = ({ pending, processing, completed_today, failed, seconds, workers }: StatusRow, now: Date): QueueStatusBody => {
  const average = seconds ?? 0;
  const unread = pending + processing;
  const finish = unread === 0 || average === 0 ? null : new Date(now.getTime() + (unread * average * 1_000) / workers).toISOString();
  return { pending, processing, completed_today, failed, average_processing_time: average, estimated_completion: finish };
};
