import { type Db, eventsFor, runPrepared } from '@sheaf/db';
import { and, asc, gt, inArray, lt, lte, type SQL, sql } from '@sheaf/db/drizzle';
import { events } from '@sheaf/db/schema';
import { CHANNELS, type EventType, type SheafEvent } from '@sheaf/vocabulary/events';
import type { Principal } from '@sheaf/vocabulary/permissions';

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

/** An event in its place in the order of delivery. */
export interface FeedEvent {
  readonly seq: number;
  readonly type: EventType;
  /** The owner of its subject. */
  readonly ownerId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
}

/** Held while rows get their numbers, so that numbers become visible in their order, whoever gives them. */
const LOCK = [0x73_68_66, 0x65_76] as const;

interface NumberedRow extends Record<string, unknown> {
  readonly seq: string;
  readonly type: EventType;
  readonly owner_id: string | null;
  readonly data: Record<string, unknown>;
  readonly created_at: string;
}

/**
 * Gives the next numbers to at most `limit` events whose transactions have ended, in the order they were made in, and returns
 * them in that order. What a caller does not get to see, because its connection is lost, is numbered all the same: a first number
 * that does not follow the last one tells.
 */
export const numberEvents = async (db: Db, limit: number): Promise<FeedEvent[]> => {
  const text = sql`
    with held as materialized (select pg_advisory_xact_lock(${LOCK[0]}, ${LOCK[1]})),
    due as (select events.id from held cross join events where events.seq is null order by events.id limit ${limit} for update of events),
    numbered as (select id, nextval('event_seq') as seq from (select id from due order by id) as in_order)
    update events set seq = numbered.seq from numbered where events.id = numbered.id
    returning events.seq, events.type, events.owner_id, events.data, events.created_at`;
  // some fifty times a second while documents come in
  const rows = await runPrepared<NumberedRow>(db, { name: 'sheaf-number-events', text });
  return rows
    .map(({ seq, type, owner_id, data, created_at }) => ({
      seq: Number(seq),
      type,
      ownerId: owner_id,
      data,
      createdAt: new Date(created_at),
    }))
    .toSorted((a, b) => a.seq - b.seq);
};

/** The last number that was given. Whatever was under way when this was called has ended: all numbers up to it can be read. */
export const readFeedPosition = (db: Db): Promise<number> =>
  db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${LOCK[0]}, ${LOCK[1]})`);
    const { rows } = await tx.execute<{ position: string }>(
      sql`select case when is_called then last_value else last_value - 1 end as position from event_seq`,
    );
    return Number(rows[0]?.position ?? 0);
  });

/** The lowest number that is still known; undefined when none is. */
export const findOldestSeq = async (db: Db): Promise<number | undefined> => {
  const { rows } = await db.execute<{ oldest: string | null }>(sql`select min(seq) as oldest from events`);
  return rows[0]?.oldest == null ? undefined : Number(rows[0].oldest);
};

export interface FeedRange {
  /** From the number behind this one. */
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
}

const fields = { seq: sql<number>`${events.seq}`.mapWith(Number), ownerId: events.ownerId, data: events.data, createdAt: events.createdAt };

const readWhere = (db: Db, { after, upTo, limit }: FeedRange, condition?: SQL): Promise<FeedEvent[]> =>
  db
    .select({ ...fields, type: sql<EventType>`${events.type}` })
    .from(events)
    .where(and(gt(events.seq, after), lte(events.seq, upTo), condition))
    .orderBy(asc(events.seq))
    .limit(limit);

/** The events of a range in their order. */
export const readEvents = (db: Db, range: FeedRange): Promise<FeedEvent[]> => readWhere(db, range);

/** Those that `principal` may hear of; of some types only, where they are named. */
export const readEventsFor = (db: Db, principal: Principal, range: FeedRange, types?: readonly EventType[]): Promise<FeedEvent[]> =>
  readWhere(db, range, types === undefined ? eventsFor(principal) : and(inArray(events.type, [...types]), eventsFor(principal)));
