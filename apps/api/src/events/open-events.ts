import type { Component } from '@sheaf/runtime';
import type { Express, RequestHandler } from 'express';
import type { ApiDeps } from '../deps.ts';
import type { UpgradeHandler } from '../http/server.ts';
import { ConnectionRegister } from './connection-register.ts';
import type { ConversationDeps } from './conversation.ts';
import { type Doors, eventRequests, eventUpgrades } from './event-doors.ts';
import { EVENT_LIMITS, type EventLimits } from './event-limits.ts';
import { EventMetrics } from './event-metrics.ts';
import { EventFollower } from './follower.ts';
import { EventHub } from './hub.ts';
import { makeQueueStatus } from './queue-status.ts';
import { ReplayReader } from './replay-reader.ts';
import { SocketIoDoor } from './socket-io-door.ts';
import type { Subscription } from './subscription.ts';
import { WebSocketDoor } from './websocket-door.ts';

export interface Events {
  /** Numbers events and passes them on: to be started before the server, and stopped after it. */
  readonly feed: readonly Component[];
  /** All connections: to be started after the server, and stopped before it, which waits for them. */
  readonly connections: Component;
  readonly requests: RequestHandler;
  readonly upgrades: (app: Express) => UpgradeHandler;
}

/** Everything between the table of events and those who listen. */
export const openEvents = (deps: ApiDeps, limits: EventLimits = EVENT_LIMITS): Events => {
  const { config, database, identity, registry, clock, log } = deps;
  const { db } = database;
  const register = new ConnectionRegister({ ...limits, all: () => config.websocket.maxConnections });
  let changes = 0;
  identity.onChange((userId) => {
    changes += 1;
    register.recheck(userId);
  });
  const metrics = new EventMetrics(registry, (protocol) => register.count(protocol));
  const hub = new EventHub();
  const subscriptions = new Set<Subscription>();
  const conversation: ConversationDeps = {
    db,
    hub,
    replays: new ReplayReader(db),
    metrics,
    waitingBytes: limits.waitingBytes,
    look: (credentials) => identity.look(credentials),
    changes: () => changes,
    subscriptions,
    limits,
    clock,
    log,
  };
  const doors: Doors | undefined = config.websocket.enabled
    ? { websocket: new WebSocketDoor(register, conversation), socketIo: new SocketIoDoor(register, conversation) }
    : undefined;
  return {
    feed: [
      new EventFollower({ db, databaseUrl: database.url, hub, metrics, log }),
      makeQueueStatus({ db, hub, subscriptions, clock, log }),
    ],
    connections: {
      name: 'event-connections',
      start: async () => doors?.websocket.start(),
      stop: async () => {
        await Promise.all([doors?.websocket.stop(), doors?.socketIo.stop()]);
      },
    },
    requests: eventRequests(doors, deps),
    upgrades: (app) => eventUpgrades(doors, deps, app),
  };
};
