import { CHANNELS, type SheafEvent } from '@sheaf/contract';
import type { Db } from '../client.ts';
import { lt, sql } from '../drizzle.ts';
import { events } from '../schema/events.ts';

/** Records what has just become true, in the same transaction, and nudges whoever delivers events. */
export const recordEvent = async (tx: Db, { type, ...data }: SheafEvent, ownerId: string | null): Promise<void> => {
  const documentId = 'document_id' in data ? data.document_id : null;
  await tx.insert(events).values({ type, ownerId, documentId, data });
  await tx.execute(sql`select pg_notify(${CHANNELS.events}, '')`);
};

/** Forgets events made before `before`; returns how many. */
export const deleteEventsBefore = async (db: Db, before: Date): Promise<number> =>
  (await db.delete(events).where(lt(events.createdAt, before))).rowCount ?? 0;
