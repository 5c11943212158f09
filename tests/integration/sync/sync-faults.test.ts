import { mkdtempDisposable, readdir } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { updateSource } from '@sheaf/sources';
import { cancelRun, findLastRun, listUncheckedSources, queueDueRuns } from '@sheaf/sources/runs';
import { LocalStorage, TempArea } from '@sheaf/storage';
import { SyncEngine } from '@sheaf/sync/testing';
import anyTest, { type TestFn } from 'ava';
import { canMount, mountSmallDisk } from '../../fixtures/small-disk.ts';
import { CONFIGURED_ROLES } from '../../support/built-in-roles.ts';
import { faults } from '../../support/fault-proxy.ts';
import { fullOnly } from '../../support/full-run.ts';
import { waitFor } from '../../support/wait-for.ts';
import { openSyncBench, type SyncBench } from './fixture.ts';

const test = anyTest as TestFn<SyncBench>;

test.beforeEach(async (t) => {
  t.context = await openSyncBench();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const withSmallDisk = canMount() ? test : test.skip;
if (withSmallDisk !== test) process.stdout.write('tests that need a small disk are skipped: this user may not mount one\n');

const isDownload = (request: IncomingMessage): boolean => request.method === 'GET';
const isListing = (request: IncomingMessage): boolean => request.method === 'PROPFIND';
const isDownloadOf =
  (name: string) =>
  (request: IncomingMessage): boolean =>
    isDownload(request) && (request.url ?? '').endsWith(name);

const givenFiles = async ({ put }: SyncBench, count: number): Promise<void> => {
  for (let n = 0; n < count; n += 1) await put(`f${n}.txt`, `file ${n}`);
};

const sourceOf = async ({ rows }: SyncBench, id: string) =>
  (
    await rows(
      'select failures, last_error, last_sync_at, next_sync_at, extract(epoch from next_sync_at - now())::float8 as wait from sources where id = $1',
      id,
    )
  )[0] ?? {};

const countDocuments = async ({ rows }: SyncBench): Promise<number> => (await rows('select from documents')).length;

fullOnly(test)('one file that cannot be fetched does not keep the others out, and is left alone until it is time', async (t) => {
  const { addSource, run, proxy, downloads, rows } = t.context;
  await givenFiles(t.context, 5);
  proxy.inject({ fault: faults.answer(500), when: isDownloadOf('f2.txt') });
  const id = await addSource();
  t.like(await run(id), { state: 'completed', added: 4, failed: 1 });
  t.like(
    (
      await rows("select state, attempts, next_attempt_at > now() + interval '50 seconds' as waits from source_files where path = 'f2.txt'")
    )[0],
    {
      state: 'failed',
      attempts: 1,
      waits: true,
    },
  );
  t.regex(String((await rows("select reason from ingest_ledger where path = 'f2.txt' and state = 'failed'"))[0]?.['reason']), /\(500\)/);
  t.like(await rows("select reason_code, reason_details ->> 'problem' as problem from ingest_ledger where path = 'f2.txt'"), [
    { reason_code: 'source_failed', problem: 'server_error' },
  ]);
  const fetched = downloads();
  t.like(await run(id, 'schedule'), { state: 'completed', skipped: 5 });
  t.is(downloads(), fetched);
  await rows("update source_files set next_attempt_at = now() where path = 'f2.txt'");
  t.like(await run(id, 'schedule'), { failed: 1 });
  t.is((await rows("select attempts from source_files where path = 'f2.txt'"))[0]?.['attempts'], 2);
  proxy.heal();
  t.like(await run(id), { state: 'completed', added: 1, failed: 0 });
  t.is(await countDocuments(t.context), 5);
});

fullOnly(test)('a file that failed while it changed keeps its document, which has the new contents afterwards', async (t) => {
  const { put, addSource, run, proxy, rows } = t.context;
  await put('a.txt', 'first');
  const id = await addSource();
  await run(id);
  const [before] = await rows('select id, sha256 from documents');
  await put('a.txt', 'second version');
  proxy.inject({ fault: faults.cutBody(3), when: isDownload });
  t.like(await run(id), { state: 'completed', failed: 1 });
  t.deepEqual(await rows('select id, sha256 from documents'), [before]);
  proxy.heal();
  t.like(await run(id), { updated: 1 });
  const [after] = await rows('select id, sha256 from documents');
  t.is(after?.['id'], before?.['id']);
  t.not(after?.['sha256'], before?.['sha256']);
});

test('a file that may not be read is its own fault; a password that is wrong is the fault of all', async (t) => {
  const { addSource, run, proxy } = t.context;
  await givenFiles(t.context, 3);
  proxy.inject({ fault: faults.answer(403), when: isDownloadOf('f1.txt') });
  const id = await addSource();
  t.like(await run(id), { state: 'completed', added: 2, failed: 1 });
  proxy.heal();
  proxy.inject({ fault: faults.answer(401) });
  const run2 = await run(id);
  t.like(run2, { state: 'failed' });
  t.regex(run2.error ?? '', /user name and password/);
});

fullOnly(test)('when the password is refused in the middle, the run ends at once and not file by file', async (t) => {
  const { addSource, run, proxy, downloads } = t.context;
  await givenFiles(t.context, 40);
  proxy.inject({ fault: faults.answer(401), when: isDownload });
  proxy.inject({ fault: faults.answer(401), when: (request) => isListing(request) && request.headers.depth === '0' });
  const id = await addSource();
  t.like(await run(id), { state: 'failed', failed: 0 });
  t.true(downloads() <= 5);
});

fullOnly(test)('a source that fails is tried again after a minute, two, and so on; its owner is told once, and it recovers', async (t) => {
  const { addSource, run, proxy, rows } = t.context;
  await givenFiles(t.context, 2);
  proxy.inject({ fault: faults.answer(500) });
  const id = await addSource();
  const waits: number[] = [];
  for (let n = 1; n <= 3; n += 1) {
    t.like(await run(id, 'schedule'), { state: 'failed' });
    const source = await sourceOf(t.context, id);
    t.is(source['failures'], n);
    t.regex(String(source['last_error']), /\(500\)/);
    waits.push(Number(source['wait']));
  }
  for (const [n, wait] of waits.entries()) t.true(wait > 60 * 2 ** n - 10 && wait <= 66 * 2 ** n, `${wait}`);
  t.is((await rows("select from notifications where type = 'sync_failed'")).length, 1);
  proxy.heal();
  t.like(await run(id, 'schedule'), { state: 'completed', added: 2 });
  const source = await sourceOf(t.context, id);
  t.like(source, { failures: 0, last_error: null });
  t.true(Number(source['wait']) >= 3_595 && Number(source['wait']) <= 3_960, String(source['wait']));
  t.is((await rows("select from notifications where type = 'sync_completed' and user_id = $1", t.context.owner.id)).length, 1);
});

test('a source that asks for patience gets it', async (t) => {
  const { addSource, run, proxy } = t.context;
  await givenFiles(t.context, 20);
  proxy.inject({ fault: faults.answer(429, '', { 'retry-after': '1800' }), when: isDownload });
  const id = await addSource();
  t.like(await run(id, 'schedule'), { state: 'failed', failed: 0 });
  t.true(t.context.downloads() <= 5);
  const { wait } = await sourceOf(t.context, id);
  t.true(Number(wait) > 1_790 && Number(wait) < 1_810, String(wait));
});

test('a listing that breaks in the middle removes nothing, and what it has shown is imported', async (t) => {
  const { put, remove, addSource, run, proxy } = t.context;
  for (const folder of ['a', 'b', 'c', 'd']) await put(`${folder}/1.txt`, folder);
  const id = await addSource();
  await run(id);
  await givenFiles(t.context, 510); // a driver gives them in batches of some hundred
  await remove('a');
  proxy.inject({ fault: faults.cutBody(60), when: (request) => isListing(request) && /\/[b-d]\/$/.test(request.url ?? '') });
  const broken = await run(id);
  t.like(broken, { state: 'failed', removed: 0 });
  t.true(broken.added >= 100 && broken.added === broken.processed, `${broken.added}`);
  t.deepEqual(await t.context.rows('select path from source_files where removed_at is not null'), []);
  proxy.heal();
  t.like(await run(id), { state: 'completed', removed: 1 });
});

test('a listing that suddenly lacks more than half of many files is not believed, until a person says so', async (t) => {
  const { remove, addSource, run, rows } = t.context;
  await givenFiles(t.context, 20);
  const id = await addSource({ settings: { on_remote_delete: 'delete' } });
  await run(id);
  for (let n = 0; n < 12; n += 1) await remove(`f${n}.txt`);
  const doubted = await run(id, 'schedule');
  t.like(doubted, { state: 'failed', removed: 0 });
  t.regex(doubted.error ?? '', /12 of the 20 known files/);
  t.is(await countDocuments(t.context), 20);
  t.deepEqual(await rows('select from source_files where removed_at is not null'), []);
  t.like(await run(id), { state: 'completed', removed: 12 });
  t.is(await countDocuments(t.context), 8);
});

fullOnly(test)('a folder that may not be listed any more is not empty', async (t) => {
  const { put, addSource, run, proxy } = t.context;
  await put('open/a.txt', 'alder');
  await put('closed/b.txt', 'birch');
  const id = await addSource({ settings: { on_remote_delete: 'delete' } });
  await run(id);
  proxy.inject({ fault: faults.answer(403), when: (request) => isListing(request) && (request.url ?? '').endsWith('/closed/') });
  t.like(await run(id), { state: 'completed', removed: 0 });
  t.is(await countDocuments(t.context), 2);
});

fullOnly(test)('a body without an end is cut off at the limit and leaves nothing on the disk', async (t) => {
  const { put, addSource, run, proxy, rows, deps } = t.context;
  await put('a.txt', 'alder');
  await put('b.txt', 'birch');
  proxy.inject({ fault: faults.endless(200, { 'content-type': 'text/plain' }, () => 'x'.repeat(65_536)), when: isDownloadOf('a.txt') });
  const id = await addSource();
  t.like(await run(id), { state: 'completed', added: 1 });
  t.is(await countDocuments(t.context), 1);
  t.not((await rows("select state from ingest_ledger where path = 'a.txt'"))[0]?.['state'], 'ingested');
  t.is(await deps.ingest.temp.sweep(new Date(Date.now() + 60_000)), 0);
  await waitFor(() => proxy.connections() <= 1, { description: 'the endless answer to be given up', limitMs: 5_000 });
});

fullOnly(test)('a run that is cancelled ends soon, also while a server says nothing; what it had stays', async (t) => {
  const { addSource, ask, untilEnded, proxy, database, engine, rows } = t.context;
  await givenFiles(t.context, 10);
  proxy.inject({ fault: faults.silence(), when: isDownloadOf('f9.txt') });
  const id = await addSource();
  const runId = await ask(id);
  await waitFor(async () => (await rows('select from documents')).length === 9, { description: 'the others', limitMs: 20_000 });
  const startedMs = performance.now();
  await database.db.transaction((tx) => cancelRun(tx, id));
  engine.nudge();
  t.like(await untilEnded(id, runId), { state: 'cancelled', added: 9 });
  t.true(performance.now() - startedMs < 30_000, 'long before the server would have been given up');
  t.like(await sourceOf(t.context, id), { failures: 0 });
});

test('a run that is cancelled without a nudge ends all the same', async (t) => {
  const { addSource, ask, untilEnded, proxy, database } = t.context;
  await givenFiles(t.context, 1);
  proxy.inject({ fault: faults.silence(), when: isDownload });
  const id = await addSource();
  const runId = await ask(id);
  await waitFor(async () => (await findLastRun(database.db, id))?.state === 'running', {
    description: 'the run to begin',
    limitMs: 20_000,
  });
  await database.pool.query('update sync_runs set cancel_requested_at = now()');
  t.like(await untilEnded(id, runId), { state: 'cancelled' });
});

fullOnly(test)('switching a source off ends its run, and deleting it too', async (t) => {
  const { addSource, ask, untilEnded, proxy, database, engine, rows } = t.context;
  await givenFiles(t.context, 1);
  proxy.inject({ fault: faults.silence(), when: isDownload });
  const id = await addSource();
  const runId = await ask(id);
  await database.db.transaction((tx) => updateSource(tx, id, { isEnabled: false }));
  engine.nudge();
  t.like(await untilEnded(id, runId), { state: 'cancelled' });

  const other = await addSource({ name: 'Other' });
  await ask(other);
  await waitFor(async () => (await findLastRun(database.db, other))?.state === 'running', {
    description: 'the run to begin',
    limitMs: 20_000,
  });
  await rows('delete from sources where id = $1', other);
  engine.nudge();
  await waitFor(() => proxy.connections() === 0 || proxy.seen.length > 0, { description: 'the run to end', limitMs: 5_000 });
  await engine.stop();
  t.is((await rows('select from sync_runs where source_id = $1', other)).length, 0);
});

fullOnly(test)('a run that was stopped with the process goes on at the next start, under its id and with its counts', async (t) => {
  const { addSource, ask, proxy, database, engine, rows, downloads, deps, untilEnded } = t.context;
  await engine.stop();
  const first = new SyncEngine(deps);
  t.teardown(() => first.stop());
  await first.start();
  await givenFiles(t.context, 12);
  proxy.inject({ fault: faults.silence(), when: isDownloadOf('f11.txt') });
  const id = await addSource();
  const runId = await ask(id);
  await waitFor(async () => (await rows('select from documents')).length === 11, { description: 'most files', limitMs: 20_000 });
  await first.stop();
  t.like(await findLastRun(database.db, id), { id: runId, state: 'running', finishedAt: null });
  proxy.heal();
  const before = downloads();
  const next = new SyncEngine(deps);
  t.teardown(() => next.stop());
  await next.start();
  t.like(await untilEnded(id, runId), { state: 'completed', added: 12, skipped: 0, processed: 12, total: 12, failed: 0 });
  await next.stop();
  t.is(downloads(), before + 1);
});

fullOnly(test)('a source that is changed while it runs is run over with what it is now', async (t) => {
  const { addSource, ask, untilEnded, proxy, database, engine, put } = t.context;
  await put('a.txt', 'alder');
  await put('b.pdf', 'birch');
  proxy.inject({ fault: faults.silence(), when: isDownloadOf('a.txt') });
  const id = await addSource();
  const runId = await ask(id);
  await waitFor(() => proxy.seen.some(({ url }) => url.endsWith('a.txt')), { description: 'the download', limitMs: 20_000 });
  await database.db.transaction((tx) => updateSource(tx, id, { filePatterns: ['*.pdf'] }));
  engine.nudge();
  t.like(await untilEnded(id, runId), { state: 'completed', added: 0, failed: 0 });
});

fullOnly(test)('a listing that is garbage, or of another server, fails the run and says why', async (t) => {
  const { addSource, run, proxy } = t.context;
  await givenFiles(t.context, 2);
  const id = await addSource();
  for (const fault of [
    faults.answer(207, '<multistatus xmlns="DAV:"><response>', { 'content-type': 'application/xml' }),
    faults.answer(207, '<!DOCTYPE x [<!ENTITY a "b">]><multistatus xmlns="DAV:"/>', { 'content-type': 'application/xml' }),
    faults.answer(200, '<html>Sign in</html>', { 'content-type': 'text/html' }),
    faults.redirect('http://elsewhere.example/'),
    faults.cutHeaders(),
  ]) {
    proxy.heal();
    proxy.inject({ fault });
    const ended = await run(id);
    t.is(ended.state, 'failed', ended.error ?? '');
    t.truthy(ended.error);
  }
  proxy.heal();
  t.like(await run(id), { state: 'completed', added: 2 });
});

fullOnly(test)(
  'a folder that is listed above and not found itself is not empty: only when it is listed no more its files are gone',
  async (t) => {
    const { put, remove, addSource, run, proxy } = t.context;
    await put('open/a.txt', 'alder');
    await put('odd/b.txt', 'birch');
    const id = await addSource({ settings: { on_remote_delete: 'delete' } });
    await run(id);
    proxy.inject({ fault: faults.answer(404), when: (request) => isListing(request) && (request.url ?? '').endsWith('/odd/') });
    t.like(await run(id), { state: 'completed', removed: 0 });
    t.is(await countDocuments(t.context), 2);
    proxy.heal();
    await remove('odd');
    t.like(await run(id), { state: 'completed', removed: 1 });
    t.is(await countDocuments(t.context), 1);
  },
);

fullOnly(test)('files with very long paths below a folder that may not be listed are not gone either', async (t) => {
  const { put, addSource, run, proxy, rows } = t.context;
  const folders = Array.from({ length: 9 }, (_, n) => String(n).repeat(240));
  await put('a.txt', 'alder');
  await put(`${folders.join('/')}/b.txt`, 'birch');
  const id = await addSource({ settings: { on_remote_delete: 'delete' } });
  t.like(await run(id), { state: 'completed', added: 2 });
  for (const name of ['3333', '6666']) {
    proxy.heal();
    proxy.inject({ fault: faults.answer(403), when: (request) => isListing(request) && (request.url ?? '').includes(name) });
    t.like(await run(id), { state: 'completed', removed: 0 });
  }
  t.is((await rows('select from documents where source_removed_at is null')).length, 2);
});

fullOnly(test)('a source whose files are never there when they are fetched does not keep its run going for ever', async (t) => {
  await using bench = await openSyncBench({}, { maxPendingFiles: 2 });
  await givenFiles(bench, 9);
  bench.proxy.inject({ fault: faults.answer(404), when: isDownload });
  const id = await bench.addSource();
  const ended = await bench.run(id);
  t.is(ended.state, 'failed');
  t.regex(ended.error ?? '', /do not exist when they are downloaded/);
  bench.proxy.heal();
  t.like(await bench.run(id), { state: 'completed', added: 9 });
});

fullOnly(test)('the sources of somebody who is disabled, or may not make documents any more, do not go on', async (t) => {
  const { put, addSource, run, ask, untilEnded, proxy, rows, engine, owner } = t.context;
  await put('a.txt', 'alder');
  const id = await addSource();
  await run(id);
  for (const change of ['disabled_at = now()', "role = 'viewer', disabled_at = null"]) {
    await rows(`update users set ${change} where id = $1`, owner.id);
    await put(`b${change.length}.txt`, change);
    const requests = proxy.seen.length;
    t.like(await run(id), {
      state: 'failed',
      added: 0,
      error: 'The owner of this source is disabled or no longer allowed to create documents.',
    });
    t.is(proxy.seen.length, requests, 'nothing was asked with his password');
  }
  await rows("update sources set next_sync_at = now() - interval '1 minute' where id = $1", id);
  const before = (await rows('select from sync_runs')).length;
  await queueDueRuns(t.context.database.db, { types: ['webdav'], roles: CONFIGURED_ROLES });
  t.is((await rows('select from sync_runs')).length, before, 'it is not due');
  t.deepEqual(await listUncheckedSources(t.context.database.db, { types: ['webdav'], roles: CONFIGURED_ROLES }, 0), []);

  // in the middle of a run
  await rows("update users set role = 'editor' where id = $1", owner.id);
  proxy.inject({ fault: faults.silence(), when: isDownload });
  const runId = await ask(id);
  await waitFor(() => proxy.seen.some(({ method, url }) => method === 'GET' && url.includes('b')), {
    description: 'a download',
    limitMs: 20_000,
  });
  await rows('update users set disabled_at = now() where id = $1', owner.id);
  engine.nudge();
  t.like(await untilEnded(id, runId), { state: 'failed', added: 0 });
});

fullOnly(withSmallDisk)(
  'neither a body without an end nor a file that a small disk has no room for leaves anything on it; the run says why, and the next goes on',
  async (t) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-disk-'));
    const path = join(folder.path, 'disk');
    await using _disk = await mountSmallDisk(path);
    await using bench = await openSyncBench({ MAX_FILE_SIZE_MB: '100' });
    await bench.engine.stop();
    const storage = new LocalStorage({ path: join(path, 'store'), thumbnailPath: join(path, 'thumbnails') });
    const ingest = { ...bench.deps.ingest, storage, temp: new TempArea(join(path, 'temp')) };
    const engine = new SyncEngine({ ...bench.deps, ingest });
    await using _engine = { [Symbol.asyncDispose]: () => engine.stop() };
    await bench.put('a.txt', 'alder');
    await bench.put('b.txt', 'birch');
    bench.proxy.inject({
      fault: faults.endless(200, { 'content-type': 'text/plain' }, () => 'x'.repeat(65_536)),
      when: isDownloadOf('a.txt'),
    });
    const id = await bench.addSource();
    await engine.start();
    const run = async () => {
      const runId = await bench.ask(id);
      engine.nudge();
      return bench.untilEnded(id, runId);
    };
    t.like(await run(), { state: 'completed', added: 1, failed: 1 });
    t.deepEqual(await readdir(join(path, 'temp')).catch(() => []), []);

    bench.proxy.heal();
    await bench.put('a.txt', 'x'.repeat(3 * 1024 * 1024));
    const ended = await run();
    t.is(ended.state, 'failed');
    t.regex(ended.error ?? '', /is full/);
    t.deepEqual(await readdir(join(path, 'temp')), []);
    t.is((await storage.check()).status, 'healthy');
    await bench.put('a.txt', 'alder');
    t.like(await run(), { state: 'completed', added: 1 });
    t.is(await countDocuments(bench), 2);
  },
);
