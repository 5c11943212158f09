import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findLastRun, requestRun } from '@sheaf/sources/runs';
import { isFullRun } from '@sheaf/testkit';
import test from 'ava';
import { openSyncBench, type SyncBench } from '../integration/sync/fixture.ts';

const run = promisify(execFile);
const SCRIPT = join(import.meta.dirname, '../fixtures/sync/killed-run.ts');

const FILES = 12;
/** What has happened before, how often the point is passed, and whether some of it was done. */
const POINTS: Readonly<Record<string, number>> = {
  'while listing': 1,
  'after listing': 1,
  'while fetching': 4,
  'before storing': 4,
  'after storing': 4,
  'before the commit': 6,
  'after the commit': 6,
};

/** The usual run kills between bytes and row, the full run at every point. */
const isTried = (point: string): boolean => isFullRun || point === 'after storing';

const orphans = async ({ deps: { ingest }, rows }: SyncBench): Promise<number> => {
  let stored = 0;
  for await (const _object of ingest.storage.list('documents/')) stored += 1;
  return stored - (await rows('select distinct sha256 from documents')).length;
};

// one after the other: each starts a program
for (const [point, times] of Object.entries(POINTS).filter(([name]) => isTried(name)))
  test.serial(`a run that is killed ${point} goes on under its id; every file is there once, with its bytes and its job`, async (t) => {
    t.timeout(3 * 60_000);
    await using bench = await openSyncBench();
    const { put, move, remove, addSource, database, owner, engine, rows, untilEnded } = bench;
    // A source that was synced before: one file will have changed, one moved, one gone, and the others are new.
    for (const name of ['changed', 'moved', 'gone', 'same']) await put(`${name}.txt`, name);
    const id = await addSource();
    t.like(await bench.run(id), { state: 'completed', added: 4, failed: 0 });
    await put('changed.txt', 'changed by now');
    await move('moved.txt', 'elsewhere/moved.txt');
    await remove('gone.txt');
    for (let n = 0; n < FILES; n += 1) await put(`new/f${n}.txt`, `file ${n}`);

    await engine.stop();
    const runId = await database.db.transaction((tx) => requestRun(tx, id, owner.id));
    const killed = await t.throwsAsync(run(process.execPath, [SCRIPT, database.url.reveal(), bench.folder, point, String(times)]));
    t.like(killed, { signal: 'SIGKILL' });
    t.like(await findLastRun(database.db, id), { id: runId, state: 'running' });
    t.deepEqual(await rows('select from documents where not exists (select from ocr_jobs where document_id = documents.id)'), []);
    t.true((await orphans(bench)) >= 0, 'no row without its bytes');

    const { SyncEngine } = await import('@sheaf/sync/testing');
    const next = new SyncEngine(bench.deps);
    t.teardown(() => next.stop());
    await next.start();
    const ended = await untilEnded(id, runId);
    await next.stop();
    t.like(ended, { state: 'completed', added: FILES, updated: 1, removed: 1, moved: 1, failed: 0 });
    t.is(ended.processed, ended.total);
    const documents = await rows('select title, source_removed_at is not null as gone from documents order by title');
    t.is(documents.length, FILES + 4);
    t.deepEqual(
      documents.filter(({ gone }) => gone),
      [{ title: 'gone', gone: true }],
    );
    t.is((await rows('select from ocr_jobs')).length, FILES + 4);
    t.is((await rows('select from source_files where removed_at is null')).length, FILES + 3);
  });
