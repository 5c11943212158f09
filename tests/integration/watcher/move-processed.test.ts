import { chmod, chown, lstat, mkdir, readdir, readlink, rename, rm, stat, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type MovePoint, moveProcessed } from '@sheaf/watcher/testing';
import test, { type ExecutionContext } from 'ava';
import { canMount, mountSmallDisk } from '../../fixtures/small-disk.ts';
import { isRoot, makeTestAcross } from '../../support/conditional-test.ts';
import { inTurn } from '../../support/full-run.ts';
import { MODIFIED_MS, type MoveBench, moveInProcess, openMoveBench, openMoveBenchAcross, sha256Of } from './move-bench.ts';

const testAcross = makeTestAcross();

let turn = 0;

/** The same promise, kept by one rename and by a copy to another file system. Skipped where `isPossible` is false. */
const onBoth = (title: string, run: (t: ExecutionContext, bench: MoveBench) => Promise<void>, isPossible = true): void => {
  turn += 1;
  for (const where of inTurn(turn, 2, ['on one file system', 'to another file system'])) {
    const declare: typeof testAcross = where === 'on one file system' ? test : testAcross;
    const declareHere: typeof testAcross = isPossible ? declare : test.skip;
    declareHere(`${where}: ${title}`, async (t) => {
      await using bench = await (where === 'on one file system' ? openMoveBench() : openMoveBenchAcross());
      return await run(t, bench);
    });
  }
};

const acrossOnly = (title: string, run: (t: ExecutionContext, bench: MoveBench) => Promise<void>): void => {
  testAcross(`to another file system: ${title}`, async (t) => {
    await using bench = await openMoveBenchAcross();
    return await run(t, bench);
  });
};

/** What happens once, right after the move has done something. */
const once = (wanted: MovePoint, work: () => Promise<unknown>) => {
  let isDone = false;
  return async (point: MovePoint): Promise<void> => {
    if (isDone || point !== wanted) return;
    isDone = true;
    await work();
  };
};

onBoth('a file keeps its folders, its name, its bytes and its time', async (t, { drop, move, moved, watched, processed }) => {
  const file = await drop('2026/may/scan.pdf');
  t.deepEqual(await move(file), { kind: 'moved', to: '2026/may/scan.pdf' });
  t.deepEqual(await watched(), ['2026/may/']);
  t.deepEqual(await moved(), ['2026/may/scan.pdf words']);
  const { mtimeMs, mode } = await stat(join(processed, '2026/may/scan.pdf'));
  t.is(Math.floor(mtimeMs), MODIFIED_MS);
  t.is(mode & 0o777, 0o644);
});

onBoth('a time before 1970 is kept', async (t, { drop, look, move, watch, processed }) => {
  await drop('a.txt');
  await utimes(join(watch, 'a.txt'), new Date(), new Date(-86_400_123));
  await move(await look('a.txt'));
  t.is((await stat(join(processed, 'a.txt'))).mtimeMs, -86_400_123);
});

onBoth('the processed folder is made when it is absent', async (t, { drop, move, moved, processed }) => {
  await rm(processed, { recursive: true });
  await move(await drop('scan.pdf'));
  t.deepEqual(await moved(), ['scan.pdf words']);
});

onBoth('nothing is overwritten: a number goes before the extension', async (t, { drop, move, moved, processed }) => {
  await writeFile(join(processed, 'scan.pdf'), '');
  for (const text of ['one', 'two', 'three']) await move(await drop('scan.pdf', text));
  t.deepEqual(await moved(), ['scan-1.pdf one', 'scan-2.pdf two', 'scan-3.pdf three', 'scan.pdf ']);
});

onBoth('files that move to one name at the same time all arrive', async (t, { drop, look, moved, watch, processed }) => {
  const names = ['a', 'b', 'c', 'd'];
  for (const name of names) await drop(`${name}/scan.pdf`, name);
  const moves = names.map(async (name) => {
    const file = await look(`${name}/scan.pdf`);
    return moveProcessed({ file, realRoot: watch, sha256: sha256Of(name), processedFolder: processed, relativePath: 'scan.pdf' });
  });
  for (const outcome of await Promise.all(moves)) t.is(outcome.kind, 'moved');
  t.deepEqual((await moved()).map((line) => line.split(' ')[1] ?? '').toSorted(), names);
});

