import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort } from './free-port.ts';
import { findSystemPostgres } from './patroni.ts';
import { waitFor } from './wait-for.ts';

const run = promisify(execFile);

const PGBACKREST = '/usr/bin/pgbackrest';
const OS_USER = 'postgres';
const ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' };

/** Why there is no PostgreSQL with an archive to test against, or undefined when there is one. */
export const whyNoArchivedPostgres = (): string | undefined => {
  if (process.geteuid?.() !== 0) return 'only root may run PostgreSQL as its own OS user';
  return existsSync(PGBACKREST) && findSystemPostgres() !== undefined
    ? undefined
    : 'pgbackrest or postgresql are not installed (./setup --full-test)';
};

/** A PostgreSQL whose write-ahead log goes to a pgBackRest repository in a folder. */
export interface ArchivedPostgres extends AsyncDisposable {
  readonly url: string;
  /** The first column of the first row that `statement` returns, asked as superuser. */
  ask(statement: string): Promise<unknown>;
  /** Runs pgBackRest with these arguments as docs/large/archiving.md has them. */
  pgbackrest(...args: string[]): Promise<void>;
  /** Ends the server at once and removes its data, as a lost disk does; the repository stays. */
  loseData(): Promise<void>;
  /** Starts the server on the data that pgBackRest restored, and waits until it accepts writes. */
  startRestored(): Promise<void>;
}

const asServer = (...args: string[]): [string, string[]] => [
  'setpriv',
  [`--reuid=${OS_USER}`, `--regid=${OS_USER}`, '--init-groups', ...args],
];

const runAsServer = async (...given: string[]): Promise<void> => {
  const [file, args] = asServer(...given);
  await run(file, args, { cwd: '/', env: ENVIRONMENT });
};

const configuration = (folder: string, port: number): string =>
  [
    '[global]',
    `repo1-path=${join(folder, 'repository')}`,
    'repo1-retention-full=2',
    'start-fast=y',
    `log-path=${folder}`,
    `lock-path=${join(folder, 'lock')}`,
    `spool-path=${join(folder, 'spool')}`,
    'log-level-console=warn',
    '[sheaf]',
    `pg1-path=${join(folder, 'data')}`,
    `pg1-port=${port}`,
    `pg1-socket-path=${folder}`,
    '',
  ].join('\n');

/** A new one with an empty database for the service, archiving from the start. */
export const startArchivedPostgres = async (): Promise<ArchivedPostgres> => {
  const binaries = findSystemPostgres();
  if (binaries === undefined) throw new Error(whyNoArchivedPostgres());
  await using cleanUp = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-archived-'));
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
  const [data, port, configurationFile] = [join(folder, 'data'), await freePort(), join(folder, 'pgbackrest.conf')];
  await writeFile(configurationFile, configuration(folder, port));
  for (const name of ['repository', 'lock', 'spool', 'data']) await mkdir(join(folder, name), { mode: 0o700 });
  await run('chown', ['-R', `${OS_USER}:`, folder]);
  await chmod(folder, 0o755);

  const pgbackrest = (...args: string[]) => runAsServer('pgbackrest', `--config=${configurationFile}`, '--stanza=sheaf', ...args);
  const connect = async (database: string): Promise<Client> => {
    const client = new Client({ host: folder, port, user: OS_USER, database });
    client.on('error', () => {}); // the server is ended while it is asked
    await client.connect();
    return client;
  };
  const askIn = async (database: string, statement: string): Promise<unknown> => {
    const client = await connect(database);
    try {
      const { rows } = await client.query<Record<string, unknown>>(statement);
      return Object.values(rows[0] ?? {})[0];
    } finally {
      await client.end();
    }
  };

  let running: ReturnType<typeof spawn> | undefined;
  const stop = async (): Promise<void> => {
    const ending = running;
    running = undefined;
    ending?.kill('SIGQUIT');
    await waitFor(() => ending === undefined || ending.exitCode !== null || ending.signalCode !== null, {
      description: 'PostgreSQL to end',
      limitMs: 30_000,
    });
  };
  const start = async (): Promise<void> => {
    const settings = {
      port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: folder,
      archive_mode: 'on',
      archive_command: `pgbackrest --config=${configurationFile} --stanza=sheaf archive-push %p`,
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const [file, args] = asServer(join(binaries, 'postgres'), '-D', data, ...options);
    const child = spawn(file, args, { cwd: '/', env: ENVIRONMENT, stdio: ['ignore', 'ignore', 'pipe'] });
    running = child;
    let output = '';
    child.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString('utf8')).slice(-4_000)));
    const isWritable = async (): Promise<boolean> => {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended:\n${output}`);
      return (await askIn('postgres', 'select pg_is_in_recovery()').catch(() => true)) === false;
    };
    await waitFor(isWritable, { description: 'PostgreSQL to accept writes', limitMs: 60_000 });
  };
  cleanUp.defer(stop);

  await runAsServer(
    join(binaries, 'initdb'),
    '-D',
    data,
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--auth-host=scram-sha-256',
    '--auth-local=trust',
  );
  await start();
  await askIn('postgres', `create role sheaf login password 'of-sheaf' nosuperuser nocreatedb nocreaterole`);
  await askIn('postgres', `create database sheaf owner sheaf encoding 'UTF8' template template0`);
  await pgbackrest('stanza-create');
  const owned = cleanUp.move();
  return {
    url: `postgresql://sheaf:of-sheaf@127.0.0.1:${port}/sheaf`,
    ask: (statement) => askIn('sheaf', statement),
    pgbackrest,
    loseData: async () => {
      await stop();
      await rm(data, { recursive: true });
      await mkdir(data, { mode: 0o700 });
      await run('chown', [`${OS_USER}:`, data]);
    },
    startRestored: start,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
};
