import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { supervisionMessage } from '@sheaf/process';
import { givenUser } from '@sheaf/testkit';
import type { Pool } from 'pg';
import { flagsOfProcfile } from './procfile-flags.ts';
import { openScratchDatabase } from './scratch-database.ts';

const TICKS_A_SECOND = 100;

/** A watcher process alone: nobody reads what it imports, so that what it costs by itself is seen. */
export interface BenchWatcher extends AsyncDisposable {
  readonly folder: string;
  readonly watch: string;
  readonly pool: Pool;
  /** Starts the process and resolves when it is ready. */
  readonly start: (env?: Readonly<Record<string, string>>) => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly memoryBytes: () => Promise<number>;
  /** Processor time that the process has used since it started. */
  readonly processorSeconds: () => Promise<number>;
  /** The value of a metric of the process, by the beginning of its line. */
  readonly metric: (line: string) => Promise<number>;
}

/** A database with an administrator and a watch folder, and no process yet. */
export const openBenchWatcher = async (): Promise<BenchWatcher> => {
  const database = await openScratchDatabase();
  await givenUser(database.db, { role: 'admin' });
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-bench-watch-'));
  const watch = join(folder, 'watch');
  await mkdir(watch);
  let child: ChildProcess | undefined;
  let address = '';
  const proc = (file: string): Promise<string> => readFile(`/proc/${child?.pid}/${file}`, 'utf8');
  const stop = async (): Promise<void> => {
    if (child !== undefined && child.exitCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    }
    child = undefined;
  };
  return {
    folder,
    watch,
    pool: database.pool,
    start: async (env = {}) => {
      await stop();
      child = forkWatcher(folder, database.url.reveal(), env);
      const [message] = await once(child, 'message');
      const { probe_host, probe_port } = supervisionMessage.parse(message);
      address = `http://${probe_host}:${probe_port}`;
    },
    stop,
    memoryBytes: async () => Number(/^VmRSS:\s+(\d+) kB/m.exec(await proc('status'))?.[1]) * 1024,
    processorSeconds: async () => {
      const stat = await proc('stat');
      const [user, system] = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 13);
      return (Number(user) + Number(system)) / TICKS_A_SECOND;
    },
    metric: async (line) => {
      const text = await (await fetch(`${address}/metrics`)).text();
      const found = text.split('\n').find((candidate) => candidate.startsWith(line));
      return Number(found?.split(' ').at(-1) ?? 0);
    },
    [Symbol.asyncDispose]: async () => {
      await stop();
      await database[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const forkWatcher = (folder: string, databaseUrl: string, env: Readonly<Record<string, string>>): ChildProcess =>
  fork(join(import.meta.dirname, '../../apps/watcher/src/main.ts'), [], {
    cwd: folder,
    execArgv: flagsOfProcfile('watcher'),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { PATH: process.env['PATH'], DATABASE_URL: databaseUrl, PROBE_PORT_BASE: '0', LOG_LEVEL: 'warn', ...env },
  });
