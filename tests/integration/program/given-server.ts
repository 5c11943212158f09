import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Secret } from '@sheaf/contract';
import { silentLogger } from '@sheaf/process';
import { openPostgresServer, type PostgresServer, type PostgresServerSettings } from '@sheaf/program/embedded-postgres';
import { Client } from 'pg';

interface Teardown {
  teardown(fn: () => Promise<void>): void;
}

/** A folder that the database's OS user may pass, removed at the end of the test. */
export const givenFolder = async (t: Teardown): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'sheaf-postgres-'));
  await chmod(path, 0o755);
  t.teardown(() => rm(path, { recursive: true, force: true }));
  return path;
};

export const open = (dataPath: string, more: Partial<PostgresServerSettings> = {}): Promise<PostgresServer> =>
  openPostgresServer({
    dataPath,
    port: 0,
    password: new Secret('test-password'),
    log: silentLogger(),
    extraParameters: { fsync: 'off' },
    ...more,
  });

let template: Promise<string> | undefined;

const makeTemplate = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-postgres-template-'));
  await chmod(folder, 0o755);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await (await open(join(folder, 'postgres'))).stop();
  return join(folder, 'postgres');
};

/** An existing data directory whose server is down. A copy, as making one takes half a second of a core. */
export const givenData = async (t: Teardown): Promise<string> => {
  template ??= makeTemplate();
  const path = join(await givenFolder(t), 'postgres');
  await promisify(execFile)('cp', ['-a', await template, path]);
  return path;
};

export const connect = async (url: string): Promise<Client> => {
  const client = new Client({ connectionString: url });
  client.on('error', () => {}); // the server is killed in some tests
  await client.connect();
  return client;
};

/** The first column of the first row. */
export const ask = async (url: string, query: string): Promise<unknown> => {
  const client = await connect(url);
  try {
    const { rows } = await client.query<Record<string, unknown>>(query);
    return Object.values(rows[0] ?? {})[0];
  } finally {
    await client.end();
  }
};

export const serverPid = (dataPath: string): number => Number(readFileSync(join(dataPath, 'postmaster.pid'), 'utf8').split('\n')[0]);

export const isAlive = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

/** A process of its own that holds a server, to be killed. */
export const givenStarter = async (
  dataPath: string,
  { ids = {}, graceSeconds = 5 }: { ids?: { uid?: number; gid?: number }; graceSeconds?: number } = {},
): Promise<{ url: string; kill(): Promise<void> }> => {
  const fixture = join(import.meta.dirname, '../../fixtures/embedded-postgres/hold-server.ts');
  const child = spawn(process.execPath, [fixture, dataPath, String(graceSeconds)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: '/',
    ...ids,
  });
  const exited = once(child, 'exit');
  const line = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exited]);
  if (typeof line[0] !== 'string') throw new Error(`the starter ended with ${line.join(' ')}`);
  return {
    url: line[0],
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
};
