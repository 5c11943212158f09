import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type Listing, type RemoteFile, type SourceDriver, SourceError } from '@sheaf/sources';
import { isFullRun } from '@sheaf/testkit';
import type { SourceErrorCode } from '@sheaf/vocabulary/sources';
import test, { type ExecutionContext } from 'ava';
import { waitFor } from '../../support/wait-for.ts';

/** A real place that a driver reads, and a way to change what is in it. */
export interface SourceUnderTest extends AsyncDisposable {
  put(path: string, content: Uint8Array | string): Promise<void>;
  remove(path: string): Promise<void>;
  driver(options?: { readonly recursive?: boolean }): SourceDriver;
  /** A driver of a folder that is not there; undefined where an empty folder is none. */
  driverOfNothing?(): SourceDriver;
  /** A driver that does not know the password; undefined where nobody asks. */
  driverOfStranger?(): SourceDriver;
}

export interface SourceKind {
  readonly name: string;
  readonly open: () => Promise<SourceUnderTest>;
  /** Why it cannot be tested here. */
  readonly missing?: string | undefined;
  /** Names that the server itself cannot hold or serve. */
  readonly cannotHold?: readonly string[];
}

export const never = (): AbortSignal => new AbortController().signal;

export const collect = async (listings: AsyncIterable<Listing>): Promise<Listing> => {
  const all: Listing[] = [];
  for await (const listing of listings) all.push(listing);
  return { files: all.flatMap(({ files }) => files), refused: all.flatMap(({ refused }) => refused) };
};

export const listFiles = async (driver: SourceDriver): Promise<Map<string, RemoteFile>> =>
  new Map((await collect(driver.list(never()))).files.map((file) => [file.path, file]));

export const failsWith = async (t: ExecutionContext, run: Promise<unknown>, code: SourceErrorCode): Promise<SourceError | undefined> => {
  const error = await t.throwsAsync(run.then(() => undefined));
  if (!(error instanceof SourceError)) {
    t.fail(`not a SourceError: ${error?.stack}`);
    return undefined;
  }
  t.is(error.code, code, error.message);
  return error;
};

export const getFile = (files: Map<string, RemoteFile>, path: string): RemoteFile => {
  const file = files.get(path);
  if (file === undefined) throw new Error(`${path} is not listed`);
  return file;
};

