import { codedError, forbidden } from '@sheaf/contract';
import {
  type Cut,
  type CutRequest,
  type Db,
  deliveriesFor,
  makeKeyset,
  type Page,
  type PageRequest,
  selectCut,
  selectPage,
} from '@sheaf/db';
import { and, count, eq, inArray, lt, or, sql } from '@sheaf/db/drizzle';
import { type Delivery, type DeliveryPayload, deliveries } from '@sheaf/db/schema';
import { uuidv7 } from '@sheaf/process';
import type { DeliveryChannel, DeliveryState } from '@sheaf/vocabulary/deliveries';
import { CHANNELS } from '@sheaf/vocabulary/events';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { DeliverySortField, SortOrder } from '@sheaf/vocabulary/sort-fields';

export type NewDelivery = Pick<Delivery, 'notificationId' | 'channel' | 'recipient' | 'payload'>;

const nudge = async (tx: Db, channels: Iterable<DeliveryChannel>): Promise<void> => {
  for (const channel of new Set(channels)) await tx.execute(sql`select pg_notify(${CHANNELS.deliveries}, ${channel})`);
};

/** Has something leave once the transaction has ended, and nudges whoever sends. */
export const queueDeliveries = async (tx: Db, many: readonly NewDelivery[]): Promise<void> => {
  if (many.length === 0) return;
  await tx.insert(deliveries).values(many.map((delivery) => ({ id: uuidv7(), ...delivery })));
  await nudge(
    tx,
    many.map(({ channel }) => channel),
  );
};

/** One that is to be sent now: `id` and `fence` are repeated by what is written about it. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly channel: DeliveryChannel;
  readonly recipient: string | null;
  readonly payload: DeliveryPayload;
  /** The one that the user has chosen; null where they have not, or is gone. */
  readonly language: string | null;
  /** With the one that this claim is for. */
  readonly attempts: number;
  readonly fence: number;
}

export interface ClaimRequest {
  readonly channel: DeliveryChannel;
  readonly limit: number;
  readonly leaseMs: number;
  readonly maxAttempts: number;
}

interface ClaimedRow extends Record<string, unknown> {
  readonly id: string;
  readonly channel: DeliveryChannel;
  readonly recipient: string | null;
  readonly payload: DeliveryPayload;
  readonly language: string | null;
  readonly attempts: number;
  readonly fence: string;
}

/**
 * Claims what is due on a channel, the longest due first. What a dead sender held is due again when its lease has run out: it may
 * have been sent. That was an attempt, so what kills its sender each time has failed after the last one.
 */
export const claimDeliveries = async (
  db: Db,
  { channel, limit, leaseMs, maxAttempts }: ClaimRequest,
): Promise<readonly ClaimedDelivery[]> => {
  const { rows } = await db.execute<ClaimedRow>(sql`
    with waiting as (
      select id, due_at from deliveries where state = 'pending' and channel = ${channel} and due_at <= now()
      order by due_at, id limit ${limit} for update skip locked
    ), abandoned as (
      select id, due_at from deliveries
      where state = 'sending' and channel = ${channel} and lease_until < now() and attempts < ${maxAttempts}
      order by due_at, id limit ${limit} for update skip locked
    ), given_up as (
      update deliveries set state = 'failed', lease_until = null, fence = fence + 1, last_status = null,
        last_error = 'Whoever sent it ended each time before it was known whether it arrived'
      where state = 'sending' and channel = ${channel} and lease_until < now() and attempts >= ${maxAttempts}
    ), due as (
      select id from (select * from waiting union all select * from abandoned) candidates order by due_at, id limit ${limit}
    )
    update deliveries set state = 'sending', lease_until = now() + ${leaseMs} * interval '1 millisecond',
      fence = fence + 1, attempts = attempts + 1
    from due where deliveries.id = due.id
    returning deliveries.id, channel, recipient, payload, attempts, fence, (
      select language from user_settings join notifications on notifications.user_id = user_settings.user_id
      where notifications.id = deliveries.notification_id
    ) as language`);
  return rows.map((row) => ({ ...row, fence: Number(row.fence) }));
};

