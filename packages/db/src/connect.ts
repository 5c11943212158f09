import type { Secret } from '@sheaf/contract';
import { makeProblem } from '@sheaf/contract/operations';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { Client, ClientConfig } from 'pg';
import { type ConnectionPlan, planConnection } from './database-url.ts';
import { ServerClient } from './server-client.ts';
import { explainConnectionError, isDatabaseUnavailable, offersNoTls, PoolerError } from './sql-state.ts';

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
