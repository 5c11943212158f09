import { chown, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PostgresServer } from '@sheaf/program/embedded-postgres';
import type { ExecutionContext } from 'ava';
import { givenData, open } from '../program/given-server.ts';

/** A URL of the servers on these ports of this machine. */
export const urlOf = (ports: readonly number[], parameters = ''): string =>
  `postgresql://sheaf:test-password@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/sheaf${parameters}`;

export const starting = async (t: ExecutionContext, ...given: Parameters<typeof open>): Promise<PostgresServer> => {
  const server = await open(...given);
  t.teardown(() => server.stop('immediate'));
  return server;
};

export interface ReplicatedPair {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** Starts the standby again on the port it had. */
  readonly restartStandby: () => Promise<PostgresServer>;
}

/** A primary, and a standby that follows it. */
export const givenPair = async (t: ExecutionContext): Promise<ReplicatedPair> => {
  const [dataPath, copy] = [await givenData(t), await givenData(t)]; // copies of one that was shut down
  const primary = await starting(t, dataPath);
  const signal = join(copy, 'standby.signal');
  await writeFile(signal, '');
  const { uid, gid } = await stat(copy);
  await chown(signal, uid, gid);
  const primary_conninfo = `host=127.0.0.1 port=${primary.port} user=sheaf password=test-password`;
  const startStandby = (port: number): Promise<PostgresServer> =>
    starting(t, copy, { port, extraParameters: { fsync: 'off', primary_conninfo } });
  const standby = await startStandby(0);
  return { primary, standby, restartStandby: () => startStandby(standby.port) };
};
