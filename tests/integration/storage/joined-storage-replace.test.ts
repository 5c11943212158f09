import { createHash, randomBytes } from 'node:crypto';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { documentKey, JoinedStorage, LocalStorage } from '@sheaf/storage';
import test from 'ava';

const openTwo = async () => {
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-joined-'));
  const open = (name: string): LocalStorage =>
    new LocalStorage({ path: join(folder.path, name), thumbnailPath: join(folder.path, `${name}-thumbnails`) });
  const [main, other] = [open('main'), open('other')];
  const bytes = randomBytes(1_000);
  const key = documentKey(createHash('sha256').update(bytes).digest('hex'));
  const joined = new JoinedStorage(main, [{ storage: other, isInUse: async () => true }]);
  return { main, other, joined, bytes, key, [Symbol.asyncDispose]: () => folder.remove() };
};

test('a replace goes where the object is, and to the storage that is written to where there is none', async (t) => {
  await using two = await openTwo();
  const { main, other, joined, bytes, key } = two;
  await other.put(key, bytes);
  await writeFile(other.pathOf(key), Buffer.alloc(bytes.length));
  await joined.replace(key, bytes);
  t.true(bytes.equals(await readFile(other.pathOf(key))));
  t.is(await main.stat(key), undefined);
  await other.delete(key);
  await joined.replace(key, bytes);
  t.true(bytes.equals(await readFile(main.pathOf(key))));
  t.is(await other.stat(key), undefined);
});

test('of two copies the one is replaced that is read', async (t) => {
  await using two = await openTwo();
  const { main, other, joined, bytes, key } = two;
  for (const storage of [main, other]) await storage.put(key, bytes);
  await writeFile(main.pathOf(key), Buffer.alloc(bytes.length));
  await joined.replace(key, bytes);
  t.true(bytes.equals(await readFile(main.pathOf(key))));
});