onBoth('names that are strange, of 255 bytes or no UTF-8 stay as they are', async (t, { drop, move, watch, processed, look }) => {
  for (const name of ['new\nline.pdf', '\u202etfel.pdf', '📎.pdf', 'e\u0301.pdf', '\u00e9.pdf', '-rf.pdf', `${'ü'.repeat(125)}x.pdf`]) {
    t.deepEqual(await move(await drop(name, name)), { kind: 'moved', to: name });
    t.true((await stat(join(processed, name))).isFile());
  }
  const bytes = Buffer.from([0x61, 0xff, 0x2e, 0x70, 0x64, 0x66]);
  const path = (folder: string): Buffer => Buffer.concat([Buffer.from(`${folder}/`), bytes]);
  await writeFile(path(watch), 'words');
  await writeFile(join(watch, 'stand-in'), 'words');
  const file = { ...(await look('stand-in')), fsPath: path(watch) };
  const { ino, ctimeMs, mtimeMs } = await lstat(path(watch));
  const facts = { ...file.facts, inode: ino, changedMs: ctimeMs, modifiedMs: Math.floor(mtimeMs) };
  const request = { realRoot: watch, sha256: sha256Of('words'), processedFolder: processed, relativePath: bytes };
  t.deepEqual(await moveProcessed({ file: { ...file, facts }, ...request }), { kind: 'moved', to: 'a\\xff.pdf' });
  t.true((await stat(path(processed))).isFile());
});

onBoth('a name of 255 bytes loses letters to its number', async (t, { drop, move, moved }) => {
  const name = `${'ü'.repeat(125)}x.pdf`;
  await move(await drop(name, 'one'));
  t.deepEqual(await move(await drop(name, 'two')), { kind: 'moved', to: `${'ü'.repeat(124)}-1.pdf` });
  t.is((await moved()).length, 2);
});

onBoth('a file that changed since it was seen stays', async (t, { drop, look, move, moved, watched, watch }) => {
  const file = await drop('a.txt');
  await writeFile(join(watch, 'a.txt'), 'more words');
  t.deepEqual(await move(file), { kind: 'changed' });
  await unlink(join(watch, 'a.txt'));
  t.deepEqual(await move(file), { kind: 'changed' });
  await drop('b.txt');
  const other = await look('b.txt');
  await writeFile(join(watch, 'c.txt'), 'words');
  await rename(join(watch, 'c.txt'), join(watch, 'b.txt'));
  t.deepEqual(await move(other), { kind: 'changed' });
  t.deepEqual(await watched(), ['b.txt words']);
  t.deepEqual(await moved(), []);
});

/** Another file is renamed over the one that is moved. */
const replace =
  ({ watch, outside }: MoveBench, path: string) =>
  async (): Promise<void> => {
    await writeFile(join(outside, 'new'), 'another');
    await rename(join(outside, 'new'), join(watch, path));
  };

for (const point of ['opened', 'reserved'] as const)
  onBoth(`a file that takes the name of the one that is moved (${point}) stays, under its name`, async (t, bench) => {
    const { drop, move, moved, watched } = bench;
    const { kind } = await move(await drop('sub/a.txt', 'taken in'), once(point, replace(bench, 'sub/a.txt')));
    t.deepEqual(await watched(), ['sub/a.txt another']);
    // The copy is made from the open file, which nobody can replace.
    t.deepEqual(await moved(), kind === 'moved' ? ['sub/a.txt taken in'] : ['sub/']);
  });

acrossOnly('a file that comes after the copy was published is put back from where it was caught', async (t, bench) => {
  const { drop, move, moved, watched } = bench;
  const file = await drop('a.txt', 'taken in');
  t.deepEqual(await move(file, once('published', replace(bench, 'a.txt'))), { kind: 'moved', to: 'a.txt' });
  t.deepEqual(await watched(), ['a.txt another']);
  t.deepEqual(await moved(), ['a.txt taken in']);
});

