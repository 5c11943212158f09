import type { QueueStatusBody } from '@sheaf/contract/queue';
import type { Db } from '@sheaf/db';
import { type Reach, within } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { documents, events } from '@sheaf/db/schema';
import { talliedByStatus } from '@sheaf/documents';

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
