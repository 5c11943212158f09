import { type Component, type Logger, Loop } from '@sheaf/process';
import type { PoolClient } from 'pg';
import type { Database } from './client.ts';

export interface KeepConnectionsSettings {
  /** How long a connection that was used has to rest until a new one takes its place. */
  readonly restMs?: number;
}

const LOOK_EVERY_MS = 5_000;
/** What a session has read of the catalog stays in the server's memory until its end: 5 MB, of which a new one has none. */
const REST_MS = 60_000;

/**
 * Keeps the least number of connections of a pool open, from the start on and when some were lost or too old, and replaces those that have
 * rested after work. The pool itself makes one only when somebody asks, and takes care only not to close too many idle ones.
 */
export class KeepConnections implements Component {
  readonly name = 'database-connections';
  readonly #database: Database;
  readonly #restMs: number;
  readonly #loop: Loop;
  /** Those that somebody has worked with, and when he gave them back. */
  readonly #usedAtMs = new Map<PoolClient, number>();
  readonly #taken = new Set<PoolClient>();
  readonly #onRelease = (_error: unknown, client: PoolClient): void => {
    if (!this.#taken.has(client)) this.#usedAtMs.set(client, performance.now());
  };
  readonly #onRemove = (client: PoolClient): void => {
    this.#usedAtMs.delete(client);
    this.#loop.nudge();
  };

  constructor(database: Database, log: Logger, { restMs = REST_MS }: KeepConnectionsSettings = {}) {
    this.#database = database;
    this.#restMs = restMs;
    this.#loop = new Loop({ name: this.name, intervalMs: Math.min(LOOK_EVERY_MS, restMs), log, run: () => this.#round() });
  }

  async start(): Promise<void> {
    this.#database.pool.on('release', this.#onRelease).on('remove', this.#onRemove);
    await this.#loop.start();
  }

  async stop(): Promise<void> {
    this.#database.pool.off('release', this.#onRelease).off('remove', this.#onRemove);
    await this.#loop.stop();
  }

  async #round(): Promise<false> {
    const { pool } = this.#database;
    if (pool.ending) return false;
    if ([...this.#usedAtMs.values()].some((usedAtMs) => this.#hasRested(usedAtMs))) await this.#takeAtOnce(pool.idleCount);
    const missing = (pool.options.min ?? 0) - pool.totalCount;
    if (missing > 0) await this.#takeAtOnce(pool.idleCount + missing);
    return false;
  }

  /**
   * Takes connections until `count` are in hand, so that the pool has to make those that it lacks, and gives all back but those that have
   * rested. The one that was used last stays the one that is used next.
   */
  async #takeAtOnce(count: number): Promise<void> {
    const { pool } = this.#database;
    const outcomes = await Promise.allSettled(Array.from({ length: count }, (): Promise<PoolClient> => pool.connect()));
    for (const outcome of outcomes.toReversed()) {
      if (outcome.status === 'rejected') continue;
      this.#taken.add(outcome.value);
      outcome.value.release(this.#hasRested(this.#usedAtMs.get(outcome.value)) || undefined);
      this.#taken.delete(outcome.value);
    }
    const failed = outcomes.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  #hasRested(usedAtMs: number | undefined): boolean {
    return usedAtMs !== undefined && performance.now() - usedAtMs >= this.#restMs;
  }
}
