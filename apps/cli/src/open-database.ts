import type { Config } from '@sheaf/config';
import { Secret } from '@sheaf/contract';
import { completeDatabaseUrl, type Database, openDatabase } from '@sheaf/db';
import { latestVersion, readSchemaState, schemaDifference } from '@sheaf/db/migrations';
import { type Logger, makeLogger } from '@sheaf/process';
import { joinPostgresServer, ownServerUrl } from '@sheaf/program/embedded-postgres';

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
  return { url: new Secret(ownServerUrl(server.url)), [Symbol.asyncDispose]: () => server.stop() };
};

/** Throws a FatalError that says what to do, where the database has a schema that this code does not work with. */
const requireSchema = async ({ db }: Pick<Database, 'db'>): Promise<void> => {
  const expected = await latestVersion();
  const difference = schemaDifference(await readSchemaState(db, expected), expected);
  if (difference !== undefined) throw difference;
};

interface Connections {
  /** What the database calls them: the command. */
  readonly applicationName: string;
  readonly maxConnections: number;
  /** That of the command, which tells warnings only, where nothing is said. */
  readonly log?: Logger;
}

/**
 * Connections of a tool to the database of the service, closed at the end of `scope`. Throws a FatalError that says what to do where its schema
 * is not of this version.
 */
export const connectTool = async (
  config: Config,
  scope: AsyncDisposableStack,
  { applicationName, maxConnections, log = makeLogger({ ...config.log, level: 'warn' }, 'cli') }: Connections,
): Promise<Database> => {
  const { url } = scope.use(await openDatabaseForTool(config));
  const database = openDatabase({ ...config.database, url, maxConnections, minConnections: 0, applicationName }, log);
  scope.defer(() => database.close());
  await requireSchema(database);
  return database;
};
