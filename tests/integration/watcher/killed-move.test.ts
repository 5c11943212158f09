import { execFile } from 'node:child_process';
import { chmod, link, mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isMoveFolder, type MovePoint, undoMove } from '@sheaf/watcher/testing';
import test, { type ExecutionContext } from 'ava';
import { isRoot, makeTestAcross, testWhere } from '../../support/conditional-test.ts';
import { fullOnly, oneIn } from '../../support/full-run.ts';
import { type MoveBench, moveInProcess, openMoveBench, openMoveBenchAcross } from './move-bench.ts';

const testAcross = makeTestAcross();

const AT_HOME: readonly MovePoint[] = ['opened', 'reserved', 'renamed'];
const ACROSS: readonly MovePoint[] = ['opened', 'reserved', 'copying', 'copied', 'published', 'caught', 'removed'];

/** What a scan does about the folders that killed moves left. */
const undoAll = async (watch: string): Promise<void> => {
  for (const name of await readdir(watch)) if (isMoveFolder(name)) await undoMove(join(watch, name), watch);
};

const killAndGoOn = async (t: ExecutionContext, bench: MoveBench, point: MovePoint): Promise<void> => {
  const { drop, watch, watched, moved, processed } = bench;
  await writeFile(join(processed, 'a.txt'), 'words'); // another file of the same size and bytes, but not of the same time
  await drop('a.txt');
  t.like(await t.throwsAsync(moveInProcess(bench, 'a.txt', point)), { signal: 'SIGKILL' });
  const copies = [...(await watched()), ...(await moved())].filter((line) => line.endsWith(' words'));
  t.true(copies.length >= 2, 'the bytes are somewhere');

  await undoAll(watch);
  if ((await watched()).length > 0) t.deepEqual(await bench.move(await bench.look('a.txt')), { kind: 'moved', to: 'a-1.txt' });
  t.deepEqual(await watched(), []);
  t.deepEqual(await moved(), ['a-1.txt words', 'a.txt words'], 'one copy, and nothing else');
};

for (const point of oneIn(4, AT_HOME))
  test(`on one file system: killed at "${point}", a move loses nothing, and the next one leaves one copy`, async (t): Promise<void> => {
    await using bench = await openMoveBench();
    return await killAndGoOn(t, bench, point);
  });

for (const point of oneIn(5, ACROSS))
  testAcross(
    `to another file system: killed at "${point}", a move loses nothing, and the next one leaves one copy`,
    async (t): Promise<void> => {
      await using bench = await openMoveBenchAcross();
      return await killAndGoOn(t, bench, point);
    },
  );

fullOnly(testAcross)('killed twice on its way, a move still leaves one copy', async (t): Promise<void> => {
  await using bench = await openMoveBenchAcross();
  const { drop, watch, watched, moved } = bench;
  await drop('a.txt');
  for (const point of ACROSS.slice(0, -1)) {
    // once it was published, the earlier points are not met again
    const outcome = await moveInProcess(bench, 'a.txt', point).catch(({ signal }) => signal);
    t.is(outcome, 'SIGKILL', point);
    await undoAll(watch);
  }
  t.deepEqual(await watched(), ['a.txt words']);
  t.deepEqual(await moveInProcess(bench, 'a.txt', 'nowhere'), { kind: 'moved', to: 'a.txt' });
  t.deepEqual([await watched(), await moved()], [[], ['a.txt words']]);
});

const UNDO = join(import.meta.dirname, '../../fixtures/watcher/undo-move.ts');
const MOVE_FOLDER = '.sheaf-moving-019a2b3c-0000-7000-8000-000000000000';

test('what a killed move caught comes back under its own name, or under a number when that was taken since', async (t): Promise<void> => {
  await using bench = await openMoveBench();
  const { drop, watch, watched } = bench;
  for (const name of ['a.txt', 'b.txt']) {
    await drop(name, `caught ${name}`);
    await mkdir(join(watch, MOVE_FOLDER), { recursive: true });
    await rename(join(watch, name), join(watch, MOVE_FOLDER, name));
  }
  await drop('b.txt', 'newer');
  t.true(isMoveFolder(MOVE_FOLDER));
  await undoMove(join(watch, MOVE_FOLDER), watch);
  t.deepEqual(await watched(), ['a.txt caught a.txt', 'b-1.txt caught b.txt', 'b.txt newer']);
});

test('a file that had its name back already when the process was killed gets no second one', async (t): Promise<void> => {
  await using bench = await openMoveBench();
  const { drop, watch, watched } = bench;
  await drop('a.txt');
  await mkdir(join(watch, MOVE_FOLDER));
  await link(join(watch, 'a.txt'), join(watch, MOVE_FOLDER, 'a.txt'));
  await undoMove(join(watch, MOVE_FOLDER), watch);
  t.deepEqual(await watched(), ['a.txt words']);
});

testWhere(isRoot, 'only root may run a process as someone else')(
  'a file of another user, which this process may not link, comes back all the same and overwrites nothing',
  async (t) => {
    await using bench = await openMoveBench();
    const { drop, watch, watched } = bench;
    const folder = join(watch, MOVE_FOLDER);
    await mkdir(folder);
    for (const name of ['a.txt', 'b.txt']) {
      await drop(name, `caught ${name}`);
      await rename(join(watch, name), join(folder, name));
    }
    await drop('b.txt', 'newer');
    for (const path of [watch, folder]) await chmod(path, 0o777);
    await chmod(join(watch, '..'), 0o755);
    await promisify(execFile)(process.execPath, [UNDO, folder, watch], { uid: 65_534, gid: 65_534 });
    t.deepEqual(await watched(), ['a.txt caught a.txt', 'b-1.txt caught b.txt', 'b.txt newer']);
  },
);

test('only a folder that a move makes is one, and nothing outside the root is touched', async (t): Promise<void> => {
  await using bench = await openMoveBench();
  for (const name of ['.sheaf-moving-', '.sheaf-moving-a', `${MOVE_FOLDER}0`, `x${MOVE_FOLDER}`]) t.false(isMoveFolder(name), name);
  const { outside, watch } = bench;
  await mkdir(join(outside, MOVE_FOLDER));
  await writeFile(join(outside, MOVE_FOLDER, 'a.txt'), 'words');
  await undoMove(join(outside, MOVE_FOLDER), watch);
  t.deepEqual(await readdir(outside), [MOVE_FOLDER]);
});

test('what somebody else puts into such a folder comes back some at a time, and nobody waits for all of it', async (t): Promise<void> => {
  await using bench = await openMoveBench();
  const { drop, watch, watched } = bench;
  for (let i = 0; i < 40; i += 1) await drop(`${MOVE_FOLDER}/${i}.txt`);
  for (const left of [24, 8]) {
    await undoMove(join(watch, MOVE_FOLDER), watch);
    t.is((await readdir(join(watch, MOVE_FOLDER))).length, left);
  }
  await undoMove(join(watch, MOVE_FOLDER), watch);
  const lines = await watched();
  t.is(lines.length, 40);
  t.true(lines.every((line) => /^\d+\.txt words$/.test(line)));
});
