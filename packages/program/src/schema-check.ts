import type { ComponentHealth } from '@sheaf/contract/operations';
import {
  askSchemaVersion,
  type Database,
  findTlsError,
  isCancelledStatement,
  isDatabaseUnavailable,
  latestVersion,
  readSchemaVersion,
  schemaDifference,
} from '@sheaf/db';
import { backoffMs, type Component, type Logger, sleep, within } from '@sheaf/process';

const RETRY = { baseMs: 100, maxMs: 2_000 };
/** Whoever asks whether this process can work is told so much later at most that it cannot. */
const READY_LIMIT_MS = 5_000;

/** Waits for the database and refuses to go on with a schema that is not the one this code is written for. */
export class SchemaCheck implements Component {
  readonly name = 'schema';
  readonly #database: Database;
  readonly #log: Logger;
  readonly #abort = new AbortController();
  readonly #limitMs: number;
  #expected: number | undefined;
  #asking: Promise<ComponentHealth> | undefined;

  constructor(database: Database, log: Logger, limitMs: number = READY_LIMIT_MS) {
    this.#database = database;
    this.#log = log;
    this.#limitMs = limitMs;
  }

  async start(): Promise<void> {
    this.#expected ??= await latestVersion();
    for (let attempt = 1; !this.#abort.signal.aborted; attempt += 1) {
      try {
        const difference = schemaDifference(await readSchemaVersion(this.#database.db), this.#expected);
        if (difference === undefined) return;
        throw difference;
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error;
        const refusal = findTlsError(error);
        if (refusal !== undefined) throw refusal;
        this.#log.warn({ err: error }, 'waiting for the database');
        await sleep(backoffMs(attempt, RETRY), this.#abort.signal);
      }
    }
  }

  async stop(): Promise<void> {
    this.#abort.abort();
  }

  /** Whether the database answers now, with the schema this code needs. It is asked once for all who want to know meanwhile. */
  async ready(): Promise<ComponentHealth> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return (await within(this.#asking, this.#limitMs)) ?? this.#late();
  }

  async #ask(): Promise<ComponentHealth> {
    try {
      const expected = (this.#expected ??= await latestVersion());
      const difference = schemaDifference(await askSchemaVersion(this.#database, this.#limitMs), expected);
      return difference === undefined ? { status: 'healthy' } : { status: 'unhealthy', message: difference.message };
    } catch (error) {
      if (isCancelledStatement(error)) return this.#late();
      return {
        status: 'unhealthy',
        message: isDatabaseUnavailable(error) ? 'the database is not reachable' : 'unexpected response of the database',
      };
    }
  }

  #late(): ComponentHealth {
    const { waitingCount, totalCount, idleCount, options } = this.#database.pool;
    const areAllBusy = waitingCount > 0 && idleCount === 0 && totalCount >= options.max;
    const message = areAllBusy
      ? `all ${totalCount} connections to the database are in use (DATABASE_MAX_CONNECTIONS), and none became available in time`
      : `no response of the database for ${this.#limitMs / 1_000} seconds`;
    return { status: 'unhealthy', message };
  }
}
