import { randomBytes } from 'node:crypto';
import { mkdir, mkdtempDisposable, readdir, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { documentKey, LocalStorage, TempArea } from '@sheaf/storage';
import test from 'ava';
import { canMount, mountSmallDisk } from '../../fixtures/small-disk.ts';
import { testDriver } from './driver-contract.ts';

testDriver(async () => {
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-local-'));
  const storage = new LocalStorage({ path: folder.path, thumbnailPath: join(folder.path, 'elsewhere/thumbs') });
  return {
    storage,
    damage: async (key, bytes) => truncate(await storage.localPath(key), bytes),
    [Symbol.asyncDispose]: () => folder.remove(),
  };
});

const KEY = documentKey('ab'.repeat(32));
const isRoot = process.getuid?.() === 0;

const withSmallDisk = canMount() ? test : test.skip;
if (withSmallDisk !== test) process.stdout.write('tests that need a small disk are skipped: this user may not mount one\n');

test('the path of a document is where its bytes lie', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-local-'));
  const storage = new LocalStorage({ path: folder.path, thumbnailPath: join(folder.path, 'thumbnails') });
  const { path } = await storage.put(KEY, Readable.from(['text']));
  t.is(path, join(folder.path, 'documents/ab/ab', 'ab'.repeat(32)));
});

withSmallDisk('a full disk is a storage that cannot work now, and leaves nothing behind', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-local-'));
  const path = join(folder.path, 'disk');
  await using _disk = await mountSmallDisk(path);
  const storage = new LocalStorage({ path, thumbnailPath: join(path, 'thumbnails') });
  const error = await t.throwsAsync(storage.put(KEY, Readable.from([randomBytes(2 * 1024 * 1024)])), { code: 'SERVICE_UNAVAILABLE' });
  t.regex(error.message, /is full; free some space/);
  t.is(await storage.stat(KEY), undefined);
  t.deepEqual(await readdir(join(path, '.incoming')), []);
  t.is((await storage.check()).status, 'healthy');
});

withSmallDisk('a file on another disk is copied', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-local-'));
  await using _disk = await mountSmallDisk(join(folder.path, 'disk'));
  const source = join(folder.path, 'disk/source');
  await writeFile(source, 'from elsewhere');
  const storage = new LocalStorage({ path: join(folder.path, 'store'), thumbnailPath: join(folder.path, 'thumbnails') });
  await storage.put(KEY, source);
  t.is((await storage.stat(KEY))?.sizeBytes, 14);
});

test('a folder that may not be written is unhealthy and says what to do', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-local-'));
  const path = join(folder.path, 'store');
  // Root writes anywhere, so a file stands where the folder should be.
  await (isRoot ? writeFile(path, '') : mkdir(path, { mode: 0o500 }));
  const storage = new LocalStorage({ path, thumbnailPath: join(path, 'thumbnails') });
  const { status, message } = await storage.check();
  t.is(status, 'unhealthy');
  t.regex(message ?? '', isRoot ? /remove the file|not a folder/ : /give its user access/);
});

test('a sweep takes what was left a day ago and leaves what is in work', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-temp-'));
  const area = new TempArea(folder.path);
  const yesterday = new Date(Date.now() - 25 * 3_600_000);
  await writeFile(join(folder.path, 'old'), '');
  await mkdir(join(folder.path, 'old-folder'));
  await writeFile(join(folder.path, 'young'), '');
  for (const name of ['old', 'old-folder']) await utimes(join(folder.path, name), yesterday, yesterday);
  t.is(await area.sweep(new Date(Date.now() - 24 * 3_600_000)), 2);
  t.deepEqual(await readdir(folder.path), ['young']);
});

test('an area that does not exist yet has nothing to sweep', async (t) => {
  t.is(await new TempArea('/nonexistent/sheaf-temp').sweep(new Date()), 0);
});
