import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';

/** How many documents wait to be read; `limit` where there are more. Looks at no more than `limit` entries of an index. */
export const countWaiting = async (db: Db, limit: number): Promise<number> => {
  const { rows } = await db.execute<{ waiting: number }>(
    sql`select count(*)::int as waiting from (select from ocr_jobs where status = 'pending' limit ${limit}) as first_ones`,
  );
  return rows[0]?.waiting ?? 0;
};
