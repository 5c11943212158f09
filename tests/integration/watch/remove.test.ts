import { execFile } from 'node:child_process';
import { link, mkdir, readdir, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { uuidv7 } from '@sheaf/process';
import { ensureDirectory, removeDirectory, tryLockRemoval } from '@sheaf/watch';
import { removeTree } from '@sheaf/watch/testing';
import test from 'ava';
import { type DirectoryBench, openDirectoryBench, rowOnly } from './fixture.ts';

const run = promisify(execFile);

const noteAsItIs = async ({ base, note }: DirectoryBench, path: string, owner: Parameters<DirectoryBench['note']>[1]): Promise<void> => {
  const { size, mtimeMs } = await stat(join(base, path));
  await note(path, owner, { sizeBytes: size, modifiedAt: new Date(Math.floor(mtimeMs)) });
};

test('a directory goes with all that is in it, and the answer says how many files went and how many had never been imported', async (t) => {
  await using bench = await openDirectoryBench();
  const ann = await bench.user('ann');
  await ensureDirectory(bench.deps, ann.id, bench.by);
  for (const path of ['a.txt', 'deep/er/b.txt', 'new.txt', 'changed.txt', 'deep/.hidden']) await bench.put(`ann/${path}`);
  for (const path of ['ann/a.txt', 'ann/deep/er/b.txt']) await noteAsItIs(bench, path, ann);
  await bench.note('ann/changed.txt', ann, { sizeBytes: 1, modifiedAt: new Date(0) });
  t.deepEqual(await removeDirectory(bench.deps, ann.id, bench.by), { kind: 'removed', removed: { files: 5, neverImported: 3 } });
  t.deepEqual(await bench.onDisk(), []);
  t.deepEqual(await bench.rows(), ['ann of ann'], 'the name stays his: the ledger knows his files by it');
  t.deepEqual(await bench.audits(), ['watch_directory.created', 'watch_directory.deleted']);
  t.deepEqual(await removeDirectory(bench.deps, ann.id, bench.by), { kind: 'absent' });
  t.like(await ensureDirectory(bench.deps, ann.id, bench.by), { isNew: true });
});

test('what links, fifos and other names lead to stays', async (t) => {
  await using bench = await openDirectoryBench();
  const ann = await bench.user('ann');
  await ensureDirectory(bench.deps, ann.id, bench.by);
  const outside = join(bench.base, '../outside');
  await mkdir(outside);
  await writeFile(join(outside, 'kept.txt'), 'kept');
  const at = (name: string): string => join(bench.base, 'ann', name);
  await symlink(outside, at('to-a-folder'));
  await symlink(join(outside, 'kept.txt'), at('to-a-file'));
  await symlink('/nowhere', at('to-nowhere'));
  await link(join(outside, 'kept.txt'), at('another-name'));
  await mkdir(at('inner'));
  await symlink('../..', at('inner/up'));
  await run('mkfifo', [at('fifo')]);
  await writeFile(Buffer.concat([Buffer.from(at('x')), Buffer.from([0xff, 0xfe])]), 'no UTF-8');
  await writeFile(at('line\nbreak \u202e😀'), 'x');
  t.deepEqual(await removeDirectory(bench.deps, ann.id, bench.by), { kind: 'removed', removed: { files: 8, neverImported: 8 } });
  t.deepEqual(await bench.onDisk(), []);
  t.deepEqual(await readdir(outside), ['kept.txt']);
});

test('folders may be deeper than a path can be long, and none of them stays', async (t) => {
  await using bench = await openDirectoryBench();
  const ann = await bench.user('ann');
  await ensureDirectory(bench.deps, ann.id, bench.by);
  const name = 'd'.repeat(200);
  // longer than PATH_MAX as a whole, so made step by step
  await run('bash', [
    '-c',
    `cd "$1" && for i in $(seq 40); do mkdir ${name} && cd ${name} && echo x > f.txt || exit 1; done`,
    '-',
    join(bench.base, 'ann'),
  ]);
  t.like(await removeDirectory(bench.deps, ann.id, bench.by), { removed: { files: 40 } });
  t.deepEqual(await bench.onDisk(), []);
});

test('in the place of the directory nothing else is removed', async (t) => {
  await using bench = await openDirectoryBench();
  const ann = await bench.user('ann');
  await mkdir(join(bench.base, '../outside'));
  await mkdir(bench.base);
  await symlink('../outside', join(bench.base, 'ann'));
  await t.throwsAsync(removeDirectory(bench.deps, ann.id, bench.by), { code: 'WATCH_DIRECTORY_FAILED' });
  t.deepEqual(await bench.onDisk(), ['ann']);
  t.deepEqual(await bench.audits(), []);
});

test('what was to be removed when the service stopped is removed by the next scan, and never read', async (t) => {
  await using bench = await openDirectoryBench();
  const ann = await bench.user('ann');
  await ensureDirectory(bench.deps, ann.id, bench.by);
  await bench.put('ann/a.txt');
  await rename(join(bench.base, 'ann'), join(bench.base, `.removing-${uuidv7()}-ann`));
  t.deepEqual(await bench.roots(), []);
  t.deepEqual(await bench.onDisk(), []);
  t.deepEqual(await bench.audits(), ['watch_directory.created', 'watch_directory.deleted']);
});

test('the directory of another user is not removed with a name that they have not left yet', async (t) => {
  await using bench = await openDirectoryBench();
  const ann = await bench.user('ann');
  await ensureDirectory(bench.deps, ann.id, bench.by);
  await bench.put('ann/of-the-first.txt');
  await rowOnly(bench).rename(ann.id, 'anna');
  const second = await bench.user('ann');
  t.deepEqual(await removeDirectory(bench.deps, second.id, bench.by), { kind: 'absent' });
  t.deepEqual(await bench.onDisk(), ['ann']);
});

test('two who remove the same directory at once do it once', async (t) => {
  await using bench = await openDirectoryBench();
  const ann = await bench.user('ann');
  await ensureDirectory(bench.deps, ann.id, bench.by);
  for (let n = 0; n < 300; n += 1) await bench.put(`ann/${n % 7}/${n}.txt`);
  const removed = await Promise.all(Array.from({ length: 3 }, () => removeDirectory(bench.deps, ann.id, bench.by)));
  t.deepEqual(removed.map(({ kind }) => kind).toSorted(), ['absent', 'absent', 'removed']);
  t.deepEqual(
    removed.flatMap((each) => (each.kind === 'removed' ? [each.removed?.files] : [])),
    [300],
  );
  t.deepEqual(await bench.audits(), ['watch_directory.created', 'watch_directory.deleted']);
});

test('a scan leaves alone what is being removed just now', async (t) => {
  await using bench = await openDirectoryBench();
  const name = `.removing-${uuidv7()}-ann`;
  await bench.put(`${name}/a.txt`);
  await bench.deps.db.transaction(async (tx) => {
    await tryLockRemoval(tx, name);
    t.deepEqual(await bench.roots(), []);
    t.deepEqual(await bench.onDisk(), [name]);
  });
  await bench.roots();
  t.deepEqual(await bench.onDisk(), []);
});

test('a link that takes the place of a folder while the tree goes is not followed', async (t) => {
  await using bench = await openDirectoryBench();
  for (const path of ['tree/a.txt', 'tree/inner/b.txt', '../outside/kept.txt']) await bench.put(path);
  const swap = async (): Promise<void> => {
    await rename(join(bench.base, 'tree/inner'), join(bench.base, 'away'));
    await symlink('../../outside', join(bench.base, 'tree/inner'));
  };
  let swapped = false;
  const onFiles = async (): Promise<void> => {
    if (!swapped) await swap();
    swapped = true;
  };
  await t.throwsAsync(removeTree(join(bench.base, 'tree'), { onFiles }));
  t.true(swapped);
  t.deepEqual(await readdir(join(bench.base, '../outside')), ['kept.txt']);
  await removeTree(join(bench.base, 'tree'), { onFiles });
  t.deepEqual(await readdir(join(bench.base, '../outside')), ['kept.txt']);
  t.deepEqual(await bench.onDisk(), ['away']);
});
