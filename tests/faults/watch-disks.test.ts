import { renameSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { canMount, mountSmallDisk } from '../fixtures/small-disk.ts';
import { makeNotedLines } from '../fixtures/watcher/noted-lines.ts';
import { openScene, type Scene, takeAll } from '../fixtures/watcher/watch-scene.ts';
import { listing, openWatchStage, type WatchStage } from '../fixtures/watcher/watch-stage.ts';
import { testWhere } from '../support/conditional-test.ts';
import { waitFor } from '../support/wait-for.ts';

const ROUTES = ['watch', 'user_watch'] as const;
const SIZE = 300_000;

/** Two files in each of both folders. */
const testWithDisk = testWhere(canMount(), 'this user may not mount a small disk');

const dropAll = async ({ drop }: WatchStage): Promise<void> => {
  for (const path of ['watch/a.txt', 'watch/in/b.txt', 'users/anna/c.txt', 'users/anna/in/d.txt']) await drop(path, path.padEnd(SIZE, '.'));
};

const scanAll = async ({ scanners }: Scene): Promise<void> => {
  for (const route of ROUTES) await scanners[route].scan(new AbortController().signal);
};

const PATHS = ['a.txt', 'anna/c.txt', 'anna/in/d.txt', 'in/b.txt'];

testWithDisk(
  'while the disk of the storage is full files wait, told once, and all is taken in and moved when there is room',
  async (t): Promise<void> => {
    await using stage = await openWatchStage();
    const { folder, places, ledger, count } = stage;
    await using _disk = await mountSmallDisk(join(folder, 'disk'));
    const store = join(folder, 'disk/store');
    await mkdir(store);
    await using scene = openScene({ ...places, store });
    await dropAll(stage);
    await writeFile(join(folder, 'disk/filler'), Buffer.alloc(900_000)).catch(() => {});
    for (let i = 0; i < 3; i += 1) {
      await scanAll(scene);
      for (const route of ROUTES) await t.throwsAsync(takeAll(scene.scanners[route]), { code: 'SERVICE_UNAVAILABLE' });
    }
    const lines = await ledger();
    t.true(lines.length >= 2);
    for (const line of lines) t.regex(line, /waiting storage_away: .* is full/);
    t.is(await count("events where type = 'ingest'"), lines.length, 'told once');
    t.is(await count('documents'), 0);
    t.deepEqual(Object.keys(await listing(store)), [], 'nothing half is left');
    await rm(join(folder, 'disk/filler'));
    await rm(join(stage.anna, 'in'), { recursive: true }); // there is room for three
    t.is(await scene.round(), 3);
    t.deepEqual(Object.keys(await listing(places.processed)).toSorted(), ['a.txt', 'anna/c.txt', 'in/b.txt']);
    t.is(await count('documents'), 3);
  },
);

testWithDisk(
  'while the disk of the processed folder is full files become documents and stay, told once, and move when there is room',
  async (t): Promise<void> => {
    await using stage = await openWatchStage();
    const { folder, ledger, count, watch, anna } = stage;
    await using _disk = await mountSmallDisk(join(folder, 'disk'));
    const processed = join(folder, 'disk/processed');
    const { log, timesOf } = makeNotedLines();
    await using scene = openScene({ ...stage.places, processed }, { log });
    await dropAll(stage);
    await writeFile(join(folder, 'disk/filler'), Buffer.alloc(850_000));
    t.is(await scene.round(), 4);
    await scene.round();
    await scene.round();
    t.deepEqual(await ledger(), [
      'watch a.txt ingested',
      'user_watch anna/c.txt ingested',
      'user_watch anna/in/d.txt ingested',
      'watch in/b.txt ingested',
    ]);
    t.is(await count('ingest_ledger where moved_to is not null'), 0, 'the ledger does not say that they were moved');
    t.is(timesOf('warn file cannot be moved'), 2, 'once for each kind of folder');
    for (const route of ROUTES) t.is(scene.scanners[route].health().status, 'warning');
    t.deepEqual(Object.keys(await listing(watch)), ['a.txt', 'in/b.txt']);
    t.deepEqual(Object.keys(await listing(anna)), ['c.txt', 'in/d.txt']);
    t.deepEqual(await listing(processed), {}, 'nothing half is left');

    await rm(join(folder, 'disk/filler'));
    await rm(join(anna, 'in'), { recursive: true }); // there is room for three
    await scene.round();
    t.deepEqual(Object.keys(await listing(processed)).toSorted(), ['a.txt', 'anna/c.txt', 'in/b.txt']);
    t.deepEqual([await listing(watch), await listing(anna)], [{}, {}]);
    t.is(await count('ingest_ledger where moved_to = path'), 3);
    for (const route of ROUTES) t.is(scene.scanners[route].health().status, 'healthy');
    t.deepEqual([await count('documents'), await count('ocr_jobs')], [4, 4]);
  },
);

test('when the storage goes away in the middle and comes back, nothing is lost or double', async (t) => {
  await using stage = await openWatchStage();
  const { places, folder, count, ledger } = stage;
  await using scene = openScene(places);
  await dropAll(stage);
  const store = join(folder, 'store');
  const put = scene.storage.put.bind(scene.storage);
  let stored = 0;
  // One after the other: a file that is being stored meanwhile could make the folder anew, in a thread, between the next two calls.
  let before: Promise<unknown> = Promise.resolve();
  scene.storage.put = (...request) => {
    const result = before.then(() => {
      stored += 1;
      if (stored === 2) {
        renameSync(store, `${store}-away`);
        writeFileSync(store, 'no folder');
      }
      return put(...request);
    });
    before = result.catch(() => undefined);
    return result;
  };
  for (const route of ROUTES) {
    // Which files are stable at the first try is a matter of moments.
    const error = await waitFor(
      async () => {
        await scanAll(scene);
        return takeAll(scene.scanners[route]).then(
          () => false,
          (reason: unknown) => reason,
        );
      },
      { description: 'the storage to be missed', limitMs: 20_000 },
    );
    t.like(error, { code: 'SERVICE_UNAVAILABLE' });
  }
  t.true((await ledger()).some((line) => line.includes('waiting storage_away')));
  await rm(store);
  await rename(`${store}-away`, store);
  await scene.round();
  await scene.round();
  t.deepEqual(Object.keys(await listing(places.processed)).toSorted(), PATHS);
  t.deepEqual([await count('documents'), await count('ocr_jobs'), await count('ingest_ledger where moved_to = path')], [4, 4, 4]);
  t.is((await readdir(store, { recursive: true })).filter((name) => /[\da-f]{64}/.test(name)).length, 4);
});
