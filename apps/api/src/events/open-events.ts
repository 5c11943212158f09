import type { Identity } from '@sheaf/accounts';
import type { FixedConfig } from '@sheaf/config';
import type { Database, Db } from '@sheaf/db';
import { countReading, countReadingOf, type ReadingCounts } from '@sheaf/documents';
import { type Clock, type Component, type Live, type Logger, Loop, type Registry } from '@sheaf/process';
import type { EventType } from '@sheaf/vocabulary/events';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import type { Express, RequestHandler } from 'express';
import type { Authenticator } from '../http/authenticate.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import type { UpgradeHandler } from '../http/server.ts';
import type { ClientConnectionDeps } from './client-connection.ts';
import { ConnectionRegister, type EventLimits } from './connection-register.ts';
import { EventFollower, EventHub, EventMetrics, OutgoingEvent } from './follower.ts';
import { SocketIoTransport } from './socket-io-transport.ts';
import { ReplayReader, type Subscription } from './subscription.ts';
import { eventRequests, eventUpgrades, type Transports, WebSocketTransport } from './websocket-transport.ts';

export interface Events {
  /** Numbers events and passes them on: to be started before the server, and stopped after it. */
  readonly feed: readonly Component[];
  /** All connections: to be started after the server, and stopped before it, which waits for them. */
  readonly connections: Component;
  readonly requests: RequestHandler;
  readonly upgrades: (app: Express) => UpgradeHandler;
}

interface EventParts {
  readonly config: Pick<FixedConfig, 'websocket' | 'signIn' | 'cors' | 'server' | 'publicUrl'>;
  readonly database: Database;
  readonly identity: Pick<Identity, 'look' | 'onChange'>;
  readonly authenticator: Authenticator;
  readonly rateLimit: RateLimit;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Everything between the table of events and those who listen. `limits.all` is the number of all connections together, and
 * `beforePassingOn` is awaited before events are passed on.
 */
export const openEvents = (
  parts: EventParts,
  limits: EventLimits & { readonly all: Live<number> },
  beforePassingOn: () => Promise<unknown>,
): Events => {
  const { config, database, identity, registry, clock, log } = parts;
  const { db } = database;
  const register = new ConnectionRegister(limits);
  let changes = 0;
  identity.onChange((userId) => {
    changes += 1;
    register.recheck(userId);
  });
  const metrics = new EventMetrics(registry, (protocol) => register.count(protocol));
  const hub = new EventHub();
  const subscriptions = new Set<Subscription>();
  const clients: ClientConnectionDeps = {
    subscription: { hub, replays: new ReplayReader(db), metrics, waitingBytes: limits.waitingBytes, log },
    user: { db, look: (credentials) => identity.look(credentials), limits, clock },
    changes: () => changes,
    subscriptions,
  };
  const transports: Transports | undefined = config.websocket.enabled
    ? { websocket: new WebSocketTransport(register, clients), socketIo: new SocketIoTransport(register, clients) }
    : undefined;
  return {
    feed: [
      new EventFollower({ db, databaseUrl: database.directUrl, hub, metrics, beforePassingOn, log }),
      makeQueueStatus({ db, hub, subscriptions, clock, log }),
    ],
    connections: {
      name: 'event-connections',
      start: async () => transports?.websocket.start(),
      stop: async () => {
        await Promise.all([transports?.websocket.stop(), transports?.socketIo.stop()]);
      },
    },
    requests: eventRequests(transports, parts),
    upgrades: (app) => eventUpgrades(transports, parts, app),
  };
};

/** So long after a change the counts are told, once for all changes until then. */
const GATHERING_MS = 1_000;
/** Changes nudge: nothing is found without one but what could not be told. */
const INTERVAL_MS = 60_000;

const CHANGING: ReadonlySet<EventType> = new Set(['document_created', 'document_updated', 'document_deleted', 'ocr_progress']);

interface QueueStatusDeps {
  readonly db: Db;
  readonly hub: EventHub;
  readonly subscriptions: ReadonlySet<Subscription>;
  readonly clock: Clock;
  readonly log: Logger;
}

const ALL = 'all';

/** Whose documents are counted for somebody: everybody's, their own by their id, or undefined for nobody's. */
const countedFor = ({ permissions, userId }: Principal): string | undefined => {
  const scope = scopeOf(permissions, 'documents.read');
  if (scope === 'none') return undefined;
  return scope === 'all' ? ALL : userId;
};

const isSame = (a: ReadingCounts, b: ReadingCounts | undefined): boolean =>
  a.pending === b?.pending && a.processing === b.processing && a.completed === b.completed;

/**
 * Tells how many documents wait, are being read and are read, where that has changed, to those who listen, each as far as they may read
 * documents. Not kept: it has the number of the last event.
 */
const makeQueueStatus = (deps: QueueStatusDeps): Loop => {
  let hasChanged = false;
  let sent = new Map<string, ReadingCounts>();
  deps.hub.watch((events) => {
    if (!events.some(({ type }) => CHANGING.has(type))) return;
    hasChanged = true;
    loop.nudgeIn(GATHERING_MS);
  });
  const run = async (): Promise<boolean> => {
    if (!hasChanged) return false;
    const listeners = findListeners(deps.subscriptions);
    hasChanged = false;
    try {
      const counts = await readCounts(deps.db, [...listeners.keys()]);
      for (const [whose, some] of counts) if (!isSame(some, sent.get(whose))) send(deps, listeners.get(whose) ?? [], some);
      sent = counts;
    } catch (error) {
      hasChanged = true;
      throw error;
    }
    return false;
  };
  const loop = new Loop({ name: 'queue-status', intervalMs: INTERVAL_MS, log: deps.log, run });
  return loop;
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

const send = (
  { clock }: QueueStatusDeps,
  subscriptions: readonly Subscription[],
  { pending, processing, completed }: ReadingCounts,
): void => {
  const data = { pending, processing, completed };
  const event = new OutgoingEvent({ type: 'queue_status', data, createdAt: clock.now() });
  for (const subscription of subscriptions) subscription.send(event);
};
