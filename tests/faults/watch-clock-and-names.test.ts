import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { requireOtherFileSystem } from '../fixtures/other-file-system.ts';
import { makeNotedLines } from '../fixtures/watcher/noted-lines.ts';
import { openScene, RULES, takeAll } from '../fixtures/watcher/watch-scene.ts';
import { openWatchStage, type WatchStage } from '../fixtures/watcher/watch-stage.ts';
import { makeTestAcross } from '../support/conditional-test.ts';

const YEAR_MS = 366 * 24 * 3_600_000;

test('a clock that is set back or forth makes no file wait longer or shorter', async (t) => {
  await using stage = await openWatchStage();
  let offsetMs = 0;
  // long enough to be looked at before it is over, on a busy machine too
  await using scene = openScene(stage.places, { clock: { now: () => new Date(Date.now() + offsetMs) }, stabilityMs: 2_000 });
  const { watch } = scene.scanners;
  let name = 0;
  for (const [before, after] of [
    [0, 10 * YEAR_MS],
    [10 * YEAR_MS, 0],
    [0, -10 * YEAR_MS],
    [-10 * YEAR_MS, 10 * YEAR_MS],
  ] as const) {
    offsetMs = before;
    name += 1;
    await stage.drop(`watch/${name}.txt`, `text ${name}`);
    await watch.scan(new AbortController().signal);
    t.not(watch.nextDueMs, undefined);
    offsetMs = after;
    t.is(await watch.takeDue(Number.POSITIVE_INFINITY, new AbortController().signal), 0, 'not stable yet');
    t.is(await takeAll(watch), 1);
  }
  t.is(await stage.count("ingest_ledger where state = 'ingested' and moved_to = path"), 4);
});

test('a file that only a wrong clock made too old is imported when the clock is right, also after a restart', async (t) => {
  await using stage = await openWatchStage();
  let offsetMs = 10 * YEAR_MS;
  const clock = { now: () => new Date(Date.now() + offsetMs) };
  const { log, timesOf } = makeNotedLines();
  const rules = { ...RULES, maxAgeMs: 24 * 3_600_000 };
  await using scene = openScene(stage.places, { clock, rules, log });
  await stage.drop('watch/a.txt', 'a');
  await stage.drop('users/anna/b.txt', 'b');
  for (let i = 0; i < 3; i += 1) t.is(await scene.round(), 0);
  t.regex((await stage.ledger()).join(), /watch a.txt ignored too_old,user_watch anna\/b.txt ignored too_old/);
  t.is(timesOf('info file not imported'), 2);
  t.is(await stage.count("events where type = 'ingest'"), 2);
  await using restarted = openScene(stage.places, { clock, rules, log });
  t.is(await restarted.round(), 0);
  t.is(timesOf('info file not imported'), 2);
  offsetMs = 0;
  t.is(await restarted.round(), 2);
  t.deepEqual(await stage.ledger(), ['watch a.txt ingested', 'user_watch anna/b.txt ingested']);
});

const DEEP = Array.from({ length: 14 }, (_, i) => `${i}-${'deep'.repeat(60)}`).join('/');
const NAMES: readonly (string | Buffer)[] = [
  'line\nbreak\ttab.txt',
  'invoice\u202Egpj.txt',
  '📄🧾.txt',
  `${'ü'.repeat(125)}a.txt`,
  'Größe.txt'.normalize('NFC'),
  'Größe.txt'.normalize('NFD'),
  'quote\'"$(x)%_\\a.txt',
  ' leading and trailing .txt',
  '-rf.txt',
  `${DEEP}/x.txt`,
  Buffer.from([0x6c, 0xe4, 0xfc, 0x2e, 0x74, 0x78, 0x74]), // Latin-1
  Buffer.from([0xff, 0xfe, 0x2f, 0xff, 0x2e, 0x74, 0x78, 0x74]), // a folder and a file of no encoding at all
];

const below = (root: string, name: string | Buffer): Buffer => Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name as string)]);

const dropNames = async ({ watch, anna }: WatchStage): Promise<void> => {
  for (const root of [watch, anna])
    for (const [i, name] of NAMES.entries()) {
      const path = below(root, name);
      await mkdir(path.subarray(0, path.lastIndexOf(0x2f)), { recursive: true });
      await writeFile(path, `${root} ${i}`);
    }
};

const STATES = "ingest_ledger where state = 'ingested' and document_id is not null";

const testAcross = makeTestAcross();
const testPlace = (across: boolean): typeof testAcross => (across ? testAcross : test);

for (const across of [false, true])
  testPlace(across)(
    `names of every kind are taken in and moved byte for byte${across ? ' to another file system' : ''}`,
    async (t): Promise<void> => {
      await using other = across ? await requireOtherFileSystem() : undefined;
      await using stage = await openWatchStage({ processed: other && join(other.path, 'processed') });
      const { watch, anna, places, count } = stage;
      const { log, timesOf } = makeNotedLines();
      await using scene = openScene(places, { log });
      await dropNames(stage);
      t.is(await scene.round(), 2 * NAMES.length);
      t.is(await scene.round(), 0);
      for (const [i, name] of NAMES.entries()) {
        t.is(await readFile(below(places.processed, name), 'utf8'), `${watch} ${i}`);
        t.is(await readFile(below(join(places.processed, 'anna'), name), 'utf8'), `${anna} ${i}`);
        for (const root of [watch, anna]) await t.throwsAsync(readFile(below(root, name)), { code: 'ENOENT' });
      }
      for (const table of ['documents', 'ocr_jobs', STATES, `${STATES} and moved_to is not null`, 'ingest_ledger'])
        t.is(await count(table), 2 * NAMES.length, table);
      t.is(timesOf('warn') + timesOf('error'), 0);
      return undefined;
    },
  );

test('folders deeper than a path may be long are told once, and keep nothing else out', async (t) => {
  await using stage = await openWatchStage();
  const { log, timesOf } = makeNotedLines();
  await using scene = openScene(stage.places, { log });
  const name = 'd'.repeat(200);
  const dig = `for (let i = 0; i < 30; i += 1) { fs.mkdirSync('${name}'); process.chdir('${name}'); } fs.writeFileSync('x.txt', 'x')`;
  execFileSync(process.execPath, ['-e', dig], { cwd: stage.anna });
  await stage.drop('users/anna/a.txt', 'a');
  t.is(await scene.round(), 1);
  for (let i = 0; i < 3; i += 1) await scene.round();
  t.is(timesOf('warn'), 1);
  t.is(scene.scanners.user_watch.health().status, 'warning');
  t.is(scene.scanners.watch.health().status, 'healthy');
  execFileSync('rm', ['-rf', join(stage.anna, name)]);
  await scene.round();
  t.is(scene.scanners.user_watch.health().status, 'healthy');
  t.deepEqual(await stage.ledger(), ['user_watch anna/a.txt ingested']);
});
