import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '@sheaf/contract';
import { migrateUp, readMigrations } from '@sheaf/db/migrations';
import { makeLogger } from '@sheaf/process';
import { openPostgresServer } from '@sheaf/program/embedded-postgres';
import { TEMPLATE_DATABASE } from '@sheaf/testkit';
import { Client } from 'pg';
import { clusterPrefix, removeLeftClusters } from './left-clusters.ts';

/** Nothing in a test cluster has to survive a power cut. Many tests at the same time need more locks than a service does: each restore 2,500. */
const FAST_AND_LOOSE = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  file_copy_method: 'clone', // the kernel copies the files of a new database, in half the time
  max_connections: '300',
  max_locks_per_transaction: '256',
};

const MEMORY_FOLDER = '/dev/shm';
/** A database of a test has 12 MB; beside those of a run there is the log. */
const MIN_MEMORY_BYTES = 4 * 1024 ** 3;

/** Where a cluster of tests lies: making a database writes a thousand files, which memory imports a third of the time. */
export const clusterFolder = async (): Promise<string> => {
  const memory = await statfs(MEMORY_FOLDER).catch(() => undefined);
  return memory !== undefined && memory.bavail * memory.bsize >= MIN_MEMORY_BYTES ? MEMORY_FOLDER : tmpdir();
};

const makeTemplate = async (url: URL): Promise<void> => {
  const admin = new Client({ connectionString: url.href });
  await admin.connect();
  await admin.query(`create database ${TEMPLATE_DATABASE}`);
  await admin.end();
  const template = new URL(url);
  template.pathname = `/${TEMPLATE_DATABASE}`;
  const client = new Client({ connectionString: template.href });
  await client.connect();
  await migrateUp(client, await readMigrations());
  await client.end();
};

/** A PostgreSQL for one run of the tests, with the migrated template in it, in a folder of `parent`; stopped and removed when disposed of. */
export const startCluster = async (
  parameters: Readonly<Record<string, string>> = {},
  parent: string = tmpdir(),
): Promise<{ url: string } & AsyncDisposable> => {
  await removeLeftClusters(parent);
  const folder = await mkdtemp(join(parent, clusterPrefix()));
  const removeFolder = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await chmod(folder, 0o755); // the database may run as another OS user
    const server = await openPostgresServer({
      dataPath: join(folder, 'postgres'),
      port: 0,
      password: new Secret(randomBytes(16).toString('hex')),
      log: makeLogger({ level: 'warn', format: 'text' }, 'tests'),
      extraParameters: { ...FAST_AND_LOOSE, ...parameters },
    });
    const close = async (): Promise<void> => {
      await server.stop();
      await removeFolder();
    };
    try {
      await makeTemplate(new URL(server.url));
    } catch (error) {
      await close();
      throw error;
    }
    return { url: server.url, [Symbol.asyncDispose]: close };
  } catch (error) {
    await removeFolder();
    throw error;
  }
};
