// Folders of this machine: the contract of all drivers, and what they do not follow.
import { execFileSync } from 'node:child_process';
import { chmod, link, mkdir, mkdtempDisposable, realpath, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Listing, makeDriver, type RefusedEntry, type SourceDriver } from '@sheaf/sources';
import test from 'ava';
import { collect, declareDriverContract, failsWith, getFile, listFiles, never, type SourceUnderTest } from './driver-contract.ts';
import { loopbackFetch } from './given-driver.ts';

const LIST_FOLDER = fileURLToPath(new URL('../../fixtures/sources/list-folder.ts', import.meta.url));

interface Place extends AsyncDisposable {
  /** With no link in it. */
  readonly base: string;
  readonly root: string;
  readonly put: (path: string, content?: Uint8Array | string) => Promise<void>;
  readonly driver: (
    fields?: { path?: string; roots?: readonly string[]; recursive?: boolean },
    limits?: Parameters<typeof makeDriver>[1]['limits'],
  ) => SourceDriver;
}

const openPlace = async (): Promise<Place> => {
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-local-'));
  const base = await realpath(folder.path);
  const root = join(base, 'root');
  await mkdir(root);
  await mkdir(join(base, 'outside'));
  await writeFile(join(base, 'outside/secret.txt'), 'of somebody else');
  return {
    base,
    root,
    put: async (path, content = path) => {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
    },
    driver: (fields = {}, limits) =>
      makeDriver(
        { type: 'local_folder', path: root, roots: [base], recursive: true, ...fields },
        { fetch: loopbackFetch(), ...(limits === undefined ? {} : { limits }) },
      ),
    [Symbol.asyncDispose]: () => folder.remove(),
  };
};

