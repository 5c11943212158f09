import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '@sheaf/contract';
import { type Database, openDatabase } from '@sheaf/db';
import { silentLogger } from '@sheaf/process';
import { openPostgresServer } from '@sheaf/program/embedded-postgres';
import { freePort } from './free-port.ts';

/** A PostgreSQL that a test has for itself, and may stop and start under its clients. */
export interface RestartablePostgres extends AsyncDisposable {
  /** The same after each start. */
  readonly url: string;
  stop(): Promise<void>;
  /** Nothing, where it runs. */
  start(): Promise<void>;
}

export const openRestartablePostgres = async (): Promise<RestartablePostgres> => {
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-pg-'));
  const port = await freePort();
  const open = () =>
    openPostgresServer({
      dataPath: join(folder.path, 'postgres'),
      port,
      exactPort: true,
      password: new Secret('for this test alone'),
      log: silentLogger(),
      extraParameters: { fsync: 'off' },
    });
  let server = await open();
  let isStopped = false;
  const stop = async (): Promise<void> => {
    isStopped = true;
    await server.stop();
  };
  return {
    url: server.url,
    stop,
    start: async () => {
      if (!isStopped) return;
      server = await open();
      isStopped = false;
    },
    [Symbol.asyncDispose]: async () => {
      await stop();
      await folder.remove();
    },
  };
};

/** A few connections to a server that may go away; to be closed. */
export const connectTo = (url: string): Database =>
  openDatabase(
    {
      url: new Secret(url),
      maxConnections: 2,
      minConnections: 0,
      acquireTimeoutMs: 5_000,
      idleTimeoutMs: 60_000,
      maxLifetimeMs: 600_000,
      applicationName: 'test',
    },
    silentLogger(),
  );
