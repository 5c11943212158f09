import { sealSourceSecret } from '@sheaf/sources';
import test from 'ava';
import { SYNC_SECRET_KEY } from '../../support/composed-sync.ts';
import { faults } from '../../support/fault-proxy.ts';
import { openS3Server } from '../../support/s3-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import { openSyncBench } from './fixture.ts';

test('a bucket is run over like a folder: new, changed, moved and removed objects', async (t) => {
  await using bench = await openSyncBench();
  await using server = await openS3Server();
  await server.put('in/a.txt', 'alder');
  await server.put('in/b.txt', 'birch');
  await server.put('outside.txt', 'not ours');
  const settings = { bucket: server.bucket, endpoint_url: server.url, prefix: 'in' };
  const id = await bench.addSource({ type: 's3', url: null, username: 'S3RVER', settings });
  await bench.rows('update sources set sealed_secret = $2 where id = $1', id, sealSourceSecret('S3RVER', id, SYNC_SECRET_KEY));
  t.like(await bench.run(id), { state: 'completed', added: 2, total: 2 });
  t.like(await bench.run(id), { state: 'completed', skipped: 2, bytes: 0 });
  await server.put('in/a.txt', 'alder, revised');
  await server.put('in/deep/c.txt', 'birch');
  await server.remove('in/b.txt');
  t.like(await bench.run(id), { state: 'completed', updated: 1, moved: 1, added: 0, removed: 0 });
  await server.remove('in/a.txt');
  t.like(await bench.run(id), { removed: 1 });
  t.deepEqual(await bench.rows('select distinct source from documents'), [{ source: 's3' }]);
});

test('a source that is due is run, one that is disabled or waits for people is not', async (t) => {
  await using bench = await openSyncBench();
  const { addSource, put, engine, rows } = bench;
  await put('a.txt', 'alder');
  await addSource({ isEnabled: false, nextSyncAt: new Date(0) });
  await addSource({ syncIntervalSeconds: 0 });
  await addSource({ nextSyncAt: new Date(Date.now() + 60_000) });
  const due = await addSource({ nextSyncAt: new Date(0) });
  engine.nudge();
  await waitFor(async () => (await rows("select from sync_runs where state = 'completed'")).length > 0, {
    description: 'the run that is due',
    limitMs: 20_000,
  });
  t.deepEqual(await rows('select source_id, trigger, requested_by from sync_runs'), [
    { source_id: due, trigger: 'schedule', requested_by: null },
  ]);
});

test('three sources are run at a time and each once, and no more files are fetched than are allowed over all runs', async (t) => {
  await using bench = await openSyncBench({ SYNC_PARALLEL_DOWNLOADS: '4' });
  const { addSource, put, engine, rows, proxy, ask } = bench;
  for (let n = 0; n < 8; n += 1) await put(`f${n}.txt`, `file ${n}`);
  proxy.inject({ fault: faults.silence(), when: ({ method }) => method === 'GET' });
  const ids = await Promise.all(Array.from({ length: 5 }, () => addSource()));
  for (const id of ids) await ask(id);
  const running = async (): Promise<number> => (await rows("select from sync_runs where state = 'running'")).length;
  await waitFor(async () => (await running()) === 3, { description: 'three runs', limitMs: 20_000 });
  await waitFor(() => bench.downloads() === 4, { description: 'the downloads', limitMs: 20_000 });
  engine.nudge();
  t.is((await rows("select from sync_runs where state = 'queued'")).length, 2);
  t.is(await running(), 3);
  t.is(bench.downloads(), 4);
});

test('a password that cannot be decrypted any more ends the run and asks for it', async (t) => {
  await using bench = await openSyncBench();
  const id = await bench.addSource();
  await bench.rows("update sources set sealed_secret = 'v1.somebody.elses' where id = $1", id);
  const run = await bench.run(id);
  t.like(run, { state: 'failed' });
  t.regex(run.error ?? '', /Enter the password again/);
});

test('progress is told file by file, and the owner hears of the end', async (t) => {
  await using bench = await openSyncBench();
  const { addSource, put, run, rows, owner } = bench;
  for (let n = 0; n < 6; n += 1) await put(`f${n}.txt`, `file ${n}`);
  const id = await addSource();
  await run(id);
  const told = await rows("select owner_id, data from events where type = 'sync_progress' order by id");
  t.true(told.length >= 7);
  const counts = told.map(({ data }) => (data as { processed: number }).processed);
  t.deepEqual(
    counts,
    counts.toSorted((a, b) => a - b),
    'it never goes back',
  );
  const files = told
    .map(({ data }) => data as { processed: number; current_file: string | null })
    .filter((data) => data.current_file !== null);
  for (let n = 1; n <= 6; n += 1)
    t.true(
      files.some(({ processed }) => processed === n),
      `the count ${n}`,
    );
  t.is(new Set(files.map((data) => data.current_file)).size, 6);
  for (const { owner_id, data } of told) t.like({ owner_id, data }, { owner_id: owner.id, data: { source_id: id } });
  t.like(told.at(-1)?.['data'], { processed: 6, total: 6, current_file: null });
  const [notification, ...others] = await rows('select user_id, type, title, message, data from notifications');
  t.deepEqual(others, []);
  t.like(notification, { user_id: owner.id, type: 'sync_completed', title: 'Sync of Cloud completed', data: { source_id: id } });
  t.regex(String(notification?.['message']), /^6 added; 6 files checked/);
});
