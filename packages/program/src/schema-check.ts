import { type ComponentHealth, foundProblems, unhealthy } from '@sheaf/contract/operations';
import { type Database, findSetupError, isCancelledStatement, isDatabaseFull, isDatabaseUnavailable } from '@sheaf/db';
import { askSchemaState, latestVersion, readSchemaState, schemaDifference } from '@sheaf/db/migrations';
import { isOtherServer } from '@sheaf/db/sign-in';
import { backoffMs, type Component, FatalError, type Logger, Loop, sleep, within } from '@sheaf/process';
import { isDatabaseDiskFull } from '@sheaf/process/machine';
import { EXIT } from '@sheaf/vocabulary/exit-codes';

/** Whoever asks whether this process can work is told so much later at most that it cannot. */
const READY_LIMIT_MS = 5_000;

/** A migration nudges; for so long at most this process goes on with a schema that it does not work with where that was lost. */
const WATCH_MS = 30_000;

export interface SchemaCheckSettings {
  readonly database: Database;
  readonly log: Logger;
  /** Five seconds where none is given. */
  readonly limitMs?: number;
  /** The data of the embedded database, where that may be the one: a full disk is why it does not work then. */
  readonly embeddedPath?: string;
  /** Ends the process: the schema has become one that it does not work with. */
  readonly onDifference: (error: FatalError) => void;
}

/** A process of a version that does not match the schema is configured wrongly on its host, whichever of the two is newer. */
const asRefusal = ({ problem }: FatalError): FatalError => new FatalError(problem, EXIT.configuration);

/** Undefined where this code works with the schema. */
type SchemaDifference = ReturnType<typeof schemaDifference>;

/** Waits for the database, and refuses to start and to go on with a schema that this code does not work with. */
export class SchemaCheck implements Component {
  readonly name = 'schema';
  readonly #database: Database;
  readonly #log: Logger;
  readonly #onDifference: SchemaCheckSettings['onDifference'];
  readonly #abort = new AbortController();
  readonly #limitMs: number;
  readonly #embeddedPath: string | undefined;
  readonly #watch: Loop;
  #expected: number | undefined;
  #asking: Promise<SchemaDifference> | undefined;

  constructor({ database, log, limitMs = READY_LIMIT_MS, embeddedPath, onDifference }: SchemaCheckSettings) {
    this.#database = database;
    this.#log = log;
    this.#limitMs = limitMs;
    this.#embeddedPath = embeddedPath;
    this.#onDifference = onDifference;
    this.#watch = new Loop({ name: 'watch-schema', intervalMs: WATCH_MS, log, run: () => this.#look() });
  }

  async start(): Promise<void> {
    this.#expected ??= await latestVersion();
    const expected = this.#expected;
    const state = await waitForDatabase(() => readSchemaState(this.#database.db, expected), this.#log, this.#abort.signal);
    if (state === undefined) return;
    const difference = schemaDifference(state, expected);
    if (difference !== undefined) throw asRefusal(difference);
    await this.#watch.start();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#watch.stop();
  }

  /** The schema may have changed. */
  nudge(): void {
    this.#watch.nudge();
  }

  /** Whether the database answers now, with a schema that this code works with. It is asked once for all who want to know meanwhile. */
  async ready(): Promise<ComponentHealth> {
    return (await within(this.#health(), this.#limitMs)) ?? this.#late();
  }

  async #health(): Promise<ComponentHealth> {
    try {
      const problem = (await this.#ask())?.problem;
      return foundProblems('unhealthy', problem === undefined ? [] : [problem]);
    } catch (error) {
      if (isDatabaseFull(error) || (await this.#isDiskFull())) return unhealthy('database_disk_full');
      if (isCancelledStatement(error)) return this.#late();
      if (isOtherServer(error)) return unhealthy('database_other_server');
      return unhealthy(isDatabaseUnavailable(error) ? 'database_unreachable' : 'database_invalid_response');
    }
  }

  async #isDiskFull(): Promise<boolean> {
    return this.#embeddedPath !== undefined && (await isDatabaseDiskFull(this.#embeddedPath));
  }

  #ask(): Promise<SchemaDifference> {
    this.#asking ??= this.#readDifference().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #readDifference(): Promise<SchemaDifference> {
    const expected = (this.#expected ??= await latestVersion());
    return schemaDifference(await askSchemaState(this.#database, expected, this.#limitMs), expected);
  }

  async #look(): Promise<boolean> {
    try {
      const difference = await this.#ask();
      if (difference === undefined || this.#abort.signal.aborted) return false;
      this.#abort.abort(); // it is said once
      this.#onDifference(asRefusal(difference));
    } catch (error) {
      // a database that is away is reported by those who ask for readiness
      if (!isCancelledStatement(error) && !isDatabaseUnavailable(error)) throw error;
    }
    return false;
  }

  #late(): ComponentHealth {
    const { waitingCount, totalCount, idleCount, options } = this.#database.pool;
    const areAllBusy = waitingCount > 0 && idleCount === 0 && totalCount >= options.max;
    return areAllBusy
      ? unhealthy('database_connections_in_use', { connections: totalCount })
      : unhealthy('database_silent', { limit_seconds: this.#limitMs / 1_000 });
  }
}

const RETRY = { baseMs: 100, maxMs: 2_000 };

/**
 * What `action` gives once the database answers; undefined when `signal` is aborted before. A database that is away or slow to connect
 * is waited for. Throws what is another failure, and a FatalError where no waiting mends it: a wrong password, say.
 */
export const waitForDatabase = async <T>(action: () => Promise<T>, log: Logger, signal: AbortSignal): Promise<T | undefined> => {
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    try {
      return await action();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      const refusal = findSetupError(error);
      if (refusal !== undefined) throw refusal;
      log.warn({ err: error }, 'waiting for the database');
      await sleep(backoffMs(attempt, RETRY), signal);
    }
  }
  return undefined;
};

/** The component, whose start is repeated while the database does not answer: a busy machine is slow to connect. */
export const startingWithDatabase = (component: Component, log: Logger): Component => {
  const abort = new AbortController();
  return {
    name: component.name,
    start: () => waitForDatabase(() => component.start(), log, abort.signal),
    stop: () => {
      abort.abort();
      return component.stop();
    },
    ...(component.health === undefined ? {} : { health: () => component.health?.() ?? { status: 'healthy' } }),
  };
};
