import { setImmediate, setTimeout as sleepMs } from 'node:timers/promises';
import type { Secret } from '@sheaf/contract';
import type { ServerReply } from '@sheaf/contract/events';
import type { ComponentHealth } from '@sheaf/contract/operations';
import { type Db, Listener } from '@sheaf/db';
import { type FeedEvent, numberEvents, readEvents, readFeedPosition } from '@sheaf/events';
import { type Component, Counter, Gauge, Histogram, type Logger, Loop, type Registry } from '@sheaf/process';
import { CHANNELS, type CloseCode, type EventType } from '@sheaf/vocabulary/events';

const BATCH = 1_000;
/** Nudges may get lost. */
const POLL_MS = 1_000;
/** While nudges arrive, looking again is for one that was lost. */
const NUDGED_POLL_MS = 5_000;
/** Many transactions a second share a round. */
const MIN_ROUND_MS = 8;

export interface FollowerDeps {
  readonly db: Db;
  readonly databaseUrl: Secret;
  readonly hub: EventHub;
  readonly metrics: Pick<EventMetrics, 'lagSeconds'>;
  /** Awaited before events are passed on, so that who hears of a change can read it. */
  readonly beforePassingOn: () => Promise<unknown>;
  readonly log: Logger;
}

/**
 * Gives events their numbers as soon as their transactions have ended, and passes them on in that order. Every event is passed on
 * once, also when the database goes away in the middle.
 */
export class EventFollower implements Component {
  readonly name = 'event-follower';
  readonly #deps: FollowerDeps;
  readonly #loop: Loop;
  readonly #listener: Listener;
  /** What was numbered last may not have been told. */
  #isUnsure = false;
  #roundAtMs = 0;
  #nudging: NodeJS.Timeout | undefined;

  constructor(deps: FollowerDeps) {
    this.#deps = deps;
    const { log, databaseUrl } = deps;
    this.#loop = new Loop({ name: this.name, intervalMs: POLL_MS, log, run: () => this.#round() });
    this.#listener = new Listener({ url: databaseUrl, channels: [CHANNELS.events], log, onNudge: () => this.#nudge() });
  }

  async start(): Promise<void> {
    this.#deps.hub.startAt(await readFeedPosition(this.#deps.db));
    await this.#loop.start();
    await this.#listener.start();
  }

  async stop(): Promise<void> {
    await this.#listener.stop();
    clearTimeout(this.#nudging);
    await this.#loop.stop();
  }

  health(): ComponentHealth {
    const loop = this.#loop.health();
    return loop.status === 'healthy' ? this.#listener.health() : loop;
  }

  #nudge(): void {
    this.#nudging ??= setTimeout(
      () => {
        this.#nudging = undefined;
        this.#loop.nudge();
      },
      Math.max(0, this.#roundAtMs + MIN_ROUND_MS - performance.now()),
    );
  }

  async #round(): Promise<boolean | number> {
    const { db, hub, metrics } = this.#deps;
    this.#roundAtMs = performance.now();
    if (this.#isUnsure) await this.#passOnUpTo(await readFeedPosition(db));
    this.#isUnsure = true;
    const events = await numberEvents(db, BATCH);
    const [first, last] = [events[0], events.at(-1)];
    if (first !== undefined && last !== undefined) {
      // the numbers in between were given by who could not pass them on any more
      if (first.seq > hub.position + 1) await this.#passOnUpTo(first.seq - 1);
      metrics.lagSeconds.observe(Math.max(0, Date.now() - first.createdAt.getTime()) / 1_000);
      await this.#deps.beforePassingOn();
      await hub.publish(events, last.seq);
    } else {
      // another api may have been first, for the moment in which one takes over from the other
      await this.#passOnUpTo(await readFeedPosition(db));
    }
    this.#isUnsure = false;
    if (events.length === BATCH) return true;
    return this.#listener.isConnected ? NUDGED_POLL_MS : POLL_MS;
  }

  async #passOnUpTo(upTo: number): Promise<void> {
    const { db, hub } = this.#deps;
    while (hub.position < upTo) {
      const events = await readEvents(db, { after: hub.position, upTo, limit: BATCH });
      if (events.length > 0) await this.#deps.beforePassingOn();
      await hub.publish(events, events.length === BATCH ? (events.at(-1)?.seq ?? upTo) : upTo);
    }
  }
}

/** Who hears events at the moment they come. */
export interface Subscriber {
  /** All events up to and with the number `upTo` that follow those it was given before. */
  hear(events: readonly HeardOutgoing[], upTo: number): void;
}

/** An event and the owner of its subject. */
export interface HeardOutgoing {
  readonly ownerId: string | null;
  readonly outgoing: OutgoingEvent;
}

/** Handing over some 2,000 events takes about 20 ms; then others get a turn. */
const HANDED_AT_ONCE = 2_000;
/** More of them at once would be much to wait for a connection that reads. */
const EVENTS_AT_ONCE = 200;

/** Passes events on to all who listen, in their order. */
export class EventHub {
  readonly #subscribers = new Set<Subscriber>();
  readonly #watchers: ((events: readonly FeedEvent[]) => void)[] = [];
  #position = 0;

