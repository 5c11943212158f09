import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { CHANNELS } from '@sheaf/vocabulary/events';

/** Makes other processes forget who a user is, for a change that no trigger sees: one outside the database. */
export const nudgeIdentityChanged = async (tx: Db, userId: string): Promise<void> => {
  await tx.execute(sql`select pg_notify(${CHANNELS.identity}, ${userId})`);
};
