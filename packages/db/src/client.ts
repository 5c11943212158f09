import { AsyncLocalStorage } from 'node:async_hooks';
import type { Secret } from '@sheaf/contract';
import type { Logger } from '@sheaf/process';
import { errorText } from '@sheaf/process/errors';
import type { Pool, PoolClient } from 'pg';
import { AcquireTimeoutPool } from './acquire-timeout-pool.ts';
import { planConnection } from './connect.ts';
import { drizzle, type NodePgQueryResultHKT, type PgDatabase } from './drizzle.ts';
import * as schema from './schema/index.ts';

/** The pool or a transaction: what every query function takes first. */
export type Db = PgDatabase<NodePgQueryResultHKT, typeof schema>;

export interface DatabaseSettings {
  /** As `completeDatabaseUrl` makes it: with how connections are secured, and how long making one may take. */
  readonly url: Secret;
  /** Where `url` leads to a pooler that lends a server for each transaction only: the address of PostgreSQL itself. */
  readonly directUrl?: Secret | undefined;
  readonly maxConnections: number;
  readonly minConnections: number;
  /** How long a caller waits for a connection. */
  readonly acquireTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxLifetimeMs: number;
  /** After which the server ends a statement; undefined is no limit. */
  readonly statementTimeoutMs?: number;
  /** For a process that sends the same statements again and again on few connections. */
  readonly keepsPlans?: boolean;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
}

export interface Database {
  readonly db: Db;
  readonly pool: Pool;
  readonly url: Secret;
  /** For what has to be one session: locks and listening. */
  readonly directUrl: Secret;
  /** Whether the pool goes through a pooler. */
  readonly isPooled: boolean;
  close(): Promise<void>;
}

/** The server ends a statement at its limit; its word for that has so long to come. */
const SILENCE_MARGIN_MS = 1_000;

export const drizzleOn = (connection: Pool | PoolClient) => drizzle(connection, { schema });

/**
 * drizzle's own transaction on a pool never gives a connection back on which `begin` fails, so that each loss of the server would
 * cost places in the pool until none is left. Ours takes and gives back by itself.
 */
const transactionsOn = (pool: Pool): Db['transaction'] => {
  // Making one costs more than beginning a transaction.
  const made = new WeakMap<PoolClient, Db>();
  return async (work, config) => {
    const client = await pool.connect();
    try {
      const session = made.get(client) ?? drizzleOn(heedingClient(client));
      made.set(client, session);
      return await session.transaction(work, config);
    } finally {
      client.release();
    }
  };
};

/**
 * A host that cannot be reached any more says nothing, not even that it has gone: after some 10 seconds without a sign of life the server
 * ends the session, and with it the transaction whose rows others wait for. By default that takes two hours.
 */
const SILENCE_OPTIONS = '-c tcp_keepalives_idle=6 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=2 -c tcp_user_timeout=10000';

/**
 * What a session is told when it begins. Compiling a query takes longer than any of ours runs. And times before a zone was counted in
 * whole minutes come from the server in a form that is no date here, unless it gives them in UTC.
 */
const sessionSettings = (statementTimeoutMs: number | undefined) => ({
  ...(statementTimeoutMs === undefined ? {} : { statement_timeout: statementTimeoutMs }),
  options: `-c jit=off -c timezone=UTC ${SILENCE_OPTIONS}`,
});

/**
 * Opens a pool; connects lazily, so this does not fail while the database is away. Throws a FatalError with exit code 78 where a file
 * that the URL names cannot be read. `KeepConnections` holds `minConnections` open.
 */
export const openDatabase = (settings: DatabaseSettings, log: Logger): Database => {
  const { url, directUrl, statementTimeoutMs } = settings;
  const { options, mayBePlain, servers } = planConnection(url);
  const isPooled = directUrl !== undefined;
  const pool = new AcquireTimeoutPool({
    ...options,
    mayBePlain,
    connections: {
      servers,
      isPooled,
      ...(settings.keepsPlans === undefined ? {} : { keepsPlans: settings.keepsPlans }),
      statementTimeoutMs: isPooled ? statementTimeoutMs : undefined,
      silenceMs: statementTimeoutMs === undefined ? undefined : statementTimeoutMs + SILENCE_MARGIN_MS,
    },
    acquireTimeoutMs: settings.acquireTimeoutMs,
    max: settings.maxConnections,
    min: Math.min(settings.minConnections, settings.maxConnections),
    idleTimeoutMillis: settings.idleTimeoutMs,
    maxLifetimeSeconds: Math.ceil(settings.maxLifetimeMs / 1_000),
    application_name: settings.applicationName,
    ...(isPooled ? {} : sessionSettings(statementTimeoutMs)),
  });
  let closing: Promise<void> | undefined;
  // Without a listener the process would end when the server goes away (57P01). While shutting down that is as it should be. The
  // error itself carries the connection with all its parts.
  pool.on('error', (error: Error & { code?: string }) => {
    if (closing === undefined) log.warn({ code: error.code, reason: errorText(error) }, 'idle database connection lost');
  });
  heedDeadlines(pool);
  const db: Db = drizzleOn(pool);
  db.transaction = transactionsOn(pool);
  return { db, pool, url, directUrl: directUrl ?? url, isPooled, close: () => (closing ??= pool.end()) };
};

/** The time that a piece of work has. */
export interface Deadline {
  /** Why nothing more is done for it; undefined while there is time. */
  readonly over: Error | undefined;
}

const deadlines = new AsyncLocalStorage<Deadline>();

/** Does `work` until `deadline` is over: from then on its statements are refused with the reason, and its transaction is rolled back. */
export const withinDeadline = <T>(deadline: Deadline, work: () => T): T => deadlines.run(deadline, work);

const isRollback = (statement: unknown): boolean => {
  const text = typeof statement === 'object' && statement !== null && 'text' in statement ? statement.text : statement;
  return typeof text === 'string' && text.startsWith('rollback');
};

/** Makes statements on the pool itself heed the deadline of whoever asks. */
const heedDeadlines = (pool: Pool): void => {
  const query = pool.query.bind(pool) as (...given: unknown[]) => unknown;
  // asked here and not where the client gets the statement: by then it may run in the context of the one that gave the client back
  const heeding = (...given: unknown[]): unknown => {
    const over = deadlines.getStore()?.over;
    return over === undefined ? query(...given) : Promise.reject(over);
  };
  pool.query = heeding as Pool['query'];
};

/** The client as the statements of a transaction see it: all but its rollback heed the deadline. */
const heedingClient = (client: PoolClient): PoolClient => {
  const query = client.query.bind(client) as (...given: unknown[]) => unknown;
  const heeding = (...given: unknown[]): unknown => {
    const over = deadlines.getStore()?.over;
    return over === undefined || isRollback(given[0]) ? query(...given) : Promise.reject(over);
  };
  return Object.create(client, { query: { value: heeding } }) as PoolClient;
};
