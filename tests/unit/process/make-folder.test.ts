import { mkdtempDisposable, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolderSync } from '@sheaf/config/testing';
import { makeFolder } from '@sheaf/process/machine';
import { documentKey, LocalStorage } from '@sheaf/storage';
import test from 'ava';

const HASH = 'ab'.repeat(32);

test('a folder is made with its parents, and the first that was made is told', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-'));
  const path = join(folder.path, 'a/b/c');
  t.is(await makeFolder(path, { mode: 0o700 }), join(folder.path, 'a'));
  for (const made of ['a', 'a/b', 'a/b/c']) t.is((await stat(join(folder.path, made))).mode & 0o777, 0o700, made);
  t.is(await makeFolder(path), undefined);
  makeFolderSync(join(folder.path, 'd/e'));
  makeFolderSync(join(folder.path, 'd/e'));
  t.true((await stat(join(folder.path, 'd/e'))).isDirectory());
});

test('many who make one folder at once all succeed', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-'));
  const path = join(folder.path, 'a/b/c/d');
  await t.notThrowsAsync(Promise.all(Array.from({ length: 50 }, () => makeFolder(path))));
});

test('what cannot be a folder is an error at once: a file in the way, and a place where nobody can make any', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-'));
  const file = join(folder.path, 'file');
  await writeFile(file, '');
  await t.throwsAsync(makeFolder(file), { code: 'EEXIST' });
  await t.throwsAsync(makeFolder(join(file, 'a')), { code: 'ENOTDIR' });
  t.throws(() => makeFolderSync(join(file, 'a')), { code: 'EEXIST' });
  for (const place of ['/proc/sheaf', '/proc/sheaf/deep/down']) {
    await t.throwsAsync(makeFolder(place), { code: 'ENOENT' });
    t.throws(() => makeFolderSync(place), { code: 'ENOENT' });
    const storage = new LocalStorage({ path: place, thumbnailPath: join(folder.path, 'thumbnails') });
    await t.throwsAsync(storage.put(documentKey(HASH), Buffer.from('x')), { code: 'SERVICE_UNAVAILABLE' });
  }
});