const opaque = (etag: string | undefined): string | undefined => etag?.replace(/^W\//, '');

const sha256 = (content: Uint8Array | string): string => createHash('sha256').update(content).digest('hex');

export const ODD_NAMES = [
  'with space.txt',
  ' leading and trailing ',
  'hash#tag.txt',
  'per%cent.txt',
  'per%41cent.txt',
  'what?.txt',
  'a+b=c&d;e,f.txt',
  'quote\'d "twice".txt',
  'tag<x>.txt',
  '[brackets](and) {braces}!*~.txt',
  'back\\slash.txt',
  'colon:at@.txt',
  'ümläut 文書 🗂️.txt',
  'e\u0301 decomposed.txt',
  '.hidden',
  '...',
  `${'x'.repeat(251)}.txt`,
  `${'ä'.repeat(125)}.txt`,
];

/** More than there may be in one batch; the full run has so many that a server gives them in pages as well. */
const MAX_BATCH = 500;
const MANY = isFullRun ? 1_234 : MAX_BATCH + 50;

type Case = (t: ExecutionContext, source: SourceUnderTest, kind: SourceKind) => Promise<void>;

const CASES: Readonly<Record<string, Case>> = {
  'every file below the root is listed once with its size and opens with its bytes': async (t, source) => {
    const contents = { 'a.txt': 'one', 'empty.txt': '', 'sub/b.txt': 'two', 'sub/deeper/still/c.bin': randomBytes(300_000) };
    for (const [path, content] of Object.entries(contents)) await source.put(path, content);
    await using driver = closing(source.driver());
    await driver.check(never());
    const { files, refused } = await collect(driver.list(never()));
    t.deepEqual(refused, []);
    t.deepEqual(files.map(({ path }) => path).sort(), Object.keys(contents).sort());
    for (const file of files) {
      const content = contents[file.path as keyof typeof contents];
      t.is(file.sizeBytes, Buffer.byteLength(content), file.path);
      const opened = await driver.open(file, never());
      t.is(opened.sizeBytes ?? Buffer.byteLength(content), Buffer.byteLength(content));
      t.is(sha256(await buffer(opened.body)), sha256(content), file.path);
      t.true(await opened.isUnchanged(), file.path);
    }
  },

  'what a listing and a download say of an unchanged file stays the same': async (t, source) => {
    await source.put('a.txt', 'one');
    await using driver = closing(source.driver());
    const [first, second] = [await listFiles(driver), await listFiles(driver)];
    // a tag may be weak in the second after a change, and strong from then on
    const told = (files: typeof first) => [...files.values()].map(({ etag, ...file }) => ({ ...file, tag: opaque(etag) }));
    t.deepEqual(told(first), told(second));
    const file = getFile(first, 'a.txt');
    const opened = await driver.open(file, never());
    await buffer(opened.body);
    t.is(opaque(opened.etag), opaque(file.etag));
    t.true(file.etag !== undefined || file.modifiedAt !== undefined);
  },

  'names of all kinds are listed as they are and can be opened': async (t, source, { cannotHold = [] }) => {
    const names = ODD_NAMES.filter((name) => !cannotHold.includes(name));
    for (const name of names) {
      await source.put(name, `file ${name}`);
      if (Buffer.byteLength(name) < 200) await source.put(`in ${name}/${name}`, `folder ${name}`);
    }
    await using driver = closing(source.driver());
    const { files, refused } = await collect(driver.list(never()));
    t.deepEqual(refused, []);
    const expected = names.flatMap((name) => (Buffer.byteLength(name) < 200 ? [name, `in ${name}/${name}`] : [name]));
    t.deepEqual(files.map(({ path }) => path).sort(), expected.sort());
    for (const file of files) {
      const content = (await buffer((await driver.open(file, never())).body)).toString();
      t.is(content, file.path.includes('/') ? `folder ${file.path.split('/')[1]}` : `file ${file.path}`);
    }
  },

  'a source that is not recursive has the files of its root alone': async (t, source) => {
    for (const path of ['a.txt', 'sub/b.txt', 'sub/deep/c.txt']) await source.put(path, path);
    await using driver = closing(source.driver({ recursive: false }));
    t.deepEqual([...(await listFiles(driver)).keys()], ['a.txt']);
  },

  'many files come in batches of bounded size, each once': async (t, source) => {
    const paths = Array.from({ length: MANY }, (_, index) => `many/file ${String(index).padStart(4, '0')}.txt`);
    for (let start = 0; start < paths.length; start += 50) {
      await Promise.all(paths.slice(start, start + 50).map((path) => source.put(path, path)));
    }
    await using driver = closing(source.driver());
    const sizes: number[] = [];
    const found: string[] = [];
    for await (const { files } of driver.list(never())) {
      sizes.push(files.length);
      found.push(...files.map(({ path }) => path));
    }
    t.deepEqual(found.sort(), paths);
    t.true(sizes.length > 1 && Math.max(...sizes) <= MAX_BATCH);
  },

  'an empty root lists nothing': async (t, source) => {
    await source.put('x.txt', 'x');
    await source.remove('x.txt');
    await using driver = closing(source.driver());
    await driver.check(never());
    t.deepEqual(await collect(driver.list(never())), { files: [], refused: [] });
  },

  'a file that is gone since the listing is not found': async (t, source) => {
    await source.put('a.txt', 'one');
    await using driver = closing(source.driver());
    const file = getFile(await listFiles(driver), 'a.txt');
    await source.remove('a.txt');
    await failsWith(t, driver.open(file, never()), 'not_found');
  },

  'a root that is not there is told by the check and by the listing': async (t, source) => {
    if (source.driverOfNothing === undefined) {
      t.log('a folder that is not there is an empty one here');
      t.pass();
      return;
    }
    await using driver = closing(source.driverOfNothing());
    await failsWith(t, driver.check(never()), 'not_found');
    await failsWith(t, collect(driver.list(never())), 'not_found');
  },

  'whoever does not know the password is told so': async (t, source) => {
    if (source.driverOfStranger === undefined) {
      t.log('nobody asks for a password here');
      t.pass();
      return;
    }
    await using driver = closing(source.driverOfStranger());
    await failsWith(t, driver.check(never()), 'unauthorized');
    await failsWith(t, collect(driver.list(never())), 'unauthorized');
    await failsWith(
      t,
      driver.open({ path: 'a.txt', sizeBytes: undefined, modifiedAt: undefined, etag: undefined }, never()),
      'unauthorized',
    );
  },

  'a file that changed since the listing is not taken for the listed one': async (t, source) => {
    await source.put('a.txt', 'one');
    await using driver = closing(source.driver());
    const file = getFile(await listFiles(driver), 'a.txt');
    await source.put('a.txt', 'something longer');
    let isUnchanged = false;
    try {
      const opened = await driver.open(file, never());
      t.is((await buffer(opened.body)).toString(), 'something longer');
      isUnchanged = await opened.isUnchanged();
    } catch (error) {
      t.is((error as SourceError).code, 'changed');
    }
    t.false(isUnchanged);
    const again = await driver.open(getFile(await listFiles(driver), 'a.txt'), never());
    t.is((await buffer(again.body)).toString(), 'something longer');
    t.true(await again.isUnchanged());
  },

  'a body that is given up in the middle leaves the driver usable': async (t, source) => {
    await source.put('large.bin', randomBytes(8_000_000));
    await source.put('small.txt', 'small');
    await using driver = closing(source.driver());
    const files = await listFiles(driver);
    const { body } = await driver.open(getFile(files, 'large.bin'), never());
    await new Promise((resolve) => body.once('data', resolve));
    body.destroy();
    await waitFor(() => body.closed, { description: 'the body to close', limitMs: 20_000 });
    const small = await driver.open(getFile(files, 'small.txt'), never());
    t.is((await buffer(small.body)).toString(), 'small');
  },

  'a signal ends check, listing, opening and a body with its own reason': async (t, source) => {
    await source.put('a.bin', randomBytes(8_000_000));
    await using driver = closing(source.driver());
    const file = getFile(await listFiles(driver), 'a.bin');
    const reason = new Error('stopped');
    const stopped = AbortSignal.abort(reason);
    t.is(await t.throwsAsync(driver.check(stopped)), reason);
    t.is(await t.throwsAsync(collect(driver.list(stopped))), reason);
    t.is(await t.throwsAsync(driver.open(file, stopped)), reason);
    const abort = new AbortController();
    const { body } = await driver.open(file, abort.signal);
    abort.abort(reason);
    t.is(await t.throwsAsync(buffer(body)), reason);
  },
};

const closing = (driver: SourceDriver): SourceDriver & AsyncDisposable =>
  Object.assign(driver, { [Symbol.asyncDispose]: () => driver.close() });

/** Declares the tests that every driver passes with every kind of server. */
export const declareDriverContract = (kind: SourceKind): void => {
  if (kind.missing !== undefined) {
    test.skip(`${kind.name}: not tested, ${kind.missing}`, () => {});
    return;
  }
  for (const [title, run] of Object.entries(CASES)) {
    test(`${kind.name}: ${title}`, async (t) => {
      await using source = await kind.open();
      await run(t, source, kind);
    });
  }
};
