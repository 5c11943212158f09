import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtempDisposable, readdir, rename, rm, rmdir, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { documentKey, LocalStorage, TempArea, thumbnailKey } from '@sheaf/storage';
import test from 'ava';
import { canMount, makeReadOnly, mountSmallDisk } from '../../fixtures/small-disk.ts';
import { throwsUnavailable } from '../../support/throws-unavailable.ts';
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

test('a storage whose folders were taken away makes them anew', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-local-'));
  const storage = new LocalStorage({ path: folder.path, thumbnailPath: join(folder.path, 'thumbnails') });
  await storage.put(KEY, Buffer.from('text'));
  await rm(join(folder.path, 'documents'), { recursive: true });
  t.true((await storage.put(KEY, Buffer.from('text'))).isNew);
  t.is((await storage.stat(KEY))?.sizeBytes, 4);
  await rm(join(folder.path, 'documents'), { recursive: true });
  await storage.replace(KEY, Buffer.from('text'));
  t.is((await storage.stat(KEY))?.sizeBytes, 4);
});

/** A storage with one object in it, and a way to take its whole folder away and bring it back. */
const givenAway = async (folder: string) => {
  const [path, elsewhere] = [join(folder, 'store'), join(folder, 'elsewhere')];
  const storage = new LocalStorage({ path, thumbnailPath: join(path, 'thumbnails') });
  const source = join(folder, 'source');
  await writeFile(source, 'text');
  await storage.put(KEY, source);
  await storage.put(thumbnailKey('ab'.repeat(32), 'small.webp'), Buffer.from('picture'));
  return { path, storage, source, goAway: () => rename(path, elsewhere), comeBack: () => rename(elsewhere, path) };
};

const everyUse = (storage: LocalStorage, source: string): (() => Promise<unknown>)[] => [
  () => storage.put(KEY, source),
  () => storage.put(KEY, Buffer.from('text')),
  () => storage.put(KEY, Readable.from(['text'])),
  () => storage.replace(KEY, source),
  () => storage.put(documentKey('cd'.repeat(32)), source),
  () => storage.put(thumbnailKey('ab'.repeat(32), 'small.webp'), Buffer.from('picture')),
  () => storage.open(KEY),
  () => storage.localPath(KEY),
];

test('a storage whose own folder vanished is not made anew: everything waits until it is back', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-local-'));
  const { path, storage, source, goAway, comeBack } = await givenAway(folder.path);
  await goAway();
  for (const use of everyUse(storage, source)) await throwsUnavailable(t, use, 'storage_missing', {}, String(use));
  t.like(await storage.check(), { status: 'unhealthy', problems: [{ code: 'storage_missing', details: { storage: path } }] });
  t.false(existsSync(path));
  await comeBack();
  t.is((await storage.check()).status, 'healthy');
  t.false((await storage.put(KEY, source)).isNew);
});

test('the empty folder that an unmounted disk leaves behind is not taken for the storage', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-local-'));
  const { path, storage, source, goAway, comeBack } = await givenAway(folder.path);
  await goAway();
  await mkdir(path);
  for (const use of everyUse(storage, source)) await throwsUnavailable(t, use, 'storage_missing', {}, String(use));
  t.is((await storage.check()).status, 'unhealthy');
  t.deepEqual(await readdir(path), []);
  await rmdir(path);
  await comeBack();
  t.false((await storage.put(KEY, source)).isNew);
});

test('a storage that was empty when the process began is made only where no document has its bytes there', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-local-'));
  const path = join(folder.path, 'store');
  const settings = { path, thumbnailPath: join(path, 'thumbnails') };
  const storage = new LocalStorage({ ...settings, hasDocuments: async () => true });
  t.is((await storage.check()).status, 'unhealthy');
  await throwsUnavailable(t, storage.put(KEY, Buffer.from('text')), 'storage_missing');
  await t.throwsAsync(storage.put(thumbnailKey('ab'.repeat(32), 'small.webp'), Buffer.from('picture')), { code: 'SERVICE_UNAVAILABLE' });
  await t.throwsAsync(storage.open(KEY), { code: 'SERVICE_UNAVAILABLE' });
  t.false(existsSync(path));

  await new LocalStorage({ ...settings, hasDocuments: async () => false }).put(KEY, Buffer.from('text'));
  t.is((await storage.check()).status, 'healthy');
  await rm(join(path, '.incoming'), { recursive: true }); // as a backup has it that was restored
  await t.notThrowsAsync(new LocalStorage({ ...settings, hasDocuments: async () => true }).put(KEY, Buffer.from('text')));
});

