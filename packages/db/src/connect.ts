import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { Secret } from '@sheaf/contract';
import { makeProblem } from '@sheaf/contract/operations';
import { FatalError } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { Client, ClientConfig } from 'pg';
import { ServerClient } from './server-client.ts';
import { Servers } from './servers.ts';
import { explainConnectionError, isDatabaseUnavailable, offersNoTls, PoolerError } from './sql-state.ts';

/** Settings of a connection that a URL may leave open. */
export interface ConnectionDefaults {
  readonly tls: {
    readonly mode: string;
    readonly certificateFile: string | undefined;
    readonly keyFile: string | undefined;
    readonly rootCertificateFile: string | undefined;
  };
  readonly connectTimeoutMs: number;
}

export interface ConnectionPlan {
  /** What pg takes, whichever server it is. */
  readonly options: ClientConfig;
  readonly servers: Servers;
  /** Whether a server without TLS may be spoken to without it. */
  readonly mayBePlain: boolean;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** An idle connection asks after so long whether its server is still there; without an answer it is lost ten seconds later. */
const KEEPALIVE_MS = 5_000;

/** `ssl`, as libpq does not have it but pg and others do. */
const SSL_SYNONYMS: Readonly<Record<string, string>> = { '0': 'disable', false: 'disable' };

/**
 * The URL with everything that a connection needs to be made, in the parameters that libpq has for it (`sslmode`, `sslcert`, `sslkey`,
 * `sslrootcert`, `connect_timeout`). What the URL says itself goes before `defaults`.
 */
export const completeDatabaseUrl = (given: Secret, { tls, connectTimeoutMs }: ConnectionDefaults): Secret => {
  const url = new URL(given.reveal());
  const parameters = url.searchParams;
  const ssl = parameters.get('ssl');
  parameters.delete('ssl');
  const wanted = {
    sslmode: ssl === null ? tls.mode : (SSL_SYNONYMS[ssl] ?? 'require'),
    sslcert: tls.certificateFile,
    sslkey: tls.keyFile,
    sslrootcert: tls.rootCertificateFile,
    connect_timeout: String(Math.ceil(connectTimeoutMs / 1_000)),
  };
  for (const [name, value] of Object.entries(wanted)) if (value !== undefined && !parameters.has(name)) parameters.set(name, value);
  return new Secret(url.href);
};

const read = (file: string | null): Buffer | undefined => {
  if (file === null) return undefined;
  try {
    return readFileSync(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FatalError(makeProblem('database_certificate_unreadable', { error: reason }), EXIT.configuration, error);
  }
};

/** With an authority its word counts, and the name of the server too; without one the connection is only encrypted. */
const tlsOptions = (mode: string, parameters: URLSearchParams): ConnectionOptions => {
  const root = parameters.get('sslrootcert');
  const ca = root === 'system' ? undefined : read(root);
  const [cert, key] = [read(parameters.get('sslcert')), read(parameters.get('sslkey'))];
  return {
    rejectUnauthorized: root !== null || mode.startsWith('verify-'),
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(mode === 'verify-ca' && { checkServerIdentity: () => undefined }),
  };
};

const OURS = ['sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'connect_timeout'];

/**
 * How to connect to a URL that `completeDatabaseUrl` has made; without TLS where it says nothing of it. Reads the files that the URL
 * names; throws a FatalError with exit code 78 where it cannot.
 */
export const planConnection = (given: Secret): ConnectionPlan => {
  const url = new URL(given.reveal());
  const parameters = new URLSearchParams(url.search);
  for (const name of OURS) url.searchParams.delete(name); // pg has its own ideas of them
  const mode = parameters.get('sslmode') ?? 'disable';
  const connectSeconds = Number(parameters.get('connect_timeout') ?? 0);
  return {
    options: {
      connectionTimeoutMillis: connectSeconds > 0 ? connectSeconds * 1_000 : CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEPALIVE_MS,
      ssl: mode === 'disable' ? false : tlsOptions(mode, parameters),
    },
    servers: new Servers(url),
    mayBePlain: mode === 'prefer' || mode === 'allow',
  };
};

export interface ConnectOptions extends Pick<ClientConfig, 'keepAliveInitialDelayMillis'> {
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
}

const connectBy = async (config: ClientConfig, { servers }: ConnectionPlan): Promise<Client> => {
  const client = new ServerClient(config, { servers, isPooled: false, statementTimeoutMs: undefined });
  await client.connect();
  return client;
};

const connectToOne = async (config: ClientConfig, plan: ConnectionPlan): Promise<Client> => {
  try {
    return await connectBy(config, plan);
  } catch (error) {
    if (!plan.mayBePlain || !offersNoTls(error)) throw explainConnectionError(error);
    return connectBy({ ...config, ssl: false }, plan);
  }
};

/** Tries the servers of the plan in turn. */
const connectToAny = async (config: ClientConfig, plan: ConnectionPlan): Promise<Client> => {
  for (let tried = 1; ; tried += 1) {
    try {
      return await connectToOne(config, plan);
    } catch (error) {
      if (tried >= plan.servers.count || !isDatabaseUnavailable(error)) throw error;
    }
  }
};

/**
 * Connects to the database outside of the pool: for locks, listening, and work that is one long session. The caller ends the
 * connection. Throws DatabaseSetupError where the connection would not be as safe as the URL asks or has no session of its own, and
 * what pg throws.
 */
export const connectClient = async (url: Secret, { applicationName, ...more }: ConnectOptions): Promise<Client> => {
  const plan = planConnection(url);
  const config: ClientConfig = { ...plan.options, ...more, application_name: applicationName };
  const client = await connectToAny(config, plan);
  try {
    await requireSession(client, () => connectToAny(config, plan));
    return client;
  } catch (error) {
    await client.end();
    throw error;
  }
};

/** A pooler that has lent all its servers lets others wait; then each of its clients has one for itself. */
const ANSWER_LIMIT_MS = 2_000;
/** A busy pooler may lend another server by chance. */
const TRIES = 3;

const limited = (text: string) => ({ text, query_timeout: ANSWER_LIMIT_MS });

const backendOf = async (client: Client): Promise<number> =>
  (await client.query<{ pid: number }>(limited('select pg_backend_pid() as pid'))).rows[0]?.pid ?? 0;

/** Whether a transaction of another client gets the server of `client`, or `client` another one than before; undefined without an answer. */
const sharesServer = async (client: Client, first: number, connect: () => Promise<Client>): Promise<boolean | undefined> => {
  const other = await connect();
  try {
    await other.query(limited('begin'));
    return (await backendOf(other)) === first || (await backendOf(client)) !== first;
  } catch {
    return undefined;
  } finally {
    await other.end();
  }
};

/**
 * Throws a PoolerError where the connection is lent a server for each transaction only: locks and LISTEN would be lost without
 * notice. A server gives the number of its process when it greets; a pooler greets with a number of its own.
 */
const requireSession = async (client: Client, connect: () => Promise<Client>): Promise<void> => {
  const pid = await backendOf(client);
  if (pid === (client as Client & { readonly processID: number }).processID) return;
  for (let tried = 0; tried < TRIES; tried += 1) {
    const isShared = await sharesServer(client, pid, connect);
    if (isShared === undefined) return;
    if (isShared) throw new PoolerError(makeProblem('database_pooler_shares_sessions'), EXIT.configuration);
  }
};
