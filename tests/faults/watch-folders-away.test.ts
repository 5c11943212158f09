import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { makeNotedLines } from '../fixtures/watcher/noted-lines.ts';
import { openScene, type Scene, takeAll } from '../fixtures/watcher/watch-scene.ts';
import { listing, openWatchStage, type WatchStage } from '../fixtures/watcher/watch-stage.ts';
import { isRoot, testWhere } from '../support/conditional-test.ts';

const ROUTES = ['watch', 'user_watch'] as const;

const scanAll = async ({ scanners }: Scene): Promise<void> => {
  for (const route of ROUTES) await scanners[route].scan(new AbortController().signal);
};
const takeFromAll = async ({ scanners }: Scene): Promise<number> => (await takeAll(scanners.watch)) + (await takeAll(scanners.user_watch));

const dropBoth = async ({ drop }: WatchStage, name: string): Promise<void> => {
  for (const root of ['watch', 'users/anna']) await drop(`${root}/${name}`, `${root} ${name}`);
};

const BOTH = { 'a.txt': 'watch a.txt', 'anna/a.txt': 'users/anna a.txt' };

test.serial('folders that are deleted and made anew, also between two steps of a scan, are read as if nothing had been', async (t) => {
  await using stage = await openWatchStage();
  const { log, timesOf } = makeNotedLines();
  await using scene = openScene(stage.places, { log });
  await dropBoth(stage, 'gone.txt');
  await scanAll(scene);
  await rm(stage.watch, { recursive: true });
  await rm(join(stage.folder, 'users'), { recursive: true });
  t.is(await takeFromAll(scene), 0);
  t.is(await scene.round(), 0);
  t.deepEqual(await stage.ledger(), [], 'they had not been noted');

  await dropBoth(stage, 'a.txt');
  t.is(await scene.round(), 2);
  t.deepEqual(await stage.ledger(), ['watch a.txt ingested', 'user_watch anna/a.txt ingested']);
  t.deepEqual(await listing(stage.places.processed), BOTH);
  t.is(timesOf('warn') + timesOf('error'), 0);
  for (const route of ROUTES) t.is(scene.scanners[route].health().status, 'healthy');
});

test.serial('a folder that is swapped for a link between two steps of a scan leads nowhere', async (t) => {
  await using stage = await openWatchStage();
  const { outside, anna, folder, watch } = stage;
  await using scene = openScene(stage.places);
  await dropBoth(stage, 'in/a.txt');
  await mkdir(join(outside, 'in'));
  for (const name of ['a.txt', 'secret.txt']) await writeFile(join(outside, 'in', name), 'of somebody else');
  await scanAll(scene);
  await rename(anna, join(folder, 'anna-away'));
  await symlink(outside, anna);
  await rename(join(watch, 'in'), join(folder, 'in-away'));
  await symlink(join(outside, 'in'), join(watch, 'in'));
  t.is(await takeFromAll(scene), 0);
  t.is(await scene.round(), 0);
  t.deepEqual(await stage.ledger(), ['watch in ignored symbolic_link']);
  t.is(Object.keys(await listing(outside)).length, 2);

  for (const [away, path] of [
    ['anna-away', anna],
    ['in-away', join(watch, 'in')],
  ] as const) {
    await rm(path);
    await rename(join(folder, away), path);
  }
  t.is(await scene.round(), 2);
  t.deepEqual(await listing(stage.places.processed), { 'in/a.txt': 'watch in/a.txt', 'anna/in/a.txt': 'users/anna in/a.txt' });
});

const NOBODY = 65_534;

/** Runs `work` without the rights of root, which may read everything. */
const asNobody = async <T>(work: () => Promise<T>): Promise<T> => {
  process.setegid?.(NOBODY);
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
};

/** A stage all of which belongs to nobody. */
const openStageOfNobody = async (): Promise<WatchStage> => {
  const stage = await openWatchStage();
  await dropBoth(stage, 'a.txt');
  await mkdir(stage.places.processed);
  execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, stage.folder]);
  return stage;
};

/** What is closed, with which mode, what the ledger says meanwhile, and what the log does, once. */
const CLOSED: Readonly<
  Record<string, { readonly paths: readonly string[]; readonly mode: number; readonly ledger: readonly string[]; readonly warning: string }>
> = {
  'the watched folders': {
    paths: ['watch', 'users/anna'],
    mode: 0,
    ledger: [],
    warning: 'warn unreadable path in the watch folder',
  },
  'the files': {
    paths: ['watch/a.txt', 'users/anna/a.txt'],
    mode: 0,
    ledger: ['watch a.txt waiting no_right', 'user_watch anna/a.txt waiting no_right'],
    warning: 'info file not imported',
  },
  'the right to take files out of the folders': {
    paths: ['watch', 'users/anna'],
    mode: 0o555,
    ledger: ['watch a.txt ingested', 'user_watch anna/a.txt ingested'],
    warning: 'warn file cannot be moved',
  },
  'the folder of processed files': {
    paths: ['processed'],
    mode: 0o555,
    ledger: ['watch a.txt ingested', 'user_watch anna/a.txt ingested'],
    warning: 'warn file cannot be moved',
  },
};

for (const [what, { paths, mode, ledger, warning }] of Object.entries(CLOSED))
  testWhere(
    isRoot,
    'only root may take rights away and give them back',
    test.serial,
  )(`while ${what} may not be used, that is told once, and when they may all is as it should be`, async (t) => {
    await using stage = await openStageOfNobody();
    const { log, timesOf } = makeNotedLines();
    await using scene = openScene(stage.places, { log });
    for (const path of paths) await chmod(join(stage.folder, path), mode);
    await asNobody(async () => {
      for (let i = 0; i < 3; i += 1) await scene.round();
    });
    const lines = await stage.ledger();
    t.deepEqual(
      lines.map((line, i) => line.slice(0, ledger[i]?.length)),
      ledger,
    );
    t.is(timesOf(warning), 2, 'once for each kind of folder');
    t.is(await stage.count("events where type = 'ingest'"), ledger.length);
    t.is(await stage.count('ingest_ledger where moved_to is not null'), 0);

    for (const path of paths) await chmod(join(stage.folder, path), 0o755);
    await asNobody(() => scene.round());
    t.deepEqual(await stage.ledger(), ['watch a.txt ingested', 'user_watch anna/a.txt ingested']);
    t.deepEqual(await listing(stage.places.processed), BOTH);
    t.deepEqual([await listing(stage.watch), await listing(stage.anna)], [{}, {}]);
    t.deepEqual([await stage.count('documents'), await stage.count('ocr_jobs')], [2, 2]);
    for (const route of ROUTES) t.is(scene.scanners[route].health().status, 'healthy');
  });
