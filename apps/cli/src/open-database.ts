import type { Config } from '@sheaf/config';
import { Secret } from '@sheaf/contract';
import { completeDatabaseUrl } from '@sheaf/db';
import { joinPostgresServer } from '@sheaf/embedded-postgres';
import { makeLogger } from '@sheaf/process';

export interface DatabaseForTool extends AsyncDisposable {
  /** With how to connect to it. */
  readonly url: Secret;
}

/**
 * The database of the service, for a tool: the configured one, past a connection pooler, as most tools need a session; or the
 * embedded one, which is started if it does not run.
 */
export const openDatabaseForTool = async ({ database, directDatabaseUrl, embeddedDatabase, log }: Config): Promise<DatabaseForTool> => {
  if (database.url !== undefined)
    return { url: completeDatabaseUrl(directDatabaseUrl ?? database.url, database), [Symbol.asyncDispose]: async () => {} };
  const server = await joinPostgresServer({ ...embeddedDatabase, log: makeLogger({ ...log, level: 'warn' }, 'cli') });
  return { url: new Secret(server.url), [Symbol.asyncDispose]: () => server.stop() };
};