/** Changes a delivery as long as it is still this sender's; false where the lease was lost. */
const updateMine = async (
  db: Db,
  { id, fence }: ClaimedDelivery,
  set: Parameters<ReturnType<typeof db.update<typeof deliveries>>['set']>[0],
): Promise<boolean> =>
  (
    await db
      .update(deliveries)
      .set({ ...set, leaseUntil: null })
      .where(and(eq(deliveries.id, id), eq(deliveries.fence, fence), eq(deliveries.state, 'sending')))
      .returning({ id: deliveries.id })
  ).length > 0;

/** The receiver has it. False where the lease was lost meanwhile, so that it may be sent once more. */
export const markDelivered = (db: Db, delivery: ClaimedDelivery, status: number | null): Promise<boolean> =>
  updateMine(db, delivery, { state: 'delivered', deliveredAt: sql`now()`, lastStatus: status, lastError: null });

export interface DeliveryFailure {
  readonly status: number | null;
  readonly error: string;
  /** Undefined: for good. */
  readonly retryAfterMs: number | undefined;
}

/** It did not arrive. False where the lease was lost meanwhile. */
export const markUndelivered = (db: Db, delivery: ClaimedDelivery, { status, error, retryAfterMs }: DeliveryFailure): Promise<boolean> =>
  updateMine(db, delivery, {
    lastStatus: status,
    lastError: error,
    ...(retryAfterMs === undefined
      ? { state: 'failed' as const }
      : { state: 'pending' as const, dueAt: sql`now() + ${retryAfterMs} * interval '1 millisecond'` }),
  });

/** Gives back what this sender does not get to; that was no attempt. */
export const releaseDelivery = (db: Db, delivery: ClaimedDelivery): Promise<boolean> =>
  updateMine(db, delivery, { state: 'pending', attempts: sql`greatest(attempts - 1, 0)` });

/** Fails whatever waits on a channel that is disabled; what another process is sending is left to it. Returns how many. */
export const failDeliveriesOf = async (db: Db, channel: DeliveryChannel, error: string): Promise<number> => {
  const isAbandoned = and(eq(deliveries.state, 'sending'), lt(deliveries.leaseUntil, sql`now()`));
  const { rowCount } = await db
    .update(deliveries)
    .set({ state: 'failed', leaseUntil: null, lastStatus: null, lastError: error, fence: sql`fence + 1` })
    .where(and(eq(deliveries.channel, channel), or(eq(deliveries.state, 'pending'), isAbandoned)));
  return rowCount ?? 0;
};

export interface DeliveryFilter {
  readonly state?: DeliveryState | undefined;
  readonly channel?: DeliveryChannel | undefined;
}

/** Which deliveries, and in which order. */
export interface DeliveryQuestion extends DeliveryFilter {
  readonly sort: DeliverySortField;
  readonly order: SortOrder;
}

export interface DeliveryListRequest extends DeliveryQuestion, PageRequest {}

const SORT_KEYS = {
  created_at: { by: deliveries.createdAt, type: 'timestamptz' },
  state: { by: deliveries.state, type: 'text' },
  channel: { by: deliveries.channel, type: 'text' },
  id: { by: deliveries.id, type: 'uuid' },
  type: { by: sql`${deliveries.payload} ->> 'type'`, type: 'text', mayBeMissing: true },
  notification_id: { by: deliveries.notificationId, type: 'uuid', mayBeMissing: true },
  user_id: { by: sql`${deliveries.payload} -> 'data' ->> 'user_id'`, type: 'text', mayBeMissing: true },
  recipient: { by: deliveries.recipient, type: 'text', mayBeMissing: true },
  attempts: { by: deliveries.attempts, type: 'integer' },
  // the same number for all
  max_attempts: { by: deliveries.id, type: 'uuid' },
  next_attempt_at: {
    by: sql`case when ${deliveries.state} = 'pending' then ${deliveries.dueAt} end`,
    type: 'timestamptz',
    mayBeMissing: true,
  },
  last_status: { by: deliveries.lastStatus, type: 'integer', mayBeMissing: true },
  last_error: { by: deliveries.lastError, type: 'text', mayBeMissing: true },
  delivered_at: { by: deliveries.deliveredAt, type: 'timestamptz', mayBeMissing: true },
} as const satisfies Record<DeliverySortField, unknown>;

