import { setTimeout as sleepMs } from 'node:timers/promises';
import { canReceive, type Db } from '@sheaf/db';
import { type FeedEvent, type FeedRange, readEventsFor } from '@sheaf/events';
import { backoffMs, type Logger } from '@sheaf/process';
import { CLOSE_CODES, type EventType } from '@sheaf/vocabulary/events';
import type { Principal } from '@sheaf/vocabulary/permissions';
import pLimit from 'p-limit';
import {
  type EventConnection,
  type EventHub,
  type EventMetrics,
  type HeardOutgoing,
  OutgoingEvent,
  type Subscriber,
  untilDrained,
} from './follower.ts';

/** Events read and sent in one go: some 60 kB. */
const PAGE = 200;
/** Numbers looked through in one go: who may hear of little still gets on by bounded steps. */
const WINDOW = 20_000;
const RETRY = { baseMs: 250, maxMs: 5_000 };

export interface SubscriptionDeps {
  readonly hub: EventHub;
  readonly replays: ReplayReader;
  readonly metrics: Pick<EventMetrics, 'delivered' | 'dropped'>;
  readonly waitingBytes: number;
  readonly log: Logger;
}

/** What somebody wants to hear. */
export interface SubscriptionRequest {
  /** Undefined: everything. */
  readonly types: ReadonlySet<EventType> | undefined;
  /** From the event behind this number. */
  readonly after: number;
}

/**
 * What one connection hears, and how far it has come. What it has missed is read from the database, page by page and no faster than
 * it reads; where nothing is missing any more it hears events as they come.
 */
export class Subscription implements Subscriber {
  readonly #connection: EventConnection;
  readonly #deps: SubscriptionDeps;
  #principal: Principal | undefined;
  #hears: ReturnType<typeof canReceive> = () => false;
  #types: ReadonlySet<EventType> | undefined;
  #position = 0;
  #isLive = false;
  /** Counts beginnings, so that what belongs to an earlier one ends. */
  #run = 0;

  constructor(connection: EventConnection, deps: SubscriptionDeps) {
    this.#connection = connection;
    this.#deps = deps;
  }

  /** The number up to which it has heard everything. */
  get position(): number {
    return this.#position;
  }

  /** Who hears `type` at the moment; undefined where nobody does. */
  listenerTo(type: EventType): Principal | undefined {
    return this.#isLive && this.#wants(type) ? this.#principal : undefined;
  }

  begin(principal: Principal, { types, after }: SubscriptionRequest): void {
    this.#types = types;
    this.#position = after;
    this.goOn(principal);
  }

  /** Nothing is delivered until `goOn`, and nothing is lost. */
  hold(): void {
    this.#run += 1;
    this.#isLive = false;
    this.#deps.hub.leave(this);
  }

  /** From where it is, with what `principal` may hear. */
  goOn(principal: Principal): void {
    this.hold();
    this.#principal = principal;
    this.#hears = canReceive(principal);
    void this.#catchUp(principal, this.#run);
  }

  hear(events: readonly HeardOutgoing[], upTo: number): void {
    this.#position = upTo;
    const heard: OutgoingEvent[] = [];
    for (const { ownerId, outgoing } of events)
      if (this.#wants(outgoing.type) && this.#hears({ type: outgoing.type, ownerId })) heard.push(outgoing);
    if (heard.length > 0) this.#handOver(heard);
  }

  /** Tells what is of the moment only, if all before it was heard. */
  send(event: OutgoingEvent): void {
    if (this.#isLive) this.#handOver([event]);
  }

  #wants(type: EventType): boolean {
    return this.#types === undefined || this.#types.has(type);
  }

  /** Closes the connection where too much waits for it. Returns whether it did. */
  dropIfSlow(): boolean {
    const { metrics, waitingBytes } = this.#deps;
    if (this.#connection.waitingBytes() <= waitingBytes) return false;
    this.hold();
    metrics.dropped.inc({ protocol: this.#connection.protocol });
    this.#connection.close(CLOSE_CODES.tooSlow, 'Client too slow. Reconnect and subscribe with last_seq.');
    return true;
  }

  #handOver(events: readonly OutgoingEvent[]): void {
    this.#connection.deliver(events);
    this.#deps.metrics.delivered.inc({ protocol: this.#connection.protocol }, events.length);
    this.dropIfSlow();
  }

  async #catchUp(principal: Principal, run: number): Promise<void> {
    const { hub, log } = this.#deps;
    for (let failures = 0; run === this.#run; ) {
      if (this.#position >= hub.position) {
        // nothing can come between this look and the joining
        this.#isLive = true;
        hub.join(this);
        return;
      }
      try {
        await this.#replayPage(principal, run);
        failures = 0;
      } catch (error) {
        failures += 1;
        log.debug({ err: error, failures }, 'loading events failed, retrying');
        await sleepMs(backoffMs(failures, RETRY));
      }
    }
  }

  async #replayPage(principal: Principal, run: number): Promise<void> {
    const { hub, replays, metrics } = this.#deps;
    const upTo = Math.min(hub.position, this.#position + WINDOW);
    const range = { after: this.#position, upTo, limit: PAGE };
    const events = await replays.read(principal, range, this.#types && [...this.#types]);
    if (run !== this.#run) return;
    this.#connection.deliver(events.map((event) => new OutgoingEvent(event)));
    this.#position = events.length === PAGE ? (events.at(-1)?.seq ?? upTo) : upTo;
    metrics.delivered.inc({ protocol: this.#connection.protocol }, events.length);
    await untilDrained(this.#connection, () => run === this.#run);
  }
}

/** Many clients reconnect at once after a restart; the database has other work too. */
const CONCURRENCY = 3;

/** Reads the events that a client has missed, for a few clients at a time. */
export class ReplayReader {
  readonly #db: Db;
  readonly #limit = pLimit(CONCURRENCY);

  constructor(db: Db) {
    this.#db = db;
  }

  read(principal: Principal, range: FeedRange, types?: readonly EventType[]): Promise<FeedEvent[]> {
    return this.#limit(() => readEventsFor(this.#db, principal, range, types));
  }
}