acrossOnly('what was caught by mistake does not overwrite a third file', async (t, bench) => {
  const { drop, move, watched, watch } = bench;
  const file = await drop('a.txt', 'taken in');
  const replaceWith = (text: string) => async (): Promise<void> => {
    await rm(join(watch, 'a.txt'), { force: true });
    await writeFile(join(watch, 'a.txt'), text);
  };
  await move(file, async (point) => {
    if (point === 'published') await replaceWith('second')();
    if (point === 'caught') await replaceWith('third')();
  });
  t.deepEqual(await watched(), ['a-1.txt second', 'a.txt third']);
});

acrossOnly('a folder that takes the name of the file after the copy stays with all that is in it', async (t, bench) => {
  const { drop, move, watched, watch } = bench;
  const file = await drop('a.txt', 'taken in');
  const swap = async (): Promise<void> => {
    await unlink(join(watch, 'a.txt'));
    await mkdir(join(watch, 'a.txt'));
    await writeFile(join(watch, 'a.txt/b.txt'), 'inside');
  };
  t.is((await move(file, once('published', swap))).kind, 'moved');
  t.deepEqual(await watched(), ['a.txt/b.txt inside']);
});

acrossOnly('bytes that are not the ones taken in are not removed', async (t, bench) => {
  const { drop, move, moved, watched, watch, look } = bench;
  await drop('a.txt', 'taken in');
  await writeFile(join(watch, 'a.txt'), 'tampered');
  await utimes(join(watch, 'a.txt'), new Date(), new Date(MODIFIED_MS));
  t.is((await move(await look('a.txt'))).kind, 'failed');
  t.deepEqual(await watched(), ['a.txt tampered']);
  t.deepEqual(await moved(), []);
});

acrossOnly('a file that is written to while it is copied stays', async (t, bench) => {
  const { drop, move, moved, watched, watch } = bench;
  const file = await drop('a.txt', 'taken in');
  t.deepEqual(
    await move(
      file,
      once('copied', () => writeFile(join(watch, 'a.txt'), 'and more')),
    ),
    { kind: 'changed' },
  );
  t.deepEqual(await watched(), ['a.txt and more']);
  t.deepEqual(await moved(), []);
});

onBoth('a link in the place of the file or of its folder is not followed', async (t, { drop, move, moved, watch, outside }) => {
  const file = await drop('sub/a.txt');
  await rename(join(watch, 'sub'), join(outside, 'sub'));
  await symlink(join(outside, 'sub'), join(watch, 'sub'));
  t.deepEqual(await move(file), { kind: 'changed' });
  t.true((await stat(join(outside, 'sub/a.txt'))).isFile());
  const other = await drop('b.txt');
  await rename(join(watch, 'b.txt'), join(outside, 'b.txt'));
  await symlink(join(outside, 'b.txt'), join(watch, 'b.txt'));
  t.deepEqual(await move(other), { kind: 'changed' });
  t.deepEqual(await moved(), []);
});

onBoth('a folder beside the root whose name begins like it is outside', async (t, { drop, look, move, moved, watch }) => {
  await drop('../watch-old/a.txt');
  t.deepEqual(await move(await look('../watch-old/a.txt')), { kind: 'changed' });
  t.true((await stat(`${watch}-old/a.txt`)).isFile());
  t.deepEqual(await moved(), []);
});

onBoth('a folder that becomes a link while a file is moved out of it does not lead elsewhere', async (t, bench) => {
  const { drop, move, moved, watch, outside } = bench;
  const file = await drop('sub/a.txt', 'taken in');
  const swap = async (): Promise<void> => {
    await rename(join(watch, 'sub'), join(watch, 'renamed'));
    await writeFile(join(outside, 'a.txt'), 'private');
    await symlink(outside, join(watch, 'sub'));
  };
  t.is((await move(file, once('reserved', swap))).kind, 'moved');
  t.deepEqual(await moved(), ['sub/a.txt taken in']);
  t.true((await stat(join(outside, 'a.txt'))).isFile());
});

onBoth('a link or a file among the processed folders is not followed: the folder gets a number', async (t, bench) => {
  const { drop, move, moved, processed, outside } = bench;
  await symlink(outside, join(processed, 'bob'));
  await writeFile(join(processed, 'eve'), 'a file');
  t.deepEqual(await move(await drop('bob/a.txt')), { kind: 'moved', to: 'bob-1/a.txt' });
  t.deepEqual(await move(await drop('eve/a.txt')), { kind: 'moved', to: 'eve-1/a.txt' });
  t.deepEqual(await moved(), ['bob ->', 'bob-1/a.txt words', 'eve a file', 'eve-1/a.txt words']);
});

