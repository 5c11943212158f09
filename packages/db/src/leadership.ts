import type { Secret } from '@sheaf/contract';
import { type ComponentHealth, makeProblem, type ServiceProblem, warning } from '@sheaf/contract/operations';
import { backoffMs, type Component, FatalError, type Logger, sleep, within } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { Client, Pool } from 'pg';
import { type Database, type Db, drizzleOn } from './client.ts';
import { connectClient } from './connect.ts';
import { sql } from './drizzle.ts';
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

interface ReplicaLockSettings {
  readonly url: Secret;
  /** The process that may run only once: api, watcher, sync. */
  readonly processName: string;
  /** Keeps the process from running while a backup is restored. */
  readonly isForRestore?: boolean;
  /** Whether others of this kind may run beside it; a restore still excludes them all. */
  readonly isShared?: boolean;
  /** Told once who holds the lock, where this waits for it. Without it a lock that stays held ends the process. */
  readonly onWaiting?: (holder: ServiceProblem) => void;
  /** Called with each connection that has the lock, before it counts as held. Throws a FatalError to give up. */
  readonly onHeld?: (client: Client) => Promise<void>;
  readonly log: Logger;
  /** Ends the process: another replica took the lock while the connection was lost. */
  readonly onLost: (error: FatalError) => void;
}

/** First key of the advisory locks of replicas ("shf" in hexadecimal), so they meet no other lock. */
const LOCK_SPACE = 0x73_68_66;
/** What the connection of a lock calls itself that is held for a restore. */
const RESTORE_NAME = 'sheaf restore lock';
const RETRY = { baseMs: 200, maxMs: 3_000 };
/** A holder that was just killed still has its connection for a moment. */
const PATIENCE_MS = 3_000;
const CONTESTED_POLL_MS = 300;
const STANDBY_POLL_MS = 1_000;
const CONFIRM_EVERY_MS = 2_000;
const CONFIRM_LIMIT_MS = 3_000;
/** So long after an answer was asked for, the server has the lock for us for certain: it gives up a silent connection later. */
const CONFIRMED_MS = 5_000;
/** A holder that asked nothing for so long is frozen or cannot be reached, and has stopped to work by itself. */
const SILENCE_MS = 10_000;
/** After some 10 seconds without a sign of life the server ends the session, and with it the lock. */
const KEEPALIVE =
  'set tcp_keepalives_idle = 6; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 2; set tcp_user_timeout = 10000';

const lockName = (processName: string): string => `sheaf ${processName} lock`;
/** Of a row of pg_locks beside its session, where $1 is the space of locks and $2 the process. */
const IS_LOCK = `locktype = 'advisory' and granted and datname = current_database() and database = datid
  and classid::bigint = $1 and objid::bigint = hashtext($2)::bigint & 4294967295`;

interface Contested {
  readonly problem: ServiceProblem;
  readonly isForRestore: boolean;
}

/** Where the lock is not held now. `isDatabaseUnavailable` knows its code: work goes on once the lock is back. */
class LockNotConfirmed extends Error {
  readonly code = 'LOCK_NOT_CONFIRMED';
}

/**
 * Holds a session-level advisory lock for as long as the process lives, so that exactly one replica runs. It asks the server every two seconds
 * whether its session is still there: what must not be done without the lock waits for `confirm`.
 */
export class ReplicaLock implements Component {
  readonly name = 'replica-lock';
  readonly #settings: ReplicaLockSettings;
  readonly #abort = new AbortController();
  #client: Client | undefined;
  #reacquiring: Promise<void> | undefined;
  #confirming: Promise<void> | undefined;
  #confirmedUntil = Number.NEGATIVE_INFINITY;
  #pings: NodeJS.Timeout | undefined;

  constructor(settings: ReplicaLockSettings) {
    this.#settings = settings;
  }

