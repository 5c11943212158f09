import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';

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
