import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderTarget, ZipTarget } from '@sheaf/paperless/export';
import { documentKey, type Storage } from '@sheaf/storage';
import anyTest, { type TestFn } from 'ava';
import { type GivenLibrary, openGivenLibrary } from './given-library.ts';
import { readExport } from './read-export.ts';

interface Context {
  readonly library: GivenLibrary;
  readonly path: string;
}

const test = anyTest as TestFn<Context>;

test.beforeEach(async (t) => {
  const library = await openGivenLibrary();
  t.context = { library, path: join(library.folder, 'export') };
});
test.afterEach.always((t) => t.context.library[Symbol.asyncDispose]());

const update = async ({ library, path }: Context) => library.export(await FolderTarget.open(path, { isIncremental: true }));

const filesIn = async (path: string): Promise<string[]> => (await readdir(join(path, 'originals'))).toSorted();

const storedAt = (library: GivenLibrary, sha256: string): string => join(library.folder, 'uploads', documentKey(sha256));

test('an update writes what is new, damaged or renamed, and removes what is gone', async (t) => {
  const { library, path } = t.context;
  const kept = await library.add('kept', { title: 'Kept', documentDate: '2024-01-01' });
  const gone = await library.add('gone', { title: 'Gone', documentDate: '2024-01-01' });
  await library.add('damaged', { title: 'Damaged', documentDate: '2024-01-01' });
  t.like(await update(t.context), { documents: 3, written: 3, kept: 0, removed: 0 });
  const { mtimeMs, ino } = await stat(join(path, 'originals/2024-01-01 Kept.txt'));
  t.is(mtimeMs, kept.createdAt.getTime());

  t.like(await update(t.context), { documents: 3, written: 0, kept: 3, removed: 0 });
  await library.remove(gone);
  await library.add('new', { title: 'New', documentDate: '2024-01-01' });
  await writeFile(join(path, 'originals/2024-01-01 Damaged.txt'), 'DAMAGED');
  await writeFile(join(path, 'originals/of somebody else.txt'), 'x');
  t.like(await update(t.context), { documents: 3, written: 2, kept: 1, removed: 1 });
  t.is((await stat(join(path, 'originals/2024-01-01 Kept.txt'))).ino, ino);
  t.deepEqual(await filesIn(path), ['2024-01-01 Damaged.txt', '2024-01-01 Kept.txt', '2024-01-01 New.txt', 'of somebody else.txt']);
  t.is(await readFile(join(path, 'originals/2024-01-01 Damaged.txt'), 'utf8'), 'damaged');
  t.is((await readExport(path)).files.size, 3);
});

test('a target that holds something else is refused', async (t) => {
  const { library, path } = t.context;
  await library.add('one');
  await mkdir(path);
  await writeFile(join(path, 'of somebody else.txt'), 'x');
  for (const isIncremental of [false, true]) await t.throwsAsync(FolderTarget.open(path, { isIncremental }), { code: 'target_not_empty' });
  await t.throwsAsync(FolderTarget.open(join(path, 'of somebody else.txt'), { isIncremental: false }), { code: 'target_not_folder' });
  await t.throwsAsync(FolderTarget.open('/proc/x/y', { isIncremental: false }), { code: 'ENOENT' }, 'not tried for ever');
  const other = join(library.folder, 'other');
  await library.export(await FolderTarget.open(other, { isIncremental: false }));
  await t.throwsAsync(FolderTarget.open(other, { isIncremental: false }), { code: 'target_not_empty' });
});

test('nothing is written or removed through a link in the target', async (t) => {
  const { library, path } = t.context;
  const document = await library.add('one', { title: 'One', documentDate: '2024-01-01' });
  await update(t.context);
  const outside = join(library.folder, 'outside');
  await mkdir(outside);
  await writeFile(join(outside, '2024-01-01 One.txt'), 'not of the export');
  await rm(join(path, 'originals'), { recursive: true });
  await symlink(outside, join(path, 'originals'));
  await t.throwsAsync(update(t.context), { code: 'target_unsafe' });
  await library.remove(document);
  await writeFile(join(path, '.sheaf-export'), '../outside/2024-01-01 One.txt\noriginals/2024-01-01 One.txt\n');
  t.like(await update(t.context), { documents: 0, removed: 0 });
  t.is(await readFile(join(outside, '2024-01-01 One.txt'), 'utf8'), 'not of the export');
});