onBoth('a link that has the name of the file stays as it is', async (t, { drop, move, processed, outside }) => {
  await symlink(join(outside, 'absent'), join(processed, 'a.txt'));
  t.deepEqual(await move(await drop('a.txt')), { kind: 'moved', to: 'a-1.txt' });
  t.is(await readlink(join(processed, 'a.txt')), join(outside, 'absent'));
});

onBoth('a path that leads out of the processed folder is refused', async (t, { drop, watch, processed }) => {
  const file = await drop('a.txt');
  for (const relativePath of ['../a.txt', 'b/../../a.txt', '/a.txt', 'b//a.txt', ''])
    await t.throwsAsync(moveProcessed({ file, realRoot: watch, sha256: sha256Of('words'), processedFolder: processed, relativePath }));
  t.true((await stat(join(watch, 'a.txt'))).isFile());
});

onBoth('a processed folder that is a file is named, and the file stays', async (t, { drop, move, watched, processed }) => {
  await rm(processed, { recursive: true });
  await writeFile(processed, 'a file');
  const file = await drop('a.txt');
  const outcome = await move(file);
  t.is(outcome.kind, 'failed');
  t.deepEqual(await move(file), outcome, 'the same words each time');
  t.deepEqual(await watched(), ['a.txt words']);
});

const withSmallDisk = canMount() ? test : test.skip;

withSmallDisk('a full disk is named and keeps nothing of the copy; with room again the file is moved', async (t) => {
  await using bench = await openMoveBench();
  const { drop, watch, watched, outside } = bench;
  await using _disk = await mountSmallDisk(join(outside, 'disk'));
  const [processedFolder, filler] = [join(outside, 'disk/processed'), join(outside, 'disk/filler')];
  await writeFile(filler, Buffer.alloc(900 * 1024));
  const text = 'x'.repeat(300 * 1024);
  const file = await drop('a.txt', text);
  const request = { file, realRoot: watch, sha256: sha256Of(text), processedFolder, relativePath: 'a.txt' };
  t.like(await moveProcessed(request), { kind: 'failed', reason: 'no space left in the folder of processed files; free up disk space' });
  t.deepEqual(await readdir(processedFolder), []);
  t.deepEqual(await watched(), [`a.txt ${text}`]);
  await unlink(filler);
  t.deepEqual(await moveProcessed(request), { kind: 'moved', to: 'a.txt' });
  t.deepEqual(await readdir(processedFolder), ['a.txt']);
  t.deepEqual(await watched(), []);
});

const NOBODY = 65_534;

for (const [title, closed, word] of [
  ['a watch folder that may not be written', 'watch', 'in the watch folder'],
  ['a processed folder that may not be written', 'processed', 'in the folder of processed files'],
] as const)
  onBoth(
    `${title} is named, and nothing is moved or copied`,
    async (t, bench) => {
      await bench.drop('a.txt');
      for (const parent of [join(bench.watch, '..'), join(bench.processed, '..')]) await chmod(parent, 0o755);
      for (const folder of ['watch', 'processed'] as const) await chmod(bench[folder], folder === closed ? 0o755 : 0o777);
      const outcome = await moveInProcess(bench, 'a.txt', 'nowhere', { uid: NOBODY, gid: NOBODY });
      t.true(outcome.kind === 'failed' && outcome.reason.includes(word), JSON.stringify(outcome));
      t.deepEqual([await bench.watched(), await bench.moved()], [['a.txt words'], []]);
    },
    isRoot,
  );

onBoth(
  'a file of another user stays theirs',
  async (t, bench) => {
    const { drop, look, move, watch, processed } = bench;
    await drop('a.txt');
    await chown(join(watch, 'a.txt'), NOBODY, NOBODY);
    await chmod(join(watch, 'a.txt'), 0o640);
    await move(await look('a.txt'));
    const { uid, gid, mode } = await stat(join(processed, 'a.txt'));
    t.deepEqual([uid, gid, mode & 0o777], [NOBODY, NOBODY, 0o640]);
  },
  isRoot,
);
