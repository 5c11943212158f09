import { type Component, type Logger, Loop } from '@sheaf/process';
import type { PoolClient } from 'pg';
import type { Database } from './client.ts';

const LOOK_EVERY_MS = 5_000;

/** Takes connections until `count` are in hand, so that the pool has to make those that it lacks, and gives all back. */
const takeAtOnce = async ({ pool }: Database, count: number): Promise<void> => {
  const taken = await Promise.allSettled(Array.from({ length: count }, (): Promise<PoolClient> => pool.connect()));
  for (const one of taken) if (one.status === 'fulfilled') one.value.release();
  const failed = taken.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
};

/**
 * Keeps the least number of connections of a pool open, from the start on and when some were lost or too old. The pool itself makes
 * one only when somebody asks, and takes care only not to close too many idle ones.
 */
export class KeepConnections implements Component {
  readonly name = 'database-connections';
  readonly #database: Database;
  readonly #loop: Loop;
  readonly #onRemove = (): void => this.#loop.nudge();

  constructor(database: Database, log: Logger) {
    this.#database = database;
    this.#loop = new Loop({ name: this.name, intervalMs: LOOK_EVERY_MS, log, run: () => this.#fill() });
  }

  async start(): Promise<void> {
    this.#database.pool.on('remove', this.#onRemove);
    await this.#loop.start();
  }

  async stop(): Promise<void> {
    this.#database.pool.off('remove', this.#onRemove);
    await this.#loop.stop();
  }

  async #fill(): Promise<false> {
    const { pool } = this.#database;
    const missing = (pool.options.min ?? 0) - pool.totalCount;
    if (missing > 0 && !pool.ending) await takeAtOnce(this.#database, pool.idleCount + missing);
    return false;
  }
}