const underTest = (place: Place): SourceUnderTest => ({
  put: place.put,
  remove: (path) => rm(join(place.root, path)),
  driver: (options) => place.driver(options),
  driverOfNothing: () => place.driver({ path: join(place.base, 'not/there') }),
  [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
});

declareDriverContract({ name: 'local folder', open: async () => underTest(await openPlace()) });

const reasonsOf = (refused: readonly RefusedEntry[]): Record<string, string> =>
  Object.fromEntries(refused.map(({ path, reason, isFolder }) => [path, isFolder ? `folder: ${reason.code}` : reason.code]));

const names = async (driver: SourceDriver): Promise<string[]> => [...(await listFiles(driver)).keys()].toSorted();

test('links, second names, fifos and names that are no text are refused with a reason, and nothing behind them is told', async (t) => {
  await using place = await openPlace();
  const { base, root, put, driver } = place;
  await put('a.txt');
  await symlink(join(base, 'outside/secret.txt'), join(root, 'link.txt'));
  await symlink(join(base, 'outside'), join(root, 'linked'));
  await symlink('.', join(root, 'circle'));
  await link(join(base, 'outside/secret.txt'), join(root, 'second.txt'));
  execFileSync('mkfifo', [join(root, 'fifo.txt')]);
  await writeFile(Buffer.concat([Buffer.from(`${root}/b`), Buffer.from([0xff]), Buffer.from('.txt')]), 'b');
  await mkdir(Buffer.concat([Buffer.from(`${root}/f`), Buffer.from([0xff])]));
  await writeFile(join(root, 'line\nbreak.txt'), 'c');
  await put('in\tside/d.txt');
  const { files, refused } = await collect(driver().list(never()));
  t.deepEqual(
    files.map(({ path }) => path),
    ['a.txt'],
  );
  t.deepEqual(reasonsOf(refused), {
    'link.txt': 'folder: symbolic_link',
    linked: 'folder: symbolic_link',
    circle: 'folder: symbolic_link',
    'second.txt': 'hard_link',
    'fifo.txt': 'not_a_file',
    'b\ufffd.txt': 'not_unicode',
    'f\ufffd': 'folder: not_unicode',
    'line\\x0abreak.txt': 'control_characters',
    'in\\x09side': 'folder: control_characters',
  });
});

test('devices are refused', async (t) => {
  const driver = makeDriver({ type: 'local_folder', path: '/dev', roots: ['/dev'], recursive: false }, { fetch: loopbackFetch() });
  const { refused } = await collect(driver.list(never()));
  t.is(reasonsOf(refused)['null'], 'not_a_file');
});

test('a name that only looks like an escaped one is the name that it is', async (t) => {
  await using place = await openPlace();
  await place.put('a\\xff/b\\x5c.txt');
  const files = await listFiles(place.driver());
  const opened = await place.driver().open(getFile(files, 'a\\xff/b\\x5c.txt'), never());
  t.is((await buffer(opened.body)).toString(), 'a\\xff/b\\x5c.txt');
});

test('the folder lies inside a root, whatever way its path is written, or is refused', async (t) => {
  await using place = await openPlace();
  const { base, root, put, driver } = place;
  await put('in/a.txt');
  await mkdir(join(base, 'root-2'));
  await symlink(root, join(base, 'way'));
  await symlink(join(base, 'outside'), join(root, 'out'));
  await symlink(join(root, 'in'), join(root, 'short'));
  for (const [path, roots] of [
    [root, [root]],
    [`${root}/`, [root]],
    [root, [`${root}/`]],
    [`${root}/in/..`, [root]],
    [root, [`${root}/in/..`]],
    [root, [join(base, 'way')]],
    [join(base, 'way'), [join(base, 'way')]],
    [root, [join(base, 'outside'), root, join(root, 'in'), join(base, 'absent')]],
    [root, ['/']],
  ] as const)
    t.deepEqual(await names(driver({ path, roots })), ['in/a.txt'], `${path} in ${roots.join()}`);
  t.deepEqual(await names(driver({ path: join(root, 'in'), roots: [root] })), ['a.txt']);
  t.deepEqual(await names(driver({ path: join(base, 'way/in'), roots: [join(base, 'way')] })), ['a.txt']);
  for (const [path, roots] of [
    [root, []],
    [root, [join(root, 'in')]],
    [`${root}/../outside`, [root]],
    [join(base, 'root-2'), [root]],
    [join(root, 'out'), [root]],
    [join(root, 'short'), [root]],
    [join(base, 'way'), [root]],
    [join(root, 'out/absent'), [join(base, 'outside')]],
  ] as const) {
    const outside = driver({ path, roots });
    const where = `${path} in ${roots.join()}`;
    const error = await failsWith(t, outside.check(never()), 'refused');
    t.regex(error?.message ?? '', /LOCAL_SOURCE_ROOTS/, where);
    await failsWith(t, collect(outside.list(never())), 'refused');
    await failsWith(t, outside.open({ path: 'a.txt', sizeBytes: 1, modifiedAt: undefined, etag: undefined }, never()), 'refused');
  }
});

test('what is no folder, or lies in a root that is not mounted, is not found', async (t) => {
  await using place = await openPlace();
  const { base, root, put, driver } = place;
  await put('a.txt');
  for (const fields of [
    { path: join(root, 'a.txt') },
    { path: join(root, 'a.txt/b') },
    { path: join(base, 'gone/in'), roots: [join(base, 'gone')] },
  ])
    await failsWith(t, driver(fields).check(never()), 'not_found');
});

test('a folder that a link took the place of is refused, also between listing and opening', async (t) => {
  await using place = await openPlace();
  const { base, root, put, driver } = place;
  await put('in/a.txt');
  const local = driver({ path: join(root, 'in') });
  const file = getFile(await listFiles(local), 'a.txt');
  await rename(join(root, 'in'), join(base, 'outside/in'));
  await symlink(join(base, 'outside/in'), join(root, 'in'));
  await failsWith(t, local.check(never()), 'refused');
  await failsWith(t, collect(local.list(never())), 'refused');
  await failsWith(t, local.open(file, never()), 'refused');
  await failsWith(t, driver().open({ ...file, path: 'in/a.txt' }, never()), 'refused');
});

test('a folder that is replaced while it is listed has no complete listing', async (t) => {
  await using place = await openPlace();
  const { base, root, put, driver } = place;
  for (const path of ['a.txt', 'in/b.txt']) await put(path);
  const listing = driver(undefined, { maxEntries: 1_000, maxFolders: 10, maxDepth: 5, maxPathBytes: 4_096 }).list(never());
  // Of more than one batch, so that it is under way when the folder goes.
  await Promise.all(Array.from({ length: 600 }, (_, n) => put(`${n}.txt`)));
  await failsWith(
    t,
    (async () => {
      let isFirst = true;
      for await (const _ of listing) {
        if (!isFirst) continue;
        isFirst = false;
        await rename(root, join(base, 'old'));
        await mkdir(root);
      }
    })(),
    'unreachable',
  );
});

test('paths that lead elsewhere are never opened', async (t) => {
  await using place = await openPlace();
  const { base, root, driver } = place;
  await symlink(join(base, 'outside'), join(root, 'linked'));
  const file = { sizeBytes: undefined, modifiedAt: undefined, etag: undefined };
  for (const path of ['../outside/secret.txt', '/etc/passwd', 'linked/secret.txt', 'a/./b', ''])
    await failsWith(t, driver().open({ ...file, path }, never()), 'refused');
  await symlink(join(base, 'outside/secret.txt'), join(root, 'link.txt'));
  await failsWith(t, driver().open({ ...file, path: 'link.txt' }, never()), 'changed');
  execFileSync('mkfifo', [join(root, 'fifo.txt')]);
  await failsWith(t, driver().open({ ...file, path: 'fifo.txt' }, never()), 'changed');
});

test('a file that changes while it is read is not taken for the listed one', async (t) => {
  await using place = await openPlace();
  const { root, put, driver } = place;
  const path = join(root, 'a.bin');
  const size = 2_000_000;
  const change = async (by: () => Promise<void>): Promise<Promise<Buffer>> => {
    await put('a.bin', Buffer.alloc(size));
    const opened = await driver().open(getFile(await listFiles(driver()), 'a.bin'), never());
    await by();
    const all = await buffer(opened.body);
    t.is(all.length, size);
    t.false(await opened.isUnchanged());
    return Promise.resolve(all);
  };
  await failsWith(
    t,
    change(() => writeFile(path, Buffer.alloc(10), { flag: 'a' })),
    'changed',
  );
  await failsWith(
    t,
    change(() => truncate(path, 1_000_000)),
    'changed',
  );
  await t.notThrowsAsync(change(() => utimes(path, new Date(0), new Date(0))));
});

test('a source of too many entries, folders or too deep ones says so', async (t) => {
  await using place = await openPlace();
  for (const path of ['a.txt', 'b.txt', 'c/d/e.txt']) await place.put(path);
  const limits = { maxEntries: 100, maxFolders: 100, maxDepth: 10, maxPathBytes: 100 };
  for (const fewer of [{ maxEntries: 2 }, { maxFolders: 1 }, { maxDepth: 1 }, { maxPathBytes: 8 }])
    await failsWith(t, collect(place.driver(undefined, { ...limits, ...fewer }).list(never())), 'too_large');
  t.is((await listFiles(place.driver(undefined, limits))).size, 3);
});

test('a folder that may not be read is refused as one, and a root like that is told', async (t) => {
  await using place = await openPlace();
  const { base, root, put } = place;
  for (const path of ['a.txt', 'closed/b.txt', 'open/c.txt']) await put(path);
  await chmod(base, 0o755);
  await chmod(join(root, 'closed'), 0o000);
  const list = (path: string): unknown => JSON.parse(execFileSync(process.execPath, [LIST_FOLDER, path, root], { encoding: 'utf8' }));
  t.is(list(join(root, 'closed')), 'unauthorized');
  const [listing] = list(root) as Listing[];
  t.deepEqual(listing?.files.map(({ path }) => path).toSorted(), ['a.txt', 'open/c.txt']);
  t.deepEqual(reasonsOf(listing?.refused ?? []), { closed: 'folder: folder_unreadable' });
});