test('the first files of a storage come at the same time, and none of them takes it for one that is away', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-local-'));
  const path = join(folder.path, 'store');
  const settings = { path, thumbnailPath: join(path, 'thumbnails') };
  // between the look at the folder and the answer another one is stored, and its row committed
  const hasDocuments = async (): Promise<boolean> => {
    await new LocalStorage({ ...settings, hasDocuments: async () => false }).put(documentKey('cd'.repeat(32)), Buffer.from('first'));
    return true;
  };
  const storage = new LocalStorage({ ...settings, hasDocuments });
  await t.notThrowsAsync(storage.put(KEY, Buffer.from('text')));
  t.is((await storage.check()).status, 'healthy');
});

test('a temporary folder is made anew, but not the folder that it was in', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-temp-'));
  const parent = join(folder.path, 'uploads');
  const area = new TempArea(join(parent, 'temp'));
  await area.makeFile();
  await rmdir(join(parent, 'temp'));
  await area.makeFile();
  t.true(existsSync(area.path));
  await rm(parent, { recursive: true });
  await throwsUnavailable(t, area.makeFile(), 'storage_missing');
  t.false(existsSync(parent));
});

withSmallDisk('a full disk is a storage that cannot work now, and leaves nothing behind', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-local-'));
  const path = join(folder.path, 'disk');
  await using _disk = await mountSmallDisk(path);
  const storage = new LocalStorage({ path, thumbnailPath: join(path, 'thumbnails') });
  await throwsUnavailable(t, storage.put(KEY, Readable.from([randomBytes(2 * 1024 * 1024)])), 'storage_full');
  t.is(await storage.stat(KEY), undefined);
  t.deepEqual(await readdir(join(path, '.incoming')), []);
  t.is((await storage.check()).status, 'healthy');
});

withSmallDisk(
  'a disk that becomes read-only is a storage that cannot work now, whether its own files or others are put there',
  async (t) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-local-'));
    const path = join(folder.path, 'disk');
    await using _disk = await mountSmallDisk(path);
    const storage = new LocalStorage({ path, thumbnailPath: join(path, 'thumbnails') });
    await storage.put(KEY, Buffer.from('text'));
    await makeReadOnly(path);
    const other = documentKey('cd'.repeat(32));
    await throwsUnavailable(t, storage.put(other, Buffer.from('other')), 'storage_read_only');
    await throwsUnavailable(t, storage.put(other, Readable.from(['other'])), 'storage_read_only');
    await throwsUnavailable(t, storage.replace(KEY, Buffer.from('other')), 'storage_read_only');
    await throwsUnavailable(t, storage.delete(KEY), 'storage_read_only');
    t.like(await storage.check(), { status: 'unhealthy', problems: [{ code: 'storage_read_only' }] });
    t.is((await storage.stat(KEY))?.sizeBytes, 4, 'what is there can be read');
  },
);

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
  const { status, problems } = await storage.check();
  t.is(status, 'unhealthy');
  t.like(problems, [{ code: isRoot ? 'storage_not_a_folder' : 'storage_not_writable' }]);
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

test('a folder for what is made is in the area, which is made where it is not there, and is gone with its files', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-area-'));
  const area = new TempArea(join(folder.path, 'a', 'b'));
  for (const _time of [1, 2]) {
    const scratch = await area.makeScratch('label');
    t.regex(scratch.path, /\/a\/b\/label-[^/]+$/);
    await writeFile(join(scratch.path, 'file'), 'bytes');
    await scratch[Symbol.asyncDispose]();
    t.deepEqual(await readdir(area.path), []);
    await rm(area.path, { recursive: true });
  }
  await t.throwsAsync(new TempArea('/proc/nonexistent/area').makeScratch('label'), { code: 'SERVICE_UNAVAILABLE' });
});
