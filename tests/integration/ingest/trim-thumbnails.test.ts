import { createHash } from 'node:crypto';
import { mkdtempDisposable, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { trimThumbnails } from '@sheaf/ingest';
import { LocalStorage, THUMBNAILS_PREFIX, thumbnailKey } from '@sheaf/storage';
import test from 'ava';

const HOUR_MS = 3_600_000;
const keyOf = (text: string, variant: string): string => thumbnailKey(createHash('sha256').update(text).digest('hex'), variant);

const openBench = async () => {
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-trim-'));
  const storage = new LocalStorage({ path: join(folder.path, 'store'), thumbnailPath: join(folder.path, 'thumbnails') });
  const put = async (key: string, bytes: number, ageHours: number): Promise<void> => {
    const { path } = await storage.put(key, Readable.from([Buffer.alloc(bytes)]));
    const then = new Date(Date.now() - ageHours * HOUR_MS);
    await utimes(path, then, then);
  };
  const keys = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const { key } of storage.list(THUMBNAILS_PREFIX)) found.push(key);
    return found.toSorted();
  };
  return { storage, put, keys, [Symbol.asyncDispose]: () => folder.remove() };
};

test('thumbnails in sizes that are stored no more are removed, names that are not ours stay', async (t) => {
  await using bench = await openBench();
  const kept = [keyOf('a', '200x200.webp'), keyOf('a', '2000x2000.png'), keyOf('a', 'note')].toSorted();
  for (const key of [...kept, keyOf('a', '201x200.webp'), keyOf('b', '200x201.webp'), keyOf('b', '1x1.jpeg')]) await bench.put(key, 10, 1);
  t.is(await trimThumbnails({ storage: bench.storage, maxBytes: 1_000 }), 3);
  t.deepEqual(await bench.keys(), kept);
});

test('of more bytes than are allowed the oldest are removed', async (t) => {
  await using bench = await openBench();
  for (const [i, name] of ['newest', 'newer', 'older', 'oldest'].entries()) await bench.put(keyOf(name, '400x400.webp'), 100, i * 3);
  t.is(await trimThumbnails({ storage: bench.storage, maxBytes: 400 }), 0);
  t.is(await trimThumbnails({ storage: bench.storage, maxBytes: 250 }), 2);
  t.deepEqual(await bench.keys(), [keyOf('newest', '400x400.webp'), keyOf('newer', '400x400.webp')].toSorted());
  t.is(await trimThumbnails({ storage: bench.storage, maxBytes: 0 }), 2);
  t.deepEqual(await bench.keys(), []);
});
