import type { Db } from '@sheaf/db';
import { countReading, countReadingOf, type ReadingCounts } from '@sheaf/documents';
import { type Clock, type Logger, Loop } from '@sheaf/process';
import type { EventType } from '@sheaf/vocabulary/events';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import type { EventHub } from './hub.ts';
import { OutgoingEvent } from './outgoing-event.ts';
import type { Subscription } from './subscription.ts';

/** At most so often. */
const INTERVAL_MS = 1_000;

const CHANGING: ReadonlySet<EventType> = new Set(['document_created', 'document_updated', 'document_deleted', 'ocr_progress']);

export interface QueueStatusDeps {
  readonly db: Db;
  readonly hub: EventHub;
  readonly subscriptions: ReadonlySet<Subscription>;
  readonly clock: Clock;
  readonly log: Logger;
}

const ALL = 'all';

/** Whose documents are counted for somebody: everybody's, his own by his id, or undefined for nobody's. */
const countedFor = ({ permissions, userId }: Principal): string | undefined => {
  const scope = scopeOf(permissions, 'documents.read');
  if (scope === 'none') return undefined;
  return scope === 'all' ? ALL : userId;
};

const isSame = (a: ReadingCounts, b: ReadingCounts | undefined): boolean =>
  a.pending === b?.pending && a.processing === b.processing && a.completed === b.completed;

/**
 * Tells how many documents wait, are being read and are read, where that has changed, to those who listen, each as far as he may read
 * documents. Not kept: it has the number of the last event.
 */
export const makeQueueStatus = (deps: QueueStatusDeps): Loop => {
  let hasChanged = false;
  let told = new Map<string, ReadingCounts>();
  deps.hub.watch((events) => {
    hasChanged ||= events.some(({ type }) => CHANGING.has(type));
  });
  const run = async (): Promise<boolean> => {
    if (!hasChanged) return false;
    const listeners = findListeners(deps.subscriptions);
    hasChanged = false;
    try {
      const counts = await readCounts(deps.db, [...listeners.keys()]);
      for (const [whose, some] of counts) if (!isSame(some, told.get(whose))) tell(deps, listeners.get(whose) ?? [], some);
      told = counts;
    } catch (error) {
      hasChanged = true;
      throw error;
    }
    return false;
  };
  return new Loop({ name: 'queue-status', intervalMs: INTERVAL_MS, log: deps.log, run });
};

const findListeners = (subscriptions: ReadonlySet<Subscription>): Map<string, Subscription[]> => {
  const listeners = new Map<string, Subscription[]>();
  for (const subscription of subscriptions) {
    const principal = subscription.listenerTo('queue_status');
    const whose = principal && countedFor(principal);
    if (whose !== undefined) listeners.set(whose, [...(listeners.get(whose) ?? []), subscription]);
  }
  return listeners;
};

const readCounts = async (db: Db, whose: readonly string[]): Promise<Map<string, ReadingCounts>> => {
  const owners = whose.filter((name) => name !== ALL);
  const counts = new Map(owners.length === 0 ? [] : await countReadingOf(db, owners));
  if (whose.length > owners.length) counts.set(ALL, await countReading(db));
  return counts;
};

const tell = (
  { clock }: QueueStatusDeps,
  subscriptions: readonly Subscription[],
  { pending, processing, completed }: ReadingCounts,
): void => {
  const data = { pending, processing, completed };
  const event = new OutgoingEvent({ type: 'queue_status', data, createdAt: clock.now() });
  for (const subscription of subscriptions) subscription.tell(event);
};
