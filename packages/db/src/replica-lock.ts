import type { Secret } from '@sheaf/contract';
import type { ComponentHealth } from '@sheaf/contract/operations';
import { backoffMs, type Component, FatalError, type Logger, sleep } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { Client } from 'pg';
import { connectClient } from './connect.ts';

export interface ReplicaLockSettings {
  readonly url: Secret;
  /** The process that may run only once: api, watcher, sync. */
  readonly processName: string;
  /** Keeps the process from running while a backup is restored. */
  readonly isForRestore?: boolean;
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

/** Holds a session-level advisory lock for as long as the process lives, so that exactly one replica runs. */
export class ReplicaLock implements Component {
  readonly name = 'replica-lock';
  readonly #settings: ReplicaLockSettings;
  readonly #abort = new AbortController();
  #client: Client | undefined;
  #reacquiring: Promise<void> | undefined;

  constructor(settings: ReplicaLockSettings) {
    this.#settings = settings;
  }

  /** Throws a FatalError with exit code 69, naming the holder, when another replica holds the lock. */
  async start(): Promise<void> {
    if (this.#client === undefined) await this.#acquire();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#reacquiring;
    await this.#client?.end();
    this.#client = undefined;
  }

  health(): ComponentHealth {
    return this.#client === undefined ? { status: 'warning', message: 'reacquiring the replica lock' } : { status: 'healthy' };
  }

  /** Returns with the lock held. Waits while the database is away; gives up when someone else keeps the lock. */
  async #acquire(): Promise<void> {
    const { signal } = this.#abort;
    let contestedSince: number | undefined;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      const outcome = await this.#tryOnce();
      if (outcome === 'held') return;
      if (outcome === 'unreachable') contestedSince = undefined;
      else {
        contestedSince ??= performance.now();
        if (performance.now() - contestedSince > PATIENCE_MS) throw new FatalError(outcome.message, EXIT.replicaRuns);
      }
      await sleep(Math.min(backoffMs(attempt, RETRY), contestedSince === undefined ? RETRY.maxMs : 300), signal);
    }
  }

  async #tryOnce(): Promise<'held' | 'unreachable' | { message: string }> {
    const { url, processName, isForRestore = false, log } = this.#settings;
    let client: Client | undefined;
    try {
      client = await connectClient(url, { applicationName: isForRestore ? RESTORE_NAME : `sheaf ${processName} lock` });
      client.on('error', (error) => log.debug({ err: error }, 'replica lock connection failed'));
      const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1, hashtext($2)) as locked', [
        LOCK_SPACE,
        processName,
      ]);
      if (rows[0]?.locked === true) {
        this.#hold(client);
        return 'held';
      }
      const message = await this.#describeHolder(client);
      await client.end();
      return { message };
    } catch (error) {
      log.warn({ err: error }, 'waiting for the database to acquire the replica lock');
      await client?.end().catch(() => {}); // already lost
      return 'unreachable';
    }
  }

  #hold(client: Client): void {
    this.#client = client;
    client.once('end', () => {
      if (this.#client !== client || this.#abort.signal.aborted) return;
      this.#client = undefined;
      this.#settings.log.warn('replica lock connection lost, reacquiring');
      this.#reacquiring = this.#acquire().catch((error: unknown) => {
        this.#settings.onLost(
          error instanceof FatalError ? error : new FatalError('replica lock could not be reacquired', EXIT.failed, error),
        );
      });
    });
  }

  async #describeHolder(client: Client): Promise<string> {
    const { processName, isForRestore = false } = this.#settings;
    if (await this.#isHeldForRestore(client)) return 'a backup is being restored into this database; start Sheaf after the restore';
    const { rows } = await client.query<{ pid: number; host: string; started_at: Date }>(
      'select pid, host, started_at from processes where name = $1 and holds_lock order by seen_at desc limit 1',
      [processName],
    );
    const holder = rows[0];
    const who =
      holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host}, started ${holder.started_at.toISOString()},`;
    if (isForRestore) return `${who} already runs as ${processName} on this database. Stop Sheaf and restore again`;
    return `${who} already runs as ${processName} on this database. Stop it first, or use another DATABASE_URL`;
  }

  async #isHeldForRestore(client: Client): Promise<boolean> {
    const { rows } = await client.query<{ held: boolean }>(
      `select exists (select from pg_locks join pg_stat_activity using (pid)
        where locktype = 'advisory' and granted and datname = current_database() and database = datid
          and classid::bigint = $1 and objid::bigint = hashtext($2)::bigint & 4294967295 and application_name = $3) as held`,
      [LOCK_SPACE, this.#settings.processName, RESTORE_NAME],
    );
    return rows[0]?.held === true;
  }
}
