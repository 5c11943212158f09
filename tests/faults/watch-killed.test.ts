import { execFile } from 'node:child_process';
import { link, lstat, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isFullRun } from '@sheaf/testkit';
import type { MovePoint } from '@sheaf/watcher/testing';
import test, { type ExecutionContext } from 'ava';
import { requireOtherFileSystem } from '../fixtures/other-file-system.ts';
import { openScene } from '../fixtures/watcher/watch-scene.ts';
import { listing, openWatchStage, type WatchStage } from '../fixtures/watcher/watch-stage.ts';
import { makeTestAcross } from '../support/conditional-test.ts';

const run = promisify(execFile);
const SCRIPT = join(import.meta.dirname, '../fixtures/watcher/killed-scan.ts');

const testAcross = makeTestAcross(test.serial);

const TAKING = ['walk done', 'stable', 'opened', 'receiving', 'before storing', 'after storing', 'before the commit', 'after the commit'];
const AT_HOME: readonly MovePoint[] = ['opened', 'reserved', 'announced', 'renamed'];
const ACROSS: readonly MovePoint[] = ['copying', 'copied', 'published', 'caught', 'removed'];

/** Larger than what is read at once. */
const LARGE = 'a line of a large text\n'.repeat(20_000);
/** By their paths below the watched folder, each with bytes of its own. */
const FILES: Readonly<Record<string, string>> = { 'in/May/large.txt': LARGE, 'b.txt': 'a small text', 'line\nbreak ü.txt': 'another one' };

const openStage = async (processed?: string): Promise<WatchStage> => {
  const stage = await openWatchStage({ processed });
  const { folder, outside, drop } = stage;
  await writeFile(join(outside, 'a.txt'), 'of somebody else');
  for (const root of ['watch', 'users/anna']) {
    for (const [path, text] of Object.entries(FILES)) await drop(`${root}/${path}`, `${root} ${text}`);
    await symlink(outside, join(folder, root, 'linked'));
    await link(join(outside, 'a.txt'), join(folder, root, 'second-name.txt'));
  }
  return stage;
};

const prefixed = (prefix: string, root: string): Record<string, string> =>
  Object.fromEntries(Object.entries(FILES).map(([path, text]) => [`${prefix}${path}`, `${root} ${text}`]));

const LEFT = { linked: 'a link', 'second-name.txt': 'of somebody else' };

/** What the ledger and the tables have in the end, whatever happened before. */
const checkTables = async (t: ExecutionContext, { database }: WatchStage): Promise<void> => {
  const { rows } = await database.pool.query<{ route: string; path: string; state: string; moved_to: string | null; username: string }>(
    `select route, path, state, moved_to, username from ingest_ledger join users on users.id = owner_id
     where document_id is not null order by route, path`,
  );
  const expected = ['user_watch', 'watch'].flatMap((route) =>
    Object.keys(FILES).map((path) => {
      const ledgerPath = route === 'watch' ? path : `anna/${path}`;
      return { route, path: ledgerPath, state: 'ingested', moved_to: ledgerPath, username: route === 'watch' ? 'root' : 'anna' };
    }),
  );
  const byPath = (a: { path: string }, b: { path: string }): number => (a.path < b.path ? -1 : 1);
  t.deepEqual(rows.toSorted(byPath), expected.toSorted(byPath));
  const counts = await database.pool.query(
    `select (select count(*)::int from documents) as documents, (select count(*)::int from ocr_jobs) as jobs,
      (select count(*)::int from events where type = 'document_created') as created,
      (select count(*)::int from events where data->>'state' = 'ingested') as noted,
      (select count(*)::int from ingest_ledger) as lines,
      (select count(*)::int from ingest_ledger where state = 'ignored' and reason_code like '%link%') as refused`,
  );
  t.deepEqual(counts.rows, [{ documents: 6, jobs: 6, created: 6, noted: 6, lines: 10, refused: 4 }]);
};

const killAndGoOn = async (t: ExecutionContext, stage: WatchStage, route: string, point: string): Promise<void> => {
  const { places, outside } = stage;
  const program = run(process.execPath, [SCRIPT, JSON.stringify(places), route, point]);
  t.like(await t.throwsAsync(program), { signal: 'SIGKILL' });
  await using scene = openScene(places);
  await scene.round();
  await scene.round(); // what a killed move had caught came back in the first one
  t.is(await scene.round(), 0);
  t.deepEqual(await listing(join(places.folder, 'watch')), LEFT);
  t.deepEqual(await listing(join(places.folder, 'users')), { 'anna/linked': LEFT.linked, 'anna/second-name.txt': LEFT['second-name.txt'] });
  t.deepEqual(await listing(places.processed), { ...prefixed('', 'watch'), ...prefixed('anna/', 'users/anna') });
  t.deepEqual(await listing(outside), { 'a.txt': 'of somebody else' });
  t.is((await lstat(join(outside, 'a.txt'))).nlink, 3);
  t.is((await readdir(join(places.folder, 'store'), { recursive: true })).filter((name) => /[\da-f]{64}/.test(name)).length, 6);
  await checkTables(t, stage);
};

/** Where the usual run kills: at a point of taking in, two of copying and, below, one of moving; the full run at every point in both folders. */
const USUAL: Readonly<Record<string, readonly string[]>> = {
  watch: ['move caught elsewhere'],
  user_watch: ['after storing', 'move copied elsewhere'],
};
const isTried = (route: string, point: string): boolean => isFullRun || USUAL[route]?.includes(point) === true;

for (const route of ['watch', 'user_watch']) {
  for (const point of [...TAKING, ...AT_HOME.map((name) => `move ${name}`)])
    if (isTried(route, point))
      test.serial(`killed at "${point}" of ${route}, another scanner ends with one document and one copy of each file`, async (t) => {
        await using stage = await openStage();
        await killAndGoOn(t, stage, route, point);
      });

  for (const point of [...AT_HOME.slice(0, 3), ...ACROSS])
    if (isTried(route, `move ${point} elsewhere`))
      testAcross(`killed at "move ${point}" of ${route} to another file system, another scanner ends so too`, async (t) => {
        await using other = await requireOtherFileSystem();
        await using stage = await openStage(join(other.path, 'processed'));
        return await killAndGoOn(t, stage, route, `move ${point}`);
      });
}

test.serial('when the process dies between the note of a move and the move, the ledger is right after the next one', async (t) => {
  await using stage = await openStage();
  const { places, database } = stage;
  await t.throwsAsync(run(process.execPath, [SCRIPT, JSON.stringify(places), 'watch', 'move announced']));
  const { rows } = await database.pool.query("select path, moved_to from ingest_ledger where route = 'watch' and moved_to is not null");
  t.true(rows.length > 0);
  await using scene = openScene(places);
  await scene.round();
  await checkTables(t, stage);
});
