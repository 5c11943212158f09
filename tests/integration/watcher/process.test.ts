import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtempDisposable, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ComponentHealth } from '@sheaf/contract/operations';
import { supervisionMessage } from '@sheaf/process';
import { CODE_CACHE_ENVIRONMENT, givenUser, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { fullOnly, oneIn } from '../../support/full-run.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = anyTest as TestFn<{ database: TestDatabase; folder: string; drop: () => Promise<void> }>;

test.beforeEach(async (t) => {
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-watcher-'));
  t.context = { database: await openTestDatabase(), folder: folder.path, drop: () => folder.remove() };
});
test.afterEach.always(async (t) => {
  await t.context.database[Symbol.asyncDispose]();
  await t.context.drop();
});

const start = (
  name: 'watcher' | 'sync',
  { database, folder }: { database: TestDatabase; folder: string },
  env: Readonly<Record<string, string>> = {},
): ChildProcess =>
  fork(join(import.meta.dirname, `../../../apps/${name}/src/main.ts`), [], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    env: {
      PATH: process.env['PATH'],
      ...CODE_CACHE_ENVIRONMENT,
      DATABASE_URL: database.url.reveal(),
      PROBE_PORT_BASE: '0',
      WATCH_INTERVAL_SECONDS: '3600', // so that what happens soon comes from a nudge
      FILE_STABILITY_CHECK_MS: '50',
      ...env,
    },
  });

const outputOf = (child: ChildProcess): (() => string) => {
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  return () => output;
};

/** The address of the probes, told when everything has started. */
const untilReady = async (child: ChildProcess): Promise<string> => {
  const { probe_host, probe_port } = supervisionMessage.parse((await once(child, 'message'))[0]);
  return `http://${probe_host}:${probe_port}`;
};

const stop = async (child: ChildProcess): Promise<number | null> => {
  if (child.exitCode === null) {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  }
  return child.exitCode;
};

test('the watcher answers its probes and imports a file long before its next scan', async (t) => {
  await givenUser(t.context.database.db, { role: 'admin' });
  const child = start('watcher', t.context);
  t.teardown(() => stop(child));
  const address = await untilReady(child);
  t.is((await fetch(`${address}/ready`)).status, 200);
  const health = (await (await fetch(`${address}/health`)).json()) as { components: Record<string, unknown> };
  t.truthy(health.components['watch_folder']);
  t.truthy(health.components['file_storage']);
  await waitFor(
    async () =>
      writeFile(join(t.context.folder, 'watch/a.txt'), 'a').then(
        () => true,
        () => false,
      ),
    {
      description: 'the watch folder to be made',
      limitMs: 20_000,
    },
  );
  const row = await waitFor(
    async () => (await t.context.database.pool.query("select path from ingest_ledger where state = 'ingested'")).rows[0],
    {
      description: 'the file to be taken in',
      limitMs: 30_000,
    },
  );
  t.deepEqual(row, { path: 'a.txt' });
  t.is(await stop(child), 0);
});

fullOnly(test)('a watch folder that is a file later is unhealthy, and well again when it is a folder', async (t) => {
  const folder = join(t.context.folder, 'watch');
  await mkdir(folder);
  const child = start('watcher', t.context, { WATCH_INTERVAL_SECONDS: '1' });
  t.teardown(() => stop(child));
  const address = await untilReady(child);
  const untilStatus = (status: string): Promise<ComponentHealth> =>
    waitFor(
      async () => {
        const { components } = (await (await fetch(`${address}/health`)).json()) as {
          components: Record<string, ComponentHealth>;
        };
        const found = components['watch_folder'];
        return found?.status === status ? found : undefined;
      },
      { description: `the watch folder to be ${status}`, limitMs: 30_000 },
    );
  await untilStatus('healthy');
  await rm(folder, { recursive: true });
  await writeFile(folder, 'a file');
  const { problems } = await untilStatus('unhealthy');
  t.like(problems, [{ code: 'watch_folder_unusable', details: { folder, variable: 'WATCH_FOLDER' } }]);
  await rm(folder);
  await untilStatus('healthy');
});

