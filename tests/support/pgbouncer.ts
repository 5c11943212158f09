import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Secret } from '@sheaf/contract';
import { freePort } from './free-port.ts';
import { waitFor } from './wait-for.ts';

const PGBOUNCER = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path));

/** Why there is no connection pooler to test against, or undefined when there is one. */
export const whyNoPgBouncer = (): string | undefined => (PGBOUNCER === undefined ? 'pgbouncer is not installed' : undefined);

/** A real connection pooler on loopback, before one database. */
export interface PgBouncer extends AsyncDisposable {
  readonly url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface PgBouncerSettings {
  readonly mode?: 'transaction' | 'session';
  /** Connections to the server for all clients together. */
  readonly poolSize?: number;
  /** Further lines of its configuration. */
  readonly lines?: readonly string[];
}

const configuration = (target: URL, port: number, folder: string, { mode = 'transaction', poolSize = 4, lines = [] }: PgBouncerSettings) =>
  [
    '[databases]',
    `* = host=${target.hostname} port=${target.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = plain',
    `auth_file = ${join(folder, 'users')}`,
    `pool_mode = ${mode}`,
    `default_pool_size = ${poolSize}`,
    'max_client_conn = 200',
    ...lines,
    '',
  ].join('\n');

export const startPgBouncer = async (database: Secret, settings: PgBouncerSettings = {}): Promise<PgBouncer> => {
  const program = PGBOUNCER;
  if (program === undefined) throw new Error(whyNoPgBouncer());
  const target = new URL(database.reveal());
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-pgbouncer-'));
  await chmod(folder, 0o755); // it refuses to run as root
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(file, configuration(target, port, folder, settings));
  await writeFile(join(folder, 'users'), `"${decodeURIComponent(target.username)}" "${decodeURIComponent(target.password)}"\n`);
  const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const started = spawn(program, [...asUser, file], { stdio: ['ignore', 'ignore', 'pipe'] });
    child = started;
    let output = '';
    started.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const isUp = (): boolean => {
      if (started.exitCode !== null) throw new Error(`pgbouncer did not start:\n${output}`);
      return output.includes('process up');
    };
    await waitFor(isUp, { description: 'pgbouncer to be ready', limitMs: 20_000 });
  };
  const stop = async (): Promise<void> => {
    const ending = child;
    child = undefined;
    if (ending === undefined) return;
    ending.kill('SIGTERM'); // at once, with all connections
    await waitFor(() => ending.exitCode !== null || ending.signalCode !== null, { description: 'pgbouncer to end', limitMs: 30_000 });
  };
  await start();
  const url = new URL(target);
  url.port = String(port);
  return {
    url: url.href,
    start,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
