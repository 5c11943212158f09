import type { Db } from '@sheaf/db';
import { lt, sql } from '@sheaf/db/drizzle';
import { events } from '@sheaf/db/schema';
import { CHANNELS, type SheafEvent } from '@sheaf/vocabulary/events';

/** The kind of a notification is called `type` on the wire, as the event itself is one level above. */
const dataOf = ({ type: _type, ...data }: SheafEvent): Record<string, unknown> => {
  if (!('kind' in data)) return data;
  const { kind, ...rest } = data;
  return { ...rest, type: kind };
};

export const toEventRow = (event: SheafEvent, ownerId: string | null) => ({
  type: event.type,
  ownerId,
  // a notification is its owner's, whatever becomes of the document
  documentId: event.type !== 'notification' && 'document_id' in event ? event.document_id : null,
  data: dataOf(event),
});

/** Records what has just become true, in the same transaction, and nudges whoever delivers events. */
export const recordEvent = (tx: Db, event: SheafEvent, ownerId: string | null): Promise<void> => recordEvents(tx, [{ event, ownerId }]);

/** Rows of one insert: four values each, and a statement takes 65,535. */
const INSERT_BATCH = 1_000;

/** The same for many, each with the owner of its subject. */
export const recordEvents = async (
  tx: Db,
  many: readonly { readonly event: SheafEvent; readonly ownerId: string | null }[],
): Promise<void> => {
  if (many.length === 0) return;
  for (let at = 0; at < many.length; at += INSERT_BATCH)
    await tx
      .insert(events)
      .values(many.slice(at, at + INSERT_BATCH).map(({ event, ownerId }) => toEventRow(event, ownerId)))
      // for each row, of which the transaction sends one: a statement of its own would take as long as the insert
      .returning({ notified: sql`pg_notify(${CHANNELS.events}, '')` });
};

/** Forgets events made before `before`; returns how many. */
export const deleteEventsBefore = async (db: Db, before: Date): Promise<number> =>
  (await db.delete(events).where(lt(events.createdAt, before))).rowCount ?? 0;
