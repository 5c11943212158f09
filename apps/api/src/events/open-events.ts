import type { Identity } from '@sheaf/accounts';
import type { FixedConfig } from '@sheaf/config';
import type { Database } from '@sheaf/db';
import type { Clock, Component, Live, Logger, Registry } from '@sheaf/process';
import type { Express, RequestHandler } from 'express';
import type { Authenticator } from '../http/authenticate.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import type { UpgradeHandler } from '../http/server.ts';
import type { ClientConnectionDeps } from './client-connection.ts';
import { ConnectionRegister } from './connection-register.ts';
import type { EventLimits } from './event-limits.ts';
import { EventMetrics } from './event-metrics.ts';
import { eventRequests, eventUpgrades, type Transports } from './event-transports.ts';
import { EventFollower } from './follower.ts';
import { EventHub } from './hub.ts';
import { makeQueueStatus } from './queue-status.ts';
import { ReplayReader } from './replay-reader.ts';
import { SocketIoTransport } from './socket-io-transport.ts';
import type { Subscription } from './subscription.ts';
import { WebSocketTransport } from './websocket-transport.ts';

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
