import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openTestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { fullOnly } from '../../support/full-run.ts';
import { waitFor } from '../../support/wait-for.ts';
import { givenFolder } from '../program/given-server.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Threads of a process that libuv has made for what blocks. */
const blockingThreads = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).filter((task) => readFileSync(`/proc/${pid}/task/${task}/comm`, 'utf8').startsWith('libuv-worker'))
    .length;

test('the number is that which is set before the first use, and UV_THREADPOOL_SIZE goes before it', async (t) => {
  const { UV_THREADPOOL_SIZE: _, ...environment } = process.env;
  const program = `
    import { setBlockingThreads } from '${join(ROOT, 'packages/process/src/machine/index.ts')}';
    import { readdirSync, readFileSync } from 'node:fs';
    import { stat } from 'node:fs/promises';
    setBlockingThreads(7);
    await stat('/');
    console.log(readdirSync('/proc/self/task').filter((task) => readFileSync('/proc/self/task/' + task + '/comm', 'utf8').startsWith('libuv-worker')).length);`;
  const run = async (env: NodeJS.ProcessEnv): Promise<number> =>
    Number((await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { env })).stdout);
  t.is(await run(environment), 7);
  t.is(await run({ ...environment, UV_THREADPOOL_SIZE: '3' }), 3);
});

fullOnly(test)(
  'BLOCKING_THREADS of an api that is started by itself are made, never more than four for each of CPU_CORES, and DATABASE_MIN_CONNECTIONS kept',
  async (t) => {
    await using database = await openTestDatabase();
    const { UV_THREADPOOL_SIZE: _, ...environment } = process.env;
    const run = async (variables: Record<string, string>): Promise<number> => {
      const folder = await givenFolder(t);
      const env = {
        ...environment,
        DATABASE_URL: database.url.reveal(),
        PROBE_PORT_BASE: '0',
        DATA_PATH: join(folder, 'data'),
        UPLOAD_PATH: join(folder, 'uploads'),
      };
      const child = spawn(process.execPath, [join(ROOT, 'apps/api/src/main.ts')], {
        env: { ...env, SERVER_ADDRESS: '127.0.0.1:0', DATABASE_MIN_CONNECTIONS: '3', DATABASE_MAX_CONNECTIONS: '3', ...variables },
        cwd: folder,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(child, 'exit');
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
      try {
        await waitFor(() => output.includes('ready'), { description: () => `the api to be ready; so far ${output}`, limitMs: 30_000 });
        const query = `select pid from pg_stat_activity where datname = current_database() and application_name = 'sheaf api'`;
        await waitFor(async () => (await database.pool.query(query)).rowCount === 3, { description: 'three connections', limitMs: 20_000 });
        return blockingThreads(child.pid ?? 0);
      } finally {
        child.kill();
        await ended;
      }
    };
    t.is(await run({ BLOCKING_THREADS: '3' }), 3);
    t.is(await run({ BLOCKING_THREADS: '512', CPU_CORES: '3' }), 12);
  },
);
