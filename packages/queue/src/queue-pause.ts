import type { Db } from '@sheaf/db';
import { eq, sql } from '@sheaf/db/drizzle';
import { settings } from '@sheaf/db/schema';
import { CHANNELS } from '@sheaf/vocabulary/events';

/** The key under which the queue is paused. The claim reads it in its own statement, so a pause holds for every worker at once. */
export const QUEUE_PAUSED = 'ocr_queue_paused';

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
