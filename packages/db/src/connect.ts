import type { Secret } from '@sheaf/contract';
import type { Client, ClientConfig } from 'pg';
import { explainConnectionError, offersNoTls } from './connection-error.ts';
import { type ConnectionPlan, planConnection } from './database-url.ts';
import { ServerClient } from './server-client.ts';
import { requireSession } from './session-check.ts';
import { isDatabaseUnavailable } from './sql-state.ts';

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
