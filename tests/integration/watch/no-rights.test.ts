// A file of its own, as it takes rights away from the process.
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureDirectory, findUserRoots, removeDirectory } from '@sheaf/watch';
import test from 'ava';
import { openDirectoryBench } from './fixture.ts';

const NOBODY = 65_534;

/** Does something as an OS user who may read the base and write nothing. */
const withoutRights = async <T>(base: string, work: () => Promise<T>): Promise<T> => {
  if (process.geteuid?.() !== 0) {
    await chmod(base, 0o555);
    try {
      return await work();
    } finally {
      await chmod(base, 0o755);
    }
  }
  await chmod(join(base, '..'), 0o755);
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
};

test('where the service has no right to write, nothing is made, deleted or lost, and the errors say why', async (t) => {
  await using bench = await openDirectoryBench();
  const [ann, bob] = [await bench.user('ann'), await bench.user('bob')];
  await mkdir(join(bench.base, 'bob'), { recursive: true });
  await writeFile(join(bench.base, 'bob', 'b.txt'), 'some words');
  const gone = await bench.user('gone');
  await ensureDirectory(bench.deps, gone.id, bench.by);
  await bench.database.pool.query('delete from users where id = $1', [gone.id]);
  await withoutRights(bench.base, async () => {
    for (const work of [() => ensureDirectory(bench.deps, ann.id, bench.by), () => removeDirectory(bench.deps, bob.id, bench.by)]) {
      const error = await t.throwsAsync(work, { code: 'WATCH_DIRECTORY_FAILED' });
      t.regex(error?.message ?? '', /permission denied/);
      t.notRegex(error?.message ?? '', /EACCES|EPERM|sheaf-directories/);
    }
    const roots = await findUserRoots(bench.deps)();
    t.deepEqual(
      roots.map(({ ledgerPrefix }) => ledgerPrefix),
      ['bob/'],
      'what can be read is read all the same',
    );
  });
  t.deepEqual(await bench.onDisk(), ['bob', 'gone']);
  t.deepEqual(await readdir(join(bench.base, 'bob')), ['b.txt']);
  t.deepEqual(await bench.roots(), ['bob/ of bob']);
  t.deepEqual(await bench.onDisk(), ['bob']);
});