  /** The number of the last event that was passed on. All up to it are to be found in the database. */
  get position(): number {
    return this.#position;
  }

  /** From now on events behind `position` come. */
  startAt(position: number): void {
    this.#position = position;
  }

  /** Calls `watcher` with all events that are passed on from now on. */
  watch(watcher: (events: readonly FeedEvent[]) => void): void {
    this.#watchers.push(watcher);
  }

  /** From now on `subscriber` hears all that comes behind `position`. */
  join(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber);
  }

  leave(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
  }

  /** `events` are all there are between the present position and `upTo`, in their order. */
  async publish(events: readonly FeedEvent[], upTo: number): Promise<void> {
    for (let at = 0; at < events.length; ) {
      const size = Math.min(EVENTS_AT_ONCE, Math.ceil(HANDED_AT_ONCE / (this.#subscribers.size + 1)));
      const some = events.slice(at, at + size);
      at += some.length;
      this.#pass(some, at === events.length ? upTo : (some.at(-1)?.seq ?? upTo));
      if (at < events.length) await setImmediate();
    }
    if (events.length === 0) this.#pass([], upTo);
  }

  #pass(events: readonly FeedEvent[], upTo: number): void {
    this.#position = upTo;
    const outgoing = events.map((event) => ({ ownerId: event.ownerId, outgoing: new OutgoingEvent(event) }));
    for (const subscriber of this.#subscribers) subscriber.hear(outgoing, upTo);
    for (const watcher of this.#watchers) watcher(events);
  }
}

/** What is counted of events and of who listens to them. */
export class EventMetrics {
  readonly delivered: Counter<'protocol'>;
  readonly dropped: Counter<'protocol'>;
  readonly lagSeconds: Histogram;

  constructor(registry: Registry, countConnections: (protocol: Protocol) => number) {
    const registers = [registry];
    this.delivered = new Counter({
      name: 'sheaf_events_delivered_total',
      help: 'Events sent to connections',
      labelNames: ['protocol'],
      registers,
    });
    this.dropped = new Counter({
      name: 'sheaf_event_slow_readers_total',
      help: 'Connections closed because the client was too slow',
      labelNames: ['protocol'],
      registers,
    });
    this.lagSeconds = new Histogram({
      name: 'sheaf_event_lag_seconds',
      help: 'Time from the start of a transaction to the delivery of its events',
      buckets: [0.005, 0.02, 0.05, 0.2, 1, 5, 60],
      registers,
    });
    const connections: Gauge<'protocol'> = new Gauge({
      name: 'sheaf_event_connections',
      help: 'Open event connections',
      labelNames: ['protocol'],
      registers,
      collect: () => {
        for (const protocol of PROTOCOLS) connections.set({ protocol }, countConnections(protocol));
      },
    });
    for (const protocol of PROTOCOLS) {
      this.delivered.inc({ protocol }, 0);
      this.dropped.inc({ protocol }, 0);
    }
  }
}

const PROTOCOLS = ['websocket', 'socket.io'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** A client's connection, whatever it speaks. None of these throw when it is closed. */
export interface EventConnection {
  readonly protocol: Protocol;
  readonly isOpen: boolean;
  reply(message: ServerReply): void;
  deliver(events: readonly OutgoingEvent[]): void;
  /** What was sent and has not left yet. */
  waitingBytes(): number;
  close(code: CloseCode, reason: string): void;
}

const PAUSE_MS = { first: 2, longest: 250 } as const;

/** Resolves when all that was sent has left, the connection is closed, or nobody `isWaiting` for it any more. */
export const untilDrained = async (connection: EventConnection, isWaiting: () => boolean): Promise<void> => {
  await setImmediate();
  for (let pauseMs: number = PAUSE_MS.first; isWaiting() && connection.isOpen && connection.waitingBytes() > 0; ) {
    await sleepMs(pauseMs);
    pauseMs = Math.min(PAUSE_MS.longest, pauseMs * 2);
  }
};

/** What is delivered: an event in its place, or counts of the moment, which are never told again and so have no number. */
type DeliveredEvent = Omit<FeedEvent, 'ownerId' | 'seq'> & Partial<Pick<FeedEvent, 'seq'>>;

/** An event on its way to many: what it says is made once, whoever hears it. */
export class OutgoingEvent {
  readonly event: DeliveredEvent;
  #body: Readonly<Record<string, unknown>> | undefined;
  #json: Buffer | undefined;

  constructor(event: DeliveredEvent) {
    this.event = event;
  }

  get type(): EventType {
    return this.event.type;
  }

  /** Its data also stand at the top, but for names that the event itself has there. */
  get body(): Readonly<Record<string, unknown>> {
    if (this.#body !== undefined) return this.#body;
    const { type, seq, createdAt, data } = this.event;
    const own = { type, ...(seq === undefined ? {} : { seq }), timestamp: createdAt.toISOString(), data };
    this.#body = { ...own, ...data, ...own };
    return this.#body;
  }

  /** The body as JSON, ready to be sent to any number of clients. */
  get json(): Buffer {
    this.#json ??= Buffer.from(JSON.stringify(this.body));
    return this.#json;
  }
}
