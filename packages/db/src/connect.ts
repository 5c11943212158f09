import type { Secret } from '@sheaf/contract';
import { Client, type ClientConfig } from 'pg';
import { explainConnectionError, offersNoTls } from './connection-error.ts';
import { planConnection } from './database-url.ts';

export interface ConnectOptions extends Pick<ClientConfig, 'keepAliveInitialDelayMillis'> {
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
}

const connectBy = async (config: ClientConfig): Promise<Client> => {
  const client = new Client(config);
  client.on('error', () => {}); // without a listener a lost connection ends the process; who uses it sees `end`, and his query fail
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => {}); // it never was connected
    throw error;
  }
};

/**
 * Connects to the database outside of the pool: for locks, listening, and work that is one long session. The caller ends the
 * connection. Throws DatabaseTlsError where the connection would not be as safe as the URL asks, and what pg throws.
 */
export const connectClient = async (url: Secret, { applicationName, ...more }: ConnectOptions): Promise<Client> => {
  const { options, mayBePlain } = planConnection(url);
  const config: ClientConfig = { ...options, ...more, application_name: applicationName };
  try {
    return await connectBy(config);
  } catch (error) {
    if (!mayBePlain || !offersNoTls(error)) throw explainConnectionError(error);
    return connectBy({ ...config, ssl: false });
  }
};
