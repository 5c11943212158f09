import { createHash, randomBytes } from 'node:crypto';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { documentKey, previewKey, type Storage, thumbnailKey } from '@sheaf/storage';
import anyTest, { type TestFn } from 'ava';

/** A driver under test, and how to damage what it holds. */
export interface OpenedDriver extends AsyncDisposable {
  readonly storage: Storage;
  /** Cuts the stored object to its first `bytes`. */
  damage(key: string, bytes: number): Promise<void>;
}

const someBytes = (size = 1_000) => {
  const bytes = randomBytes(size);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { bytes, sha256, key: documentKey(sha256) };
};

const keysOf = async (storage: Storage, prefix: string): Promise<string[]> => {
  const keys: string[] = [];
  for await (const { key } of storage.list(prefix)) keys.push(key);
  return keys.toSorted();
};

/** What every storage driver must do. Called once by the test file of each driver. */
export const testDriver = (open: () => Promise<OpenedDriver>): void => {
  const test = anyTest as TestFn<{ driver: OpenedDriver; storage: Storage; scratch: string; drop: () => Promise<void> }>;

  test.beforeEach(async (t) => {
    const driver = await open();
    const scratch = await mkdtempDisposable(join(tmpdir(), 'sheaf-storage-'));
    t.context = { driver, storage: driver.storage, scratch: scratch.path, drop: () => scratch.remove() };
  });
  test.afterEach.always(async (t) => {
    await t.context.driver[Symbol.asyncDispose]();
    await t.context.drop();
  });

  const givenFile = async (folder: string, bytes: Buffer): Promise<string> => {
    const path = join(folder, randomBytes(4).toString('hex'));
    await writeFile(path, bytes);
    return path;
  };

  test('what was put from a file is read back byte by byte', async (t) => {
    const { bytes, key } = someBytes(300_000);
    const { isNew } = await t.context.storage.put(key, await givenFile(t.context.scratch, bytes));
    const { stream, sizeBytes } = await t.context.storage.open(key);
    t.true(isNew);
    t.is(sizeBytes, bytes.length);
    t.true(bytes.equals(await buffer(stream)));
  });

  test('what was put from a stream is read back byte by byte', async (t) => {
    const { bytes, key } = someBytes(300_000);
    await t.context.storage.put(key, Readable.from([bytes.subarray(0, 1), bytes.subarray(1)]));
    t.true(bytes.equals(await buffer((await t.context.storage.open(key)).stream)));
  });

  test('what was put from memory is read back byte by byte', async (t) => {
    const { bytes, key } = someBytes(300_000);
    t.true((await t.context.storage.put(key, bytes)).isNew);
    t.false((await t.context.storage.put(key, bytes)).isNew);
    t.true(bytes.equals(await buffer((await t.context.storage.open(key)).stream)));
  });

  test('a range is read from its first to its last byte', async (t) => {
    const { bytes, key } = someBytes();
    await t.context.storage.put(key, Readable.from([bytes]));
    const { stream, sizeBytes } = await t.context.storage.open(key, { start: 10, end: 19 });
    t.is(sizeBytes, bytes.length);
    t.true(bytes.subarray(10, 20).equals(await buffer(stream)));
  });

  test('a range may be at either end, and stops where the object does', async (t) => {
    const { bytes, key } = someBytes();
    await t.context.storage.put(key, bytes);
    const read = async (start: number, end: number) => buffer((await t.context.storage.open(key, { start, end })).stream);
    t.true(bytes.subarray(0, 2).equals(await read(0, 1))); // s3rver takes 0-0 for everything
    t.true(bytes.subarray(999).equals(await read(999, 999)));
    t.true(bytes.subarray(990).equals(await read(990, 5_000)));
  });

  test('a range behind the end is of a file that is shorter than it should be', async (t) => {
    const { bytes, key } = someBytes();
    await t.context.storage.put(key, bytes);
    await t.throwsAsync(t.context.storage.open(key, { start: 1_000, end: 1_000 }), { code: 'FILE_DAMAGED' });
  });

  test('an empty object is one', async (t) => {
    const key = previewKey('ab'.repeat(32));
    for (const source of [Buffer.alloc(0), Readable.from([]), await givenFile(t.context.scratch, Buffer.alloc(0))])
      await t.context.storage.put(key, source);
    t.is((await t.context.storage.stat(key))?.sizeBytes, 0);
    t.true(Buffer.alloc(0).equals(await buffer((await t.context.storage.open(key)).stream)));
    t.true(Buffer.alloc(0).equals(await readFile(await t.context.storage.localPath(key, t.context.scratch))));
  });

  test('the path of an object is known before it is put', async (t) => {
    const { bytes, sha256, key } = someBytes();
    for (const each of [key, previewKey(sha256), thumbnailKey(sha256, '400x400.webp')])
      t.is((await t.context.storage.put(each, bytes)).path, t.context.storage.pathOf(each));
  });

  test('an object that is deleted while it is read comes whole or ends with an error', async (t) => {
    const { bytes, key } = someBytes(3_000_000);
    await t.context.storage.put(key, bytes);
    const { stream } = await t.context.storage.open(key);
    await t.context.storage.delete(key);
    const read = await buffer(stream).catch(() => undefined);
    if (read !== undefined) t.true(bytes.equals(read));
    t.is(await t.context.storage.stat(key), undefined);
  });

  test('who stops reading early does no harm', async (t) => {
    const { bytes, key } = someBytes(1_000_000);
    await t.context.storage.put(key, bytes);
    for (let times = 0; times < 20; times += 1) {
      const { stream } = await t.context.storage.open(key);
      for await (const chunk of stream) {
        t.true(bytes.subarray(0, chunk.length).equals(chunk));
        break;
      }
      t.true(stream.destroyed);
    }
    t.true(bytes.equals(await buffer((await t.context.storage.open(key)).stream)));
  });

  test('a sweep of leftovers leaves the objects', async (t) => {
    const { bytes, key } = someBytes();
    await t.context.storage.put(key, bytes);
    await t.context.storage.sweepLeftovers(new Date(Date.now() + 60_000));
    t.deepEqual(await keysOf(t.context.storage, 'documents/'), [key]);
  });

  test('a put that repeats an object keeps it and makes it fresh again', async (t) => {
    const { bytes, key } = someBytes();
    await t.context.storage.put(key, Readable.from([bytes]));
    const before = (await t.context.storage.stat(key))?.modifiedAt ?? new Date(0);
    const { isNew } = await t.context.storage.put(key, await givenFile(t.context.scratch, bytes));
    t.false(isNew);
    t.true(((await t.context.storage.stat(key))?.modifiedAt ?? new Date(0)) >= before);
    t.deepEqual(await keysOf(t.context.storage, 'documents/'), [key]);
  });

  test('a put over a damaged object of another size mends it', async (t) => {
    const { bytes, key } = someBytes();
    await t.context.storage.put(key, Readable.from([bytes]));
    await t.context.driver.damage(key, 10);
    await t.context.storage.put(key, await givenFile(t.context.scratch, bytes));
    t.true(bytes.equals(await buffer((await t.context.storage.open(key)).stream)));
  });

  test('a replace takes the place of an object of the same size, from a file, memory or a stream', async (t) => {
    const key = previewKey('ab'.repeat(32)); // no content hash, so that any bytes may be the damaged ones
    await t.context.storage.put(key, randomBytes(5_000));
    const sources = [
      { bytes: randomBytes(5_000), toSource: async (bytes: Buffer) => givenFile(t.context.scratch, bytes) },
      { bytes: randomBytes(5_000), toSource: async (bytes: Buffer) => bytes },
      { bytes: randomBytes(5_000), toSource: async (bytes: Buffer) => Readable.from([bytes.subarray(0, 10), bytes.subarray(10)]) },
    ];
    for (const { bytes, toSource } of sources) {
      await t.context.storage.replace(key, await toSource(bytes));
      t.true(bytes.equals(await buffer((await t.context.storage.open(key)).stream)));
    }
    t.deepEqual(await keysOf(t.context.storage, 'previews/'), [key]);
  });

  test('a replace over a damaged original, or where there is none, leaves the right one', async (t) => {
    const { bytes, key } = someBytes();
    await t.context.storage.replace(key, await givenFile(t.context.scratch, bytes));
    await t.context.driver.damage(key, 10);
    await t.context.storage.replace(key, await givenFile(t.context.scratch, bytes));
    t.true(bytes.equals(await buffer((await t.context.storage.open(key)).stream)));
  });

  test('a replace does not share the file that it was given', async (t) => {
    const { bytes, key } = someBytes();
    const path = await givenFile(t.context.scratch, bytes);
    await t.context.storage.replace(key, path);
    await writeFile(path, 'overwritten in place');
    t.true(bytes.equals(await buffer((await t.context.storage.open(key)).stream)));
  });

  test('a replace by a stream that breaks leaves the object that was there', async (t) => {
    const { bytes, key } = someBytes();
    await t.context.storage.put(key, bytes);
    const broken = Readable.from(
      (async function* () {
        yield Buffer.alloc(bytes.length);
        throw new Error('cut');
      })(),
    );
    await t.throwsAsync(t.context.storage.replace(key, broken));
    t.true(bytes.equals(await buffer((await t.context.storage.open(key)).stream)));
    t.deepEqual(await keysOf(t.context.storage, 'documents/'), [key]);
  });

  test('twenty puts of the same content at once leave one whole object', async (t) => {
    const { bytes, key } = someBytes(50_000);
    const files = await Promise.all(Array.from({ length: 20 }, () => givenFile(t.context.scratch, bytes)));
    await Promise.all(files.map((file) => t.context.storage.put(key, file)));
    t.deepEqual(await keysOf(t.context.storage, 'documents/'), [key]);
    t.true(bytes.equals(await buffer((await t.context.storage.open(key)).stream)));
  });

  test('a stream that breaks leaves no object', async (t) => {
    const { key } = someBytes();
    const broken = Readable.from(
      (async function* () {
        yield Buffer.alloc(1_000);
        throw new Error('cut');
      })(),
    );
    await t.throwsAsync(t.context.storage.put(key, broken));
    t.is(await t.context.storage.stat(key), undefined);
    t.deepEqual(await keysOf(t.context.storage, 'documents/'), []);
  });

  test('a local path holds the same content', async (t) => {
    const { bytes, key } = someBytes();
    await t.context.storage.put(key, Readable.from([bytes]));
    t.true(bytes.equals(await readFile(await t.context.storage.localPath(key, t.context.scratch))));
  });

  test('an absent object is said to be missing, whoever asks for it', async (t) => {
    const { key } = someBytes();
    await t.throwsAsync(t.context.storage.open(key), { code: 'FILE_MISSING' });
    await t.throwsAsync(t.context.storage.localPath(key, t.context.scratch), { code: 'FILE_MISSING' });
    t.is(await t.context.storage.stat(key), undefined);
    t.false(await t.context.storage.delete(key));
  });

  test('a deleted object is gone', async (t) => {
    const { bytes, key } = someBytes();
    await t.context.storage.put(key, Readable.from([bytes]));
    t.true(await t.context.storage.delete(key));
    t.is(await t.context.storage.stat(key), undefined);
  });

  test('a list holds the objects of its prefix with their sizes and no others', async (t) => {
    const { bytes, sha256, key } = someBytes();
    for (const each of [key, previewKey(sha256), thumbnailKey(sha256, '400x400.webp')])
      await t.context.storage.put(each, Readable.from([bytes]));
    t.deepEqual(await keysOf(t.context.storage, 'documents/'), [key]);
    t.deepEqual(await keysOf(t.context.storage, 'previews/'), [previewKey(sha256)]);
    t.deepEqual(await keysOf(t.context.storage, 'thumbnails/'), [thumbnailKey(sha256, '400x400.webp')]);
    for await (const object of t.context.storage.list('documents/')) t.is(object.sizeBytes, bytes.length);
  });

  test('a key that could lead out of the storage is refused', async (t) => {
    for (const key of ['../outside', 'documents/../../outside', '/etc/passwd', 'documents//x', 'documents/.hidden', 'a\0b', ''])
      await t.throwsAsync(async () => t.context.storage.put(key, Readable.from(['x'])), undefined, key);
  });

  test('a storage that works is healthy', async (t) => {
    t.is((await t.context.storage.check()).status, 'healthy');
  });
};
