import { type Component, type Logger, Loop } from '@sheaf/process';
import type { PoolClient } from 'pg';
import type { Database } from './client.ts';

export interface KeepConnectionsSettings {
  /** How long a pool has to be at rest until connections that were there for work are replaced. */
  readonly restMs?: number;
}

const LOOK_EVERY_MS = 5_000;
/** What a session has read of the catalog, and its plans, stay in the server's memory until its end: up to 15 MB, of which a new one has none. */
const REST_MS = 60_000;
/** Of connections, from one look to the next: polls and heartbeats take up to twelve. */
const MOST_USES_AT_REST = 30;

/**
 * Keeps the least number of connections of a pool open, from the start on and when some were lost or too old, and after work replaces all by
 * new ones. The pool itself makes one only when somebody asks, and takes care only not to close too many idle ones.
 */
export class KeepConnections implements Component {
  readonly name = 'database-connections';
  readonly #database: Database;
  readonly #restMs: number;
  readonly #loop: Loop;
  /** All of the pool that were seen. */
  readonly #madeAtMs = new Map<PoolClient, number>();
  #uses = 0;
  /** When the pool was last at work. */
  #busyAtMs: number | undefined;
  readonly #onConnect = (client: PoolClient): void => void this.#madeAtMs.set(client, performance.now());
  readonly #onAcquire = (client: PoolClient): void => {
    this.#uses += 1;
    if (!this.#madeAtMs.has(client)) this.#madeAtMs.set(client, 0); // from before the start
  };
  readonly #onRemove = (client: PoolClient): void => {
    this.#madeAtMs.delete(client);
    this.#loop.nudge();
  };

  constructor(database: Database, log: Logger, { restMs = REST_MS }: KeepConnectionsSettings = {}) {
    this.#database = database;
    this.#restMs = restMs;
    this.#loop = new Loop({ name: this.name, intervalMs: Math.min(LOOK_EVERY_MS, restMs), log, run: () => this.#round() });
  }

  async start(): Promise<void> {
    this.#database.pool.on('connect', this.#onConnect).on('acquire', this.#onAcquire).on('remove', this.#onRemove);
    await this.#loop.start();
  }

  async stop(): Promise<void> {
    this.#database.pool.off('connect', this.#onConnect).off('acquire', this.#onAcquire).off('remove', this.#onRemove);
    await this.#loop.stop();
  }

  async #round(): Promise<false> {
    const { pool } = this.#database;
    if (this.#uses > MOST_USES_AT_REST) this.#busyAtMs = performance.now();
    this.#uses = 0;
    if (pool.ending) return false;
    // again and again, until none was in somebody's hands
    if ([...this.#madeAtMs.keys()].some((client) => this.#isWorn(client))) await this.#takeAtOnce(pool.idleCount);
    const missing = (pool.options.min ?? 0) - pool.totalCount;
    if (missing > 0) await this.#takeAtOnce(pool.idleCount + missing);
    this.#uses = 0; // not by others
    return false;
  }

  /**
   * Takes connections until `count` are in hand, so that the pool has to make those that it lacks, and gives all back but those that were there
   * for work, once that is over.
   */
  async #takeAtOnce(count: number): Promise<void> {
    const { pool } = this.#database;
    const outcomes = await Promise.allSettled(Array.from({ length: count }, (): Promise<PoolClient> => pool.connect()));
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') outcome.value.release(this.#isWorn(outcome.value) || undefined);
    }
    const failed = outcomes.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  #isWorn(client: PoolClient): boolean {
    const busyAtMs = this.#busyAtMs;
    if (busyAtMs === undefined || performance.now() - busyAtMs < this.#restMs) return false;
    return (this.#madeAtMs.get(client) ?? 0) <= busyAtMs;
  }
}
