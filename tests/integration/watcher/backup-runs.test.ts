import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isBackupRunning, requestBackupRun } from '@sheaf/backup/runs';
import { makeProblem } from '@sheaf/contract/operations';
import { englishMessage } from '@sheaf/messages/english';
import { CODE_CACHE_ENVIRONMENT } from '@sheaf/testkit';
import test from 'ava';
import { fullOnly } from '../../support/full-run.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type BackedUpLibrary, openBackedUpLibrary, writeOver } from '../backup/library.ts';

const MAIN = join(import.meta.dirname, '../../../apps/watcher/src/main.ts');

/** @returns the watcher once it is ready: while it starts it reads tables that these tests lock */
const startWatcher = async ({ database, folder, backups }: BackedUpLibrary): Promise<ChildProcess> => {
  const watcher = fork(MAIN, [], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {
      PATH: process.env['PATH'],
      ...CODE_CACHE_ENVIRONMENT,
      DATABASE_URL: database.url.reveal(),
      PROBE_PORT_BASE: '0',
      DATA_PATH: join(folder, 'data'),
      UPLOAD_PATH: join(folder, 'uploads'),
      BACKUP_PATH: backups,
      APP_SECRET_KEY: 'AppSecretKey-of-this-test-0123456789abcdef',
    },
  });
  let isReady = false;
  watcher.on('message', (message) => {
    if (typeof message === 'object' && message !== null && 'type' in message && message.type === 'ready') isReady = true;
  });
  await waitFor(() => isReady || watcher.exitCode !== null, { description: 'the watcher to be ready', limitMs: 60_000 });
  return watcher;
};

const stop = async (child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
};

interface Run extends Record<string, unknown> {
  readonly state: string;
  readonly backup_name: string | null;
}

const untilRun = ({ database }: BackedUpLibrary, id: string, isIt: (run: Run) => boolean): Promise<Run> =>
  waitFor(
    async () => {
      const { rows } = await database.pool.query<Run>('select * from backup_runs where id = $1', [id]);
      return rows.find(isIt);
    },
    { description: 'the run to get on', limitMs: 60_000 },
  );

const hasEnded = ({ state }: Run): boolean => state === 'completed' || state === 'failed';

const request = ({ database, owner }: BackedUpLibrary, backupName: string | null = null, keyId: string | null = null) =>
  requestBackupRun(database.db, {
    kind: backupName === null ? 'backup' : 'verification',
    backupName,
    requestedBy: owner.id,
    requestedKeyId: keyId,
  });

const alertsOf = async ({ database }: BackedUpLibrary): Promise<unknown[]> =>
  (await database.pool.query<{ component: string }>(`select component from alerts where component = 'backups'`)).rows;

test('the watcher makes the backup that was asked for, verifies it, and finds a changed file', async (t) => {
  await using library = await openBackedUpLibrary();
  await library.add('a note');
  const watcher = await startWatcher(library);
  t.teardown(() => stop(watcher));
  const made = await untilRun(library, (await request(library)).id, hasEnded);
  const waited = Number(made['started_at']) - Number(made['created_at']);
  t.true(waited < 10_000, `it began when it was asked for, not with the next poll: ${waited} ms`);
  t.like(made, { state: 'completed', problem: null, error: null, lease_until: null });
  const name = String(made.backup_name);
  t.deepEqual(await readdir(library.backups), [name]);

  t.like(await untilRun(library, (await request(library, name)).id, hasEnded), { state: 'completed', finding: 'ok', error: null });
  const byLostKey = await untilRun(library, (await request(library, name, crypto.randomUUID())).id, hasEnded);
  t.like(byLostKey, { state: 'failed', error: englishMessage('errors.requester_key_gone') });

  const hash = (await readFile(join(library.backups, name, 'files.list'), 'utf8')).slice(0, 64);
  await writeOver(join(library.backups, name, 'files', hash.slice(0, 2), hash.slice(2, 4), hash), 'a nose');
  const damaged = await untilRun(library, (await request(library, name)).id, hasEnded);
  t.like(damaged, { state: 'completed', finding: 'damaged' });
  t.regex(String(damaged['error']), /hash is different/);
  const { rows } = await library.database.pool.query<{ data: Record<string, unknown> }>(`select data from notifications`);
  t.true(
    rows.some(({ data }) => isDeepStrictEqual(data['problems'], [makeProblem('backup_damaged', { name, error: damaged['error'] })])),
    JSON.stringify(rows),
  );
  t.deepEqual(await alertsOf(library), []);
});

fullOnly(test)(
  'a run whose watcher is killed ends as interrupted, is told, and its backup ends too; the next one continues it',
  async (t) => {
    await using library = await openBackedUpLibrary();
    await library.add('a note');
    const { database } = library;
    const first = await startWatcher(library);
    t.teardown(() => stop(first, 'SIGKILL'));
    const holder = await database.pool.connect();
    const { id } = await request(library);
    try {
      await holder.query('begin');
      await holder.query('lock table documents in access exclusive mode'); // nothing gets past it
      await untilRun(library, id, ({ state }) => state === 'running');
      await waitFor(() => isBackupRunning(database.db), { description: 'the backup to have its lock', limitMs: 60_000 });
      await stop(first, 'SIGKILL');
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    await waitFor(async () => !(await isBackupRunning(database.db)), { description: 'the orphaned backup to end', limitMs: 30_000 });
    t.deepEqual(
      (await readdir(library.backups)).filter((name) => !name.startsWith('.incomplete-')),
      [],
      'nothing half-written has the name of a backup',
    );

    await database.pool.query(`update backup_runs set lease_until = now() - interval '1 second' where state = 'running'`);
    const second = await startWatcher(library);
    t.teardown(() => stop(second));
    t.like(await untilRun(library, id, hasEnded), { state: 'failed', problem: 'interrupted', backup_name: null });
    t.is((await alertsOf(library)).length, 1);

    t.like(await untilRun(library, (await request(library)).id, hasEnded), { state: 'completed' });
    t.deepEqual(await alertsOf(library), [], 'the alert is over');
    t.is((await readdir(library.backups)).length, 1, 'what was begun is gone');
  },
);

fullOnly(test)('a watcher that stops ends its run in good order', async (t) => {
  await using library = await openBackedUpLibrary();
  await library.add('a note');
  const { database } = library;
  const watcher = await startWatcher(library);
  t.teardown(() => stop(watcher, 'SIGKILL'));
  const holder = await database.pool.connect();
  const { id } = await request(library);
  try {
    await holder.query('begin');
    await holder.query('lock table documents in access exclusive mode');
    await untilRun(library, id, ({ state }) => state === 'running');
    await waitFor(() => isBackupRunning(database.db), { description: 'the backup to have its lock', limitMs: 60_000 });
    const stopped = stop(watcher);
    await holder.query('rollback');
    await stopped;
  } finally {
    holder.release();
  }
  t.true(hasEnded(await untilRun(library, id, hasEnded)));
});