const keysetOf = ({ sort, order }: DeliveryQuestion) => makeKeyset(order, [SORT_KEYS[sort], { by: deliveries.id, type: 'uuid' }]);

const deliveriesThat = (principal: Principal, { state, channel }: DeliveryFilter) =>
  and(
    deliveriesFor(principal, 'system.read'),
    state === undefined ? undefined : eq(deliveries.state, state),
    channel === undefined ? undefined : eq(deliveries.channel, channel),
  );

/** One page of the deliveries that `principal` may know of, and how many there are. */
export const listDeliveries = (db: Db, principal: Principal, { page, perPage, ...filter }: DeliveryListRequest): Promise<Page<Delivery>> =>
  selectPage(db, deliveries, { where: deliveriesThat(principal, filter), order: keysetOf(filter).order, page, perPage });

/** The deliveries that `principal` may know of behind `after`, at most `limit`. */
export const listDeliveriesAfter = (
  db: Db,
  principal: Principal,
  { after, limit, ...filter }: DeliveryQuestion & CutRequest,
): Promise<Cut<Delivery>> =>
  selectCut(db, deliveries, { where: deliveriesThat(principal, filter), keyset: keysetOf(filter), after, limit });

/** The delivery, locked, if `principal` may send it anew. Throws DELIVERY_NOT_FOUND, or FORBIDDEN where they may only read it. */
const lockRetriable = async (tx: Db, principal: Principal, id: string): Promise<Delivery> => {
  const mayRetry = deliveriesFor(principal, 'settings.update');
  const [found] = await tx
    .select({ delivery: deliveries, isAllowed: sql<boolean>`${mayRetry}` })
    .from(deliveries)
    .where(and(eq(deliveries.id, id), or(mayRetry, deliveriesFor(principal, 'system.read'))))
    .for('update');
  if (found === undefined) throw codedError('NOT_FOUND', 'DELIVERY_NOT_FOUND', { delivery_id: id });
  if (!found.isAllowed) throw forbidden('You can retry only your own deliveries.');
  return found.delivery;
};

/**
 * Has a delivery that failed, or waits for its next attempt, sent at once and with all its attempts before it. Throws
 * DELIVERY_NOT_FOUND, FORBIDDEN, and DELIVERY_NOT_RETRIABLE while it is being sent or when it has arrived.
 */
export const retryDelivery = async (tx: Db, principal: Principal, id: string): Promise<Delivery> => {
  const { state, channel } = await lockRetriable(tx, principal, id);
  if (state === 'sending' || state === 'delivered')
    throw codedError('DUPLICATE_RESOURCE', 'DELIVERY_NOT_RETRIABLE', { delivery_id: id, state });
  const [retried] = await tx
    .update(deliveries)
    .set({ state: 'pending', attempts: 0, dueAt: sql`now()` })
    .where(eq(deliveries.id, id))
    .returning();
  if (retried === undefined) throw new Error(`delivery ${id} was deleted while locked`);
  await nudge(tx, [channel]);
  return retried;
};

export interface DeliveryCount {
  readonly channel: DeliveryChannel;
  readonly state: DeliveryState;
  readonly deliveries: number;
}

/** How many deliveries there are of each channel and state that has any. */
export const countDeliveries = (db: Db): Promise<DeliveryCount[]> =>
  db
    .select({ channel: deliveries.channel, state: deliveries.state, deliveries: count() })
    .from(deliveries)
    .groupBy(deliveries.channel, deliveries.state);

/** For how long the first of those that have not ended has been due, by channel; of channels that have any. */
export const findOldestDue = (db: Db): Promise<{ channel: DeliveryChannel; seconds: number }[]> =>
  db
    .select({
      channel: deliveries.channel,
      seconds: sql<number>`greatest(0, extract(epoch from now() - min(${deliveries.dueAt})))::float8`,
    })
    .from(deliveries)
    .where(or(eq(deliveries.state, 'pending'), eq(deliveries.state, 'sending')))
    .groupBy(deliveries.channel);

/** Forgets deliveries made before `before` that have ended; returns how many. */
export const deleteDeliveriesBefore = async (db: Db, before: Date): Promise<number> =>
  (await db.delete(deliveries).where(and(lt(deliveries.createdAt, before), inArray(deliveries.state, ['delivered', 'failed'])))).rowCount ??
  0;
