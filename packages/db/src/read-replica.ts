import { type ComponentHealth, makeProblem, type ServiceProblem, warning } from '@sheaf/contract/operations';
import { type Component, type Logger, Loop, sleep } from '@sheaf/process';
import type { Pool } from 'pg';
import type { Database, Db } from './client.ts';
import { isDatabaseUnavailable, sqlState } from './sql-state.ts';

/** How long a question waits for a replica that is behind, before the primary answers it. */
const WAIT_MS = 100;
const FIRST_PAUSE_MS = 2;
/** A replica that keeps up is asked so often how far it is, so that few questions have to. */
const ASK_EVERY_MS = 1_000;
/** One that fails is not asked anything for so long. */
const AWAY_MS = 5_000;
/** One that is behind for longer is reported. */
const BEHIND_MS = 30_000;

export interface ReadReplicaSettings {
  readonly primary: Database;
  /** Closed by `stop`. */
  readonly replica: Database;
  readonly log: Logger;
}

/** Which database answers a question. */
interface ReadSource {
  readonly db: Db;
  readonly isReplica: boolean;
}

/**
 * A replica that answers questions, and the primary where the replica does not have all yet that the caller must see: the position of
 * the primary after a change is compared with the one that the replica has replayed ("monotonic reads, read your writes": Terry et al.,
 * Session Guarantees for Weakly Consistent Replicated Data, 1994).
 */
export class ReadReplica implements Component {
  readonly name = 'read-replica';
  readonly #settings: ReadReplicaSettings;
  readonly #loop: Loop;
  readonly #abort = new AbortController();
  /** What everybody must see who asks here. */
  #floor: WalPosition = 0n;
  /** The position after the last change could not be learned. */
  #isUnsure = false;
  /** What the replica is known to have. */
  #reached: WalPosition = 0n;
  #cluster: string | undefined;
  #asking: Promise<void> | undefined;
  #problem: ServiceProblem | undefined = makeProblem('read_replica_unreachable', { error: 'not connected yet' });
  #awayUntilMs = 0;
  #behindSinceMs: number | undefined;

  constructor(settings: ReadReplicaSettings) {
    this.#settings = settings;
    this.#loop = new Loop({ name: this.name, intervalMs: ASK_EVERY_MS, log: settings.log, run: () => this.#look() });
  }

  start(): Promise<void> {
    return this.#loop.start();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#loop.stop();
    await this.#settings.replica.close();
  }

  health(): ComponentHealth {
    const problem = this.#problem;
    if (problem !== undefined) return { status: 'warning', message: problem.message, problems: [problem] };
    const behindMs = this.#behindSinceMs === undefined ? 0 : performance.now() - this.#behindSinceMs;
    return behindMs < BEHIND_MS ? { status: 'healthy' } : warning('read_replica_behind', { seconds: Math.round(behindMs / 1_000) });
  }

  /**
   * To be called after a change was committed and before anybody is told: who asks here from now on sees it. Resolves with the position
   * that makes others see it too; undefined where the primary did not say, which does not fail the change.
   */
  async noteChange(): Promise<WalPosition | undefined> {
    try {
      const { position, cluster } = await readServerPosition(this.#settings.primary.pool);
      this.#cluster = cluster;
      if (position > this.#floor) this.#floor = position;
      this.#isUnsure = false;
      return position;
    } catch {
      this.#isUnsure = true;
      return undefined;
    }
  }

  /** Who answers a question whose answer must have everything up to `required`, and all that was noted here. */
  async choose(required: WalPosition = 0n): Promise<ReadSource> {
    const primary = { db: this.#settings.primary.db, isReplica: false };
    if (this.#problem !== undefined) return primary;
    if (this.#isUnsure && (await this.noteChange()) === undefined) return primary;
    const wanted = required > this.#floor ? required : this.#floor;
    const isThere = await this.#waitFor(wanted);
    this.#behindSinceMs = isThere ? undefined : (this.#behindSinceMs ?? performance.now());
    return isThere ? { db: this.#settings.replica.db, isReplica: true } : primary;
  }

  /** Whether the primary may answer what the replica failed at: it was cancelled there, has no such table yet, or is away. */
  mayRetry(error: unknown): boolean {
    if (isDatabaseUnavailable(error)) this.#giveUp(error);
    return isDatabaseUnavailable(error) || sqlState(error) !== undefined;
  }

  async #waitFor(wanted: WalPosition): Promise<boolean> {
    const startMs = performance.now();
    for (let pauseMs = 0; this.#reached < wanted; pauseMs = Math.max(FIRST_PAUSE_MS, 2 * pauseMs)) {
      if (performance.now() - startMs + pauseMs > WAIT_MS) return false;
      if (pauseMs > 0) await sleep(pauseMs, this.#abort.signal);
      await this.#ask();
      if (this.#problem !== undefined) return false;
    }
    return true;
  }

  /** Once for all who want to know. */
  #ask(): Promise<void> {
    return (this.#asking ??= this.#askReplica().finally(() => {
      this.#asking = undefined;
    }));
  }

  async #askReplica(): Promise<void> {
    const { primary, replica, log } = this.#settings;
    try {
      const found = await readServerPosition(replica.pool);
      this.#cluster ??= (await readServerPosition(primary.pool)).cluster;
      if (found.cluster !== this.#cluster) {
        this.#report(warning('read_replica_foreign'));
        return;
      }
      this.#reached = found.position;
      if (this.#problem !== undefined) log.info('the read replica answers questions');
      this.#problem = undefined;
    } catch (error) {
      this.#giveUp(error);
    }
  }

  async #look(): Promise<boolean> {
    if (performance.now() >= this.#awayUntilMs) await this.#ask();
    return false;
  }

  #giveUp(error: unknown): void {
    this.#report(warning('read_replica_unreachable', { error: error instanceof Error ? error.message : String(error) }));
  }

  #report({ problems = [] }: ComponentHealth): void {
    const [problem] = problems;
    if (problem?.code !== this.#problem?.code) this.#settings.log.warn({ code: problem?.code }, problem?.message ?? '');
    this.#problem = problem;
    this.#awayUntilMs = performance.now() + AWAY_MS;
  }
}

/** How far a server has written its log of changes (WAL): after a change was committed its position is not behind the change. */
export type WalPosition = bigint;

const TEXT = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i;
const LOW_BITS = 32n;

/** The position that PostgreSQL writes as `16/B374D848`; undefined where the text is none. */
export const parseWalPosition = (text: string): WalPosition | undefined => {
  const [, high, low] = TEXT.exec(text) ?? [];
  return high === undefined ? undefined : (BigInt(`0x${high}`) << LOW_BITS) | BigInt(`0x${low}`);
};

export const formatWalPosition = (position: WalPosition): string =>
  `${(position >> LOW_BITS).toString(16)}/${(position & 0xffff_ffffn).toString(16)}`.toUpperCase();

/** What a server is, and what can be read from it. */
interface ServerPosition {
  /** Of all changes up to here the server has the result. */
  readonly position: WalPosition;
  /** Equal for a primary and its replicas, and for no other server. */
  readonly cluster: string;
  readonly database: string;
}

/** Asks a primary or a replica. Throws what pg throws. */
const readServerPosition = async (pool: Pool): Promise<ServerPosition> => {
  const { rows } = await pool.query<{ position: string | null; cluster: string; database: string }>(
    `select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end::text as position,
       system_identifier::text as cluster, current_database()::text as database from pg_control_system()`,
  );
  const { position, cluster = '', database = '' } = rows[0] ?? {};
  return { position: parseWalPosition(position ?? '') ?? 0n, cluster, database };
};
