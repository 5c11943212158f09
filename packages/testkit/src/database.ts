import { randomBytes } from 'node:crypto';
import { Secret } from '@sheaf/contract';
import { type Database, openDatabase } from '@sheaf/db';
import { silentLogger } from '@sheaf/process';
import { Client } from 'pg';

/** Where the run of all tests tells its test files about the cluster that it started. */
export const TEST_CLUSTER_VARIABLE = 'SHEAF_TEST_CLUSTER_URL';
/** Migrated once a run; each test database is a copy of it. */
export const TEMPLATE_DATABASE = 'sheaf_template';

const clusterUrl = (): URL => {
  const url = process.env[TEST_CLUSTER_VARIABLE];
  if (url === undefined)
    throw new Error(`${TEST_CLUSTER_VARIABLE} is not set: run tests with \`node tests/run.ts [files]\`, which starts PostgreSQL for them`);
  return new URL(url);
};

const onCluster = async (statement: string): Promise<unknown[]> => {
  const client = new Client({ connectionString: clusterUrl().href });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
};

export interface TestDatabase extends Database, AsyncDisposable {
  readonly name: string;
}

/** Two that lock the same rows in different orders fail now and then, and never where one looks: that it happened at all is the defect. */
const refuseDeadlocks = async (name: string): Promise<void> => {
  const [row] = await onCluster(`select deadlocks::int from pg_stat_database where datname = '${name}' and deadlocks > 0`);
  if (row !== undefined) throw new Error(`The service waited for itself: the database of these tests had deadlocks ${JSON.stringify(row)}`);
};

/** A database of its own for a test file, cloned from the migrated template and dropped when disposed of. Fails then if it had deadlocks. */
export const openTestDatabase = async ({ empty = false }: { empty?: boolean } = {}): Promise<TestDatabase> => {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await onCluster(empty ? `create database ${name}` : `create database ${name} template ${TEMPLATE_DATABASE} strategy file_copy`);
  const url = clusterUrl();
  url.pathname = `/${name}`;
  // a busy machine has other tests to run; programs that a test starts get the plain address
  const patient = new URL(url);
  patient.searchParams.set('connect_timeout', '60');
  const database = openDatabase(
    {
      url: new Secret(patient.href),
      maxConnections: 10,
      minConnections: 0,
      acquireTimeoutMs: 60_000,
      idleTimeoutMs: 60_000,
      maxLifetimeMs: 600_000,
      applicationName: name,
    },
    silentLogger(),
  );
  return {
    ...database,
    url: new Secret(url.href),
    name,
    [Symbol.asyncDispose]: async () => {
      await database.close();
      try {
        await refuseDeadlocks(name);
      } finally {
        await onCluster(`drop database if exists ${name} with (force)`);
      }
    },
  };
};