test('documents whose file is missing or damaged are named and left out, and the others are there', async (t) => {
  const { library, path } = t.context;
  await library.add('good', { title: 'Good' });
  const [missing, damaged, cut] = [await library.add('missing'), await library.add('damaged'), await library.add('cut off')];
  await rm(storedAt(library, missing.sha256));
  for (const [{ sha256 }, bytes] of [
    [damaged, 'DAMAGED'],
    [cut, 'cut'],
  ] as const) {
    await rm(storedAt(library, sha256));
    await writeFile(storedAt(library, sha256), bytes);
  }
  const expected = [
    { documentId: missing.id, reason: 'missing' },
    { documentId: damaged.id, reason: 'damaged' },
    { documentId: cut.id, reason: 'damaged' },
  ];
  for (const target of [await FolderTarget.open(path, { isIncremental: false }), await ZipTarget.open(`${path}.zip`)]) {
    const result = await library.export(target);
    t.like(result, { documents: 1, problems: 3 });
    t.deepEqual(result.reported, expected);
    const found = await readExport(target.path);
    t.deepEqual([...found.files.values()].map(String), ['good']);
    t.is(found.of('documents.document').length, 1);
  }
  t.is((await filesIn(path)).length, 1);
});

/** A storage that answers no more once `open` was called so often: what is done until then is what a killed export did. */
const stoppingAfter = (storage: Storage, calls: number) => {
  let left = calls;
  const reached = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<never>();
  const open: Storage['open'] = (key, range) => {
    left -= 1;
    if (left >= 0) return storage.open(key, range);
    reached.resolve();
    return ended.promise;
  };
  const get = (of: Storage, name: keyof Storage): unknown => {
    const value = of[name];
    return typeof value === 'function' ? value.bind(of) : value;
  };
  return {
    reached: reached.promise,
    end: () => ended.reject(new Error('the test is over')),
    storage: new Proxy(storage, { get: (of, name) => (name === 'open' ? open : get(of, name as keyof Storage)) }),
  };
};

test('an export that is killed is never a mix that looks whole, and is continued', async (t) => {
  const { library, path } = t.context;
  const killed: { readonly end: () => void; readonly ended: Promise<unknown> }[] = [];
  const killAfter = async (calls: number): Promise<void> => {
    const { storage, reached, end } = stoppingAfter(library.storage, calls);
    const exporting = library.export(await FolderTarget.open(path, { isIncremental: true }), {}, storage);
    killed.push({ end, ended: exporting.catch(() => undefined) });
    await Promise.race([reached, exporting.then(() => t.fail('it was not killed'))]);
  };
  const old = await library.add('one', { title: 'One', documentDate: '2024-01-01' });
  await library.add('two', { title: 'Two', documentDate: '2024-01-01' });
  await killAfter(1);
  await t.throwsAsync(readExport(path), { code: 'manifest_missing' });
  t.like(await update(t.context), { documents: 2, written: 1, kept: 1 });

  await library.add('three', { title: 'Three', documentDate: '2024-01-01' });
  await library.add('four', { title: 'Four', documentDate: '2024-01-01' });
  await killAfter(1);
  const earlier = await readExport(path);
  t.deepEqual([...earlier.files.values()].map(String), ['one', 'two'], 'files were only added: the earlier export is whole');

  await library.remove(old);
  await library.add('another one', { title: 'One', documentDate: '2024-01-01' });
  await library.add('five', { title: 'Five', documentDate: '2024-01-01' });
  await killAfter(2);
  await t.throwsAsync(readExport(path), { code: 'manifest_missing' }, 'a file has changed that the earlier manifest names');
  t.like(await update(t.context), { documents: 5, removed: 0 });
  const whole = await readExport(path);
  t.deepEqual([...whole.files.values()].map(String).toSorted(), ['another one', 'two', 'three', 'four', 'five'].toSorted());
  t.deepEqual(await filesIn(path), [
    '2024-01-01 Five.txt',
    '2024-01-01 Four.txt',
    '2024-01-01 One.txt',
    '2024-01-01 Three.txt',
    '2024-01-01 Two.txt',
  ]);
  for (const { end, ended } of killed) {
    end();
    await ended;
  }
});
