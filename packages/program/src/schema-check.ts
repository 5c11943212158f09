import type { ComponentHealth } from '@sheaf/contract';
import { type Database, findTlsError, isDatabaseUnavailable, latestVersion, readSchemaVersion, schemaDifference } from '@sheaf/db';
import { backoffMs, type Component, type Logger, sleep } from '@sheaf/runtime';

const RETRY = { baseMs: 100, maxMs: 2_000 };

/** Waits for the database and refuses to go on with a schema that is not the one this code is written for. */
export class SchemaCheck implements Component {
  readonly name = 'schema';
  readonly #database: Database;
  readonly #log: Logger;
  readonly #abort = new AbortController();
  #expected: number | undefined;

  constructor(database: Database, log: Logger) {
    this.#database = database;
    this.#log = log;
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

  /** Whether the database answers now, with the schema this code needs. */
  async ready(): Promise<ComponentHealth> {
    try {
      const difference = schemaDifference(await readSchemaVersion(this.#database.db), (this.#expected ??= await latestVersion()));
      return difference === undefined ? { status: 'healthy' } : { status: 'unhealthy', message: difference.message };
    } catch (error) {
      return {
        status: 'unhealthy',
        message: isDatabaseUnavailable(error) ? 'the database cannot be reached' : 'the database does not answer as expected',
      };
    }
  }
}
