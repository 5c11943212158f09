import type { Secret } from '@sheaf/contract';
import type { ComponentHealth } from '@sheaf/contract/operations';
import { type Db, Listener } from '@sheaf/db';
import { numberEvents, readEvents, readFeedPosition } from '@sheaf/events';
import { type Component, type Logger, Loop } from '@sheaf/process';
import { CHANNELS } from '@sheaf/vocabulary/events';
import type { EventMetrics } from './event-metrics.ts';
import type { EventHub } from './hub.ts';

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