  /**
   * Resolves with the lock held. Throws a FatalError with exit code 69, naming the holder, when another replica holds the lock and it is
   * not to be waited for.
   */
  async start(): Promise<void> {
    if (this.#client === undefined) await this.#acquire(this.#settings.onWaiting);
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    clearInterval(this.#pings);
    await this.#reacquiring;
    await this.#client?.end();
    this.#client = undefined;
  }

  health(): ComponentHealth {
    return this.#client === undefined ? warning('replica_lock_lost') : { status: 'healthy' };
  }

  /**
   * Resolves while the server keeps the lock for us, which it was asked within the last seconds. Throws an error that
   * `isDatabaseUnavailable` knows otherwise.
   */
  async confirm(): Promise<void> {
    if (performance.now() < this.#confirmedUntil) return;
    await this.#ping();
    if (performance.now() >= this.#confirmedUntil) throw new LockNotConfirmed('the replica lock is not held at the moment');
  }

  /** Returns with the lock held. Waits while the database is away; gives up when someone else keeps the lock. */
  async #acquire(onWaiting: ReplicaLockSettings['onWaiting']): Promise<void> {
    const { signal } = this.#abort;
    let contestedSince: number | undefined;
    let isWaiting = false;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      const outcome = await this.#tryOnce();
      if (outcome === 'held') return;
      if (outcome === 'unreachable') contestedSince = undefined;
      else {
        contestedSince ??= performance.now();
        const mayWait = onWaiting !== undefined && !outcome.isForRestore;
        if (!mayWait && performance.now() - contestedSince > PATIENCE_MS) throw this.#giveUp(outcome);
        if (mayWait && !isWaiting) onWaiting(outcome.problem);
        isWaiting ||= mayWait;
      }
      const pollMs = isWaiting ? STANDBY_POLL_MS : CONTESTED_POLL_MS;
      await sleep(Math.min(backoffMs(attempt, RETRY), contestedSince === undefined ? RETRY.maxMs : pollMs), signal);
    }
  }

  /** Where others stand by, this one may start again and do so too; not while a backup is restored. */
  #giveUp({ problem, isForRestore }: Contested): FatalError {
    return new FatalError(problem, this.#settings.onWaiting === undefined || isForRestore ? EXIT.replicaRuns : EXIT.failed);
  }

  async #tryOnce(): Promise<'held' | 'unreachable' | Contested> {
    const { url, processName, isForRestore = false, isShared = false, onHeld, log } = this.#settings;
    let client: Client | undefined;
    try {
      client = await connectClient(url, { applicationName: isForRestore ? RESTORE_NAME : lockName(processName) });
      client.on('error', (error) => log.debug({ err: error }, 'replica lock connection failed'));
      const askedAt = performance.now();
      const { rows } = await client.query<{ locked: boolean }>(
        `select ${isShared ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock'}($1, hashtext($2)) as locked`,
        [LOCK_SPACE, processName],
      );
      if (rows[0]?.locked === true) {
        await client.query(KEEPALIVE);
        await onHeld?.(client);
        this.#hold(client, askedAt);
        return 'held';
      }
      const contested = { problem: await this.#describeHolder(client), isForRestore: await this.#isHeldForRestore(client) };
      if (this.#settings.onWaiting !== undefined && !contested.isForRestore) await this.#endSilentHolder(client);
      await client.end();
      return contested;
    } catch (error) {
      await client?.end().catch(() => {}); // already lost
      if (error instanceof FatalError) throw error;
      log.warn({ err: error }, 'waiting for the database to acquire the replica lock');
      return 'unreachable';
    }
  }

  #hold(client: Client, askedAt: number): void {
    this.#client = client;
    this.#confirmedUntil = askedAt + CONFIRMED_MS;
    clearInterval(this.#pings);
    this.#pings = setInterval(() => void this.#ping(), CONFIRM_EVERY_MS).unref();
    client.once('end', () => {
      if (this.#client !== client || this.#abort.signal.aborted) return;
      this.#client = undefined;
      this.#confirmedUntil = Number.NEGATIVE_INFINITY;
      clearInterval(this.#pings);
      this.#settings.log.warn('replica lock connection lost, reacquiring');
      // whoever has it now works already: this process has to begin anew
      this.#reacquiring = this.#acquire(undefined).catch((error: unknown) => {
        this.#settings.onLost(error instanceof FatalError ? error : notReacquired(error));
      });
    });
  }

  /** Asks the server once for all who want to know. A connection that is silent for too long is abandoned. */
  #ping(): Promise<void> {
    return (this.#confirming ??= this.#askForLife().finally(() => {
      this.#confirming = undefined;
    }));
  }

  async #askForLife(): Promise<void> {
    const client = this.#client;
    if (client === undefined) return;
    const askedAt = performance.now();
    const answer = client.query('select').then(
      () => true,
      () => false,
    );
    const isAlive = (await within(answer, CONFIRM_LIMIT_MS)) === true;
    if (this.#client !== client) return;
    if (isAlive) this.#confirmedUntil = askedAt + CONFIRMED_MS;
    else void client.end().catch(() => {}); // closes it at once, as its question is still open
  }

  async #describeHolder(client: Client): Promise<ServiceProblem> {
    const { processName, isForRestore = false } = this.#settings;
    if (await this.#isHeldForRestore(client)) return makeProblem('restore_running');
    const { rows } = await client.query<{ pid: number; host: string; started_at: Date }>(
      'select pid, host, started_at from processes where name = $1 and holds_lock order by seen_at desc limit 1',
      [processName],
    );
    const holder = rows[0];
    const who = { holder: holder?.pid.toString(), host: holder?.host, started_at: holder?.started_at.toISOString() };
    return makeProblem('another_instance_runs', { process: processName, restore: isForRestore, ...who });
  }

  /** A frozen process keeps its connection, and the lock with it. */
  async #endSilentHolder(client: Client): Promise<void> {
    const { processName, log } = this.#settings;
    const { rows } = await client.query(
      `select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
        where ${IS_LOCK} and application_name = $3 and clock_timestamp() - state_change > $4 * interval '1 millisecond'`,
      [LOCK_SPACE, processName, lockName(processName), SILENCE_MS],
    );
    if (rows.length > 0)
      log.warn({ silent_ms: SILENCE_MS }, `the ${processName} that held the replica lock is silent: its session was ended`);
  }

  async #isHeldForRestore(client: Client): Promise<boolean> {
    const { rows } = await client.query<{ held: boolean }>(
      `select exists (select from pg_locks join pg_stat_activity using (pid)
        where ${IS_LOCK} and application_name = $3) as held`,
      [LOCK_SPACE, this.#settings.processName, RESTORE_NAME],
    );
    return rows[0]?.held === true;
  }
}

const notReacquired = (error: unknown): FatalError => {
  const reason = error instanceof Error ? error.message : String(error);
  return new FatalError(makeProblem('replica_lock_not_reacquired', { error: reason }), EXIT.failed, error);
};
