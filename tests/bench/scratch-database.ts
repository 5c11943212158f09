import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '@sheaf/contract';
import { type Database, openDatabase } from '@sheaf/db';
import { migrateUp, readMigrations } from '@sheaf/db/migrations';
import { makeLogger, silentLogger } from '@sheaf/process';
import { openPostgresServer } from '@sheaf/program/embedded-postgres';
import { Client } from 'pg';

export interface ScratchOptions {
  /** As the server takes it, such as `4GB`: what a database host of its own would have. Otherwise what the service gives it. */
  readonly sharedBuffers?: string | undefined;
}

/**
 * A migrated database on a server of its own with the service's own settings, gone when disposed of; with `kept`, in that folder, where it
 * stays for the next time.
 */
export const openScratchDatabase = async (kept?: string, { sharedBuffers }: ScratchOptions = {}): Promise<Database & AsyncDisposable> => {
  if (kept !== undefined) await mkdir(kept, { recursive: true });
  const folder = kept ?? (await mkdtemp(join(tmpdir(), 'sheaf-bench-')));
  await chmod(folder, 0o755); // the database may run as another OS user
  const log = makeLogger({ level: 'warn', format: 'text' }, 'bench');
  const password = new Secret(randomBytes(16).toString('hex'));
  const extraParameters = sharedBuffers === undefined ? {} : { shared_buffers: sharedBuffers };
  const server = await openPostgresServer({ dataPath: join(folder, 'postgres'), port: 0, password, log, extraParameters });
  const client = new Client({ connectionString: server.url });
  await client.connect();
  await migrateUp(client, await readMigrations());
  await client.end();
  const database = openDatabase(
    {
      url: new Secret(server.url),
      maxConnections: 10,
      minConnections: 0,
      acquireTimeoutMs: 5_000,
      idleTimeoutMs: 60_000,
      maxLifetimeMs: 3_600_000,
      applicationName: 'bench',
    },
    silentLogger(),
  );
  return {
    ...database,
    [Symbol.asyncDispose]: async () => {
      await database.close();
      await server.stop();
      if (kept === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
};