fullOnly(test)('with folders of users switched on, what is dropped there is theirs, is moved, and is counted', async (t) => {
  const { database, folder } = t.context;
  const { id } = await givenUser(database.db, { username: 'anna' });
  await mkdir(join(folder, 'user_watch/anna'), { recursive: true });
  const child = start('watcher', t.context, { ENABLE_PER_USER_WATCH: 'true', MOVE_AFTER_PROCESSING: 'true' });
  const output = outputOf(child);
  t.teardown(() => stop(child));
  const address = await untilReady(child);
  const health = (await (await fetch(`${address}/health`)).json()) as { components: Record<string, unknown> };
  t.truthy(health.components['user_watch_folders']);
  await writeFile(join(folder, 'user_watch/anna/a.txt'), 'a');
  const row = await waitFor(
    async () => (await database.pool.query('select owner_id, moved_to from ingest_ledger where moved_to is not null')).rows[0],
    {
      description: 'the file to be moved',
      limitMs: 20_000,
    },
  );
  t.deepEqual(row, { owner_id: id, moved_to: 'anna/a.txt' });
  // the ledger tells where a file goes just before it does
  const metrics = await waitFor(
    async () => {
      const text = await (await fetch(`${address}/metrics`)).text();
      return text.includes('sheaf_watch_files_moved_total{') ? text : undefined;
    },
    { description: 'the move to be counted', limitMs: 20_000 },
  );
  t.regex(metrics, /^sheaf_watch_files_moved_total\{.*route="user_watch".*\} 1$/m);
  t.regex(metrics, /^sheaf_watch_files\{.*route="watch".*\} 0$/m);
  t.regex(metrics, /^sheaf_watch_scan_duration_seconds_count\{.*route="user_watch".*\} [1-9]/m);
  t.regex(output(), /watch folders of users are enabled/);
  t.regex(output(), /user_watch_base_dir.*user_watch/);
});

fullOnly(test)('the log says that folders of users are switched off, and where they would be', async (t) => {
  const child = start('watcher', t.context);
  const output = outputOf(child);
  t.teardown(() => stop(child));
  await untilReady(child);
  t.regex(output(), /per_user_watch.*false.*user_watch_base_dir.*\/user_watch"/);
});

fullOnly(test)('a watcher whose folder is deleted and made again under it goes on', async (t) => {
  const { database, folder } = t.context;
  await givenUser(database.db, { role: 'admin' });
  const child = start('watcher', t.context, { WATCH_INTERVAL_SECONDS: '1' });
  t.teardown(() => stop(child));
  await untilReady(child);
  const watch = join(folder, 'watch');
  for (const name of ['first', 'second']) {
    await rm(watch, { recursive: true, force: true });
    await mkdir(watch, { recursive: true });
    await writeFile(join(watch, `${name}.txt`), name);
    await waitFor(async () => (await database.pool.query('select 1 from documents where title = $1', [name])).rows[0], {
      description: `the ${name} file to be taken in`,
      limitMs: 20_000,
    });
  }
  t.pass();
});

// of sync tests/faults/second-replica.test.ts shows it in the usual run
for (const name of oneIn(2, ['watcher', 'sync'] as const))
  test(`a second ${name} on the same database leaves with code 69 where it may not stand by`, async (t) => {
    const first = start(name, t.context);
    t.teardown(() => stop(first));
    t.is((await fetch(`${await untilReady(first)}/health`)).status, 200);
    const second = start(name, t.context, { SINGLE_REPLICA: 'refuse' });
    t.teardown(() => stop(second));
    const [code] = await once(second, 'exit');
    t.is(code, 69);
    t.is(await stop(first), 0);
  });
