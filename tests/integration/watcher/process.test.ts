import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { supervisionMessage, waitFor } from '@sheaf/runtime';
import { givenUser, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';

const test = anyTest as TestFn<{ database: TestDatabase; folder: string; drop: () => Promise<void> }>;

test.beforeEach(async (t) => {
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-watcher-'));
  t.context = { database: await openTestDatabase(), folder: folder.path, drop: () => folder.remove() };
});
test.afterEach.always(async (t) => {
  await t.context.database[Symbol.asyncDispose]();
  await t.context.drop();
});

const start = (name: 'watcher' | 'sync', { database, folder }: { database: TestDatabase; folder: string }): ChildProcess =>
  fork(join(import.meta.dirname, `../../../apps/${name}/src/main.ts`), [], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: database.url.reveal(),
      PROBE_PORT_BASE: '0',
      WATCH_INTERVAL_SECONDS: '3600', // so that what happens soon comes from a nudge
      FILE_STABILITY_CHECK_MS: '50',
    },
  });

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

test('the watcher answers its probes and takes in a file long before its next scan', async (t) => {
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
      limitMs: 5_000,
    },
  );
  const row = await waitFor(async () => (await t.context.database.pool.query('select state from ingest_ledger')).rows[0], {
    description: 'the file to be taken in',
    limitMs: 10_000,
  });
  t.deepEqual(row, { state: 'ingested' });
  t.is(await stop(child), 0);
});

for (const name of ['watcher', 'sync'] as const)
  test(`a second ${name} on the same database leaves with code 69`, async (t) => {
    const first = start(name, t.context);
    t.teardown(() => stop(first));
    t.is((await fetch(`${await untilReady(first)}/health`)).status, 200);
    const second = start(name, t.context);
    t.teardown(() => stop(second));
    const [code] = await once(second, 'exit');
    t.is(code, 69);
    t.is(await stop(first), 0);
  });
