import type { Secret } from '@sheaf/contract';
import { type ComponentHealth, makeProblem, type ServiceProblem } from '@sheaf/contract/operations';
import { FatalError, type Logger } from '@sheaf/process';
import type { Client, Pool } from 'pg';
import { type Database, type Db, drizzleOn } from './client.ts';
import { sql } from './drizzle.ts';
import { ReplicaLock } from './replica-lock.ts';
import { sqlState } from './sql-state.ts';

export interface LeadershipSettings {
  readonly url: Secret;
  /** The process of which one works at a time: watcher, sync. */
  readonly processName: string;
  /** Called once where another one works, with who it is, and this one waits. Without it this one ends with exit code 69. */
  readonly onStandby?: (holder: ServiceProblem) => void;
  readonly log: Logger;
  /** Ends the process: another one has taken over. */
  readonly onLost: (error: Error) => void;
}

/** How long transactions of the term before may take. Those of a host that cannot be reached would take hours: they are ended. */
const LAST_TRANSACTIONS_MS = 2_000;
const LOCK_NOT_AVAILABLE = '55P03';
/** Of `take_leadership` and `require_leadership`. */
const TERM_LOCK_SPACE = 0x73_68_67;

/**
 * Makes one process of a kind the one that works. A session-level advisory lock says which; each time another process gets it a new
 * term begins, and transactions of an earlier term are refused: a fencing number (M. Kleppmann, "How to do distributed locking",
 * 2016). `fence` makes the database that heeds both.
 */
export class Leadership {
  readonly #settings: LeadershipSettings;
  readonly #lock: ReplicaLock;
  #term: number | undefined;

  constructor(settings: LeadershipSettings) {
    const { url, processName, log, onLost, onStandby } = settings;
    this.#settings = settings;
    this.#lock = new ReplicaLock({
      url,
      processName,
      log,
      onLost,
      onHeld: (client) => this.#checkTerm(client),
      ...(onStandby === undefined ? {} : { onWaiting: onStandby }),
    });
  }

  /** Resolves once this process is the one that works. Throws a FatalError where it may not wait for that. */
  acquire(): Promise<void> {
    return this.#lock.start();
  }

  async release(): Promise<void> {
    await this.#lock.stop();
  }

  get isHeld(): boolean {
    return this.#term !== undefined;
  }

  health(): ComponentHealth {
    return this.#lock.health();
  }

  /**
   * The database for what only the one that works may do. A statement waits until the server has confirmed the lock within the last
   * seconds; a transaction, besides, has the term in it, and keeps the next one from beginning before it has ended. Without the lock they
   * fail as they do while the database is away.
   */
  fence(database: Database): Database {
    const statements = Object.create(database.pool, {
      query: {
        value: async (...given: unknown[]): Promise<unknown> => {
          await this.#lock.confirm();
          return (database.pool.query as (...all: unknown[]) => Promise<unknown>)(...given);
        },
      },
    }) as Pool;
    const db: Db = drizzleOn(statements);
    db.transaction = async (work, config) => {
      await this.#lock.confirm();
      return database.db.transaction(async (tx) => {
        await tx.execute(sql`select require_leadership(${this.#settings.processName}, ${this.#term ?? 0})`);
        return work(tx);
      }, config);
    };
    return { ...database, db };
  }

  /** Begins a term with the first connection that has the lock; with a later one, no other may have begun meanwhile. */
  async #checkTerm(client: Client): Promise<void> {
    const { processName } = this.#settings;
    if (this.#term === undefined) {
      this.#term = await this.#takeTerm(client);
      return;
    }
    const { rows } = await client.query<{ term: string }>('select term from leaderships where name = $1', [processName]);
    if (Number(rows[0]?.term) !== this.#term) throw new FatalError(makeProblem('another_instance_took_over', { process: processName }));
  }

  async #takeTerm(client: Client): Promise<number> {
    const { processName, log } = this.#settings;
    await client.query(`set lock_timeout = ${LAST_TRANSACTIONS_MS}`); // of this connection, which is for the lock alone
    for (;;) {
      try {
        const { rows } = await client.query<{ term: string }>('select take_leadership($1) as term', [processName]);
        return Number(rows[0]?.term);
      } catch (error) {
        if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
        const { rows } = await client.query<{ ended: boolean }>(
          `select pg_terminate_backend(pid) as ended from pg_locks
            where locktype = 'advisory' and granted and pid <> pg_backend_pid()
              and database = (select oid from pg_database where datname = current_database())
              and classid::bigint = $1 and objid::bigint = hashtext($2)::bigint & 4294967295`,
          [TERM_LOCK_SPACE, processName],
        );
        log.warn({ transactions: rows.length }, `ended transactions of the ${processName} before, which took too long`);
      }
    }
  }
}
