import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiClient, CODE_CACHE_ENVIRONMENT } from '@sheaf/testkit';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import anyTest, { type TestFn } from 'ava';
import { type GivenService, givenService } from '../support/given-service.ts';
import { waitFor } from '../support/wait-for.ts';

const ROOT = join(import.meta.dirname, '../..');

const test = anyTest as TestFn<GivenService>;

// one service for all: a second process of a kind leaves the first one alone
let given: GivenService | undefined;
test.before(async () => {
  given = await givenService({ OCR_WORKER_PROCESSES: '2', WATCH_INTERVAL_SECONDS: '1', FILE_STABILITY_CHECK_MS: '200' });
  await given.service.ready();
});
test.beforeEach((t) => {
  if (given === undefined) throw new Error('the service did not start');
  t.context = given;
});
test.after.always(async () => given?.[Symbol.asyncDispose]());

/** Another process of a kind on the same database and folders. */
const startSecond = ({ environment, folder }: GivenService, name: string, more: Readonly<Record<string, string>> = {}) => {
  const child = spawn(process.execPath, [join(ROOT, `apps/${name}/src/main.ts`)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...environment,
      PATH: process.env['PATH'],
      ...CODE_CACHE_ENVIRONMENT,
      DATA_PATH: join(folder, 'data'),
      UPLOAD_PATH: join(folder, 'uploads'),
      WATCH_FOLDER: join(folder, 'watch'),
      SERVER_ADDRESS: '127.0.0.1:0',
      PROBE_PORT_BASE: '0',
      ...more,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  const closed = once(child, 'close') as Promise<[number]>;
  const says = async (line: RegExp) => {
    try {
      await waitFor(() => line.test(output), { description: `${name} to say ${line.source}`, limitMs: 60_000 });
    } catch (error) {
      throw new Error(`${name} said: ${output}`, { cause: error });
    }
  };
  return {
    says,
    output: () => output,
    end: async (signal: NodeJS.Signals = 'SIGTERM') => {
      child.kill('SIGCONT');
      child.kill(signal);
      return closed;
    },
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    closed,
  };
};

for (const name of ['api', 'watcher', 'sync']) {
  test.serial(`with SINGLE_REPLICA=refuse a second ${name} on the same database ends with exit code 69 and names the holder`, async (t) => {
    const { service } = t.context;
    const [holder] = await service.processIds(`apps/${name}/src/main.ts`);
    const second = startSecond(t.context, name, { SINGLE_REPLICA: 'refuse' });
    const [code] = await second.closed;
    t.is(code, EXIT.replicaRuns, second.output());
    t.true(second.output().includes(`Process ${holder} on `), second.output());
    t.deepEqual(await service.processIds(`apps/${name}/src/main.ts`), [holder], 'the first one runs on');
  });
}

test.serial('a second api answers beside the first one', async (t) => {
  const { service } = t.context;
  const admin = await (await service.ready()).register('admin');
  const second = startSecond(t.context, 'api');
  t.teardown(() => second.end());
  await second.says(/ ready/);
  const { rows } = await t.context.database.pool.query<{ probe_port: number }>(
    `select probe_port from processes where name = 'api' order by started_at desc limit 1`,
  );
  const there = new ApiClient(`http://127.0.0.1:${rows[0]?.probe_port}`);
  t.is((await (await there.login('admin')).get('/api/auth/me')).status, 200);
  t.is((await admin.get('/api/auth/me')).status, 200);
  t.deepEqual(await second.end(), [0, null] as unknown as [number]);
});

test.serial(
  'a second watcher and sync stand by, and take over within 15 s when the first is killed, or is frozen and comes back',
  async (t) => {
    t.timeout(5 * 60_000);
    const { service, folder, database } = t.context;
    const active = async (name: string) =>
      (await database.pool.query<{ pid: number }>(`select pid from processes where name = $1 and holds_lock order by seen_at desc`, [name]))
        .rows;
    const imported = async (name: string) =>
      (await database.pool.query('select from documents where filename = $1', [name])).rowCount === 1;
    for (const name of ['sync', 'watcher']) {
      const [holder] = await service.processIds(`apps/${name}/src/main.ts`);
      if (holder === undefined) throw new Error(`no ${name}`);
      const second = startSecond(t.context, name);
      t.teardown(() => second.end('SIGKILL'));
      await second.says(/standing by/);
      await second.says(/ ready/);
      t.is((await active(name))[0]?.pid, holder);
      process.kill(holder, 'SIGSTOP');
      const frozenAt = performance.now();
      await second.says(/taking over/);
      t.true(performance.now() - frozenAt < 15_000, `${name}: ${performance.now() - frozenAt} ms`);
      process.kill(holder, 'SIGCONT');
      // the one that was frozen ends, and what the supervisor starts in its place stands by
      await waitFor(async () => !(await service.processIds(`apps/${name}/src/main.ts`)).includes(holder), {
        description: `the frozen ${name} to end`,
        limitMs: 30_000,
      });
      if (name === 'watcher') {
        await writeFile(join(folder, 'watch', 'by the second.txt'), 'taken over');
        await waitFor(() => imported('by the second.txt'), { description: 'the second watcher to import', limitMs: 30_000 });
      }
      await waitFor(() => new RegExp(`standing by: another ${name}`).test(service.output), {
        description: `a new ${name} to stand by`,
        limitMs: 60_000,
      });
      await second.end('SIGKILL');
      const killedAt = performance.now();
      await waitFor(() => new RegExp(`taking over as ${name}`).test(service.output), {
        description: `the first ${name} to work again`,
        limitMs: 30_000,
      });
      t.true(performance.now() - killedAt < 15_000, `${name}: ${performance.now() - killedAt} ms`);
    }
    await writeFile(join(folder, 'watch', 'by the first.txt'), 'taken back');
    await waitFor(() => imported('by the first.txt'), {
      description: 'the first watcher to import again',
      limitMs: 30_000,
    });
    const { rows } = await database.pool.query(`select filename, count(*)::int as n from documents group by 1 having count(*) > 1`);
    t.deepEqual(rows, []);
  },
);

test.serial('two ocr-workers share the queue', async (t) => {
  const { database, service } = t.context;
  const admin = await (await service.ready()).login('admin');
  t.is((await service.processIds('apps/ocr-worker/src/main.ts')).length, 2);
  const uploads = await Promise.all(
    Array.from({ length: 10 }, (_, n) => admin.upload({ name: `n${n}.txt`, bytes: new TextEncoder().encode(`number ${n}`) })),
  );
  for (const { body } of uploads) t.is((await admin.waitForEnd(String(body['id']))).status, 'completed');
  const { rows } = await database.pool.query('select max(attempts) as attempts from ocr_jobs');
  t.deepEqual(rows, [{ attempts: 1 }]);
});
