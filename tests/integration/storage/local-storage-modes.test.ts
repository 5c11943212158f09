import { readFileSync, writeFileSync } from 'node:fs';
import { chmod, mkdtempDisposable, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { documentKey, LocalStorage, previewKey, thumbnailKey } from '@sheaf/storage';
import test from 'ava';

const HASHES = ['aa', 'bb', 'cc', 'dd'].map((byte) => byte.repeat(32)) as [string, string, string, string];

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

/** The modes of everything in `folder`, and of itself. */
const modesIn = async (folder: string): Promise<{ readonly files: Set<string>; readonly folders: Set<string> }> => {
  const modes = { files: new Set<string>(), folders: new Set([await modeOf(folder)]) };
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    modes[entry.isDirectory() ? 'folders' : 'files'].add(await modeOf(join(entry.parentPath, entry.name)));
  return modes;
};

/** Stores something in each of the ways in which bytes come, some of it from a file that all may read, and tells with which modes it lies there. */
const storeWith = async (umask: number) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-modes-'));
  const before = process.umask(umask);
  try {
    const path = join(folder.path, 'parent/uploads');
    const storage = new LocalStorage({ path, thumbnailPath: join(folder.path, 'parent/thumbnails') });
    const source = join(folder.path, 'source.pdf');
    const open = async (): Promise<string> => {
      writeFileSync(source, 'text');
      await chmod(source, 0o666 & ~umask);
      return source;
    };
    await storage.put(documentKey(HASHES[0]), Buffer.from('text'));
    await storage.put(documentKey(HASHES[1]), Readable.from(['text']));
    await storage.replace(documentKey(HASHES[1]), Readable.from(['text']));
    await storage.replace(documentKey(HASHES[2]), await open());
    await storage.put(previewKey(HASHES[3]), await open());
    await storage.put(thumbnailKey(HASHES[3], 'small.webp'), readFileSync(source));
    return await modesIn(join(folder.path, 'parent'));
  } finally {
    process.umask(before);
  }
};

test.serial('what is stored is closed to all but its owner and its group, however open the umask is', async (t) => {
  t.deepEqual(await storeWith(0), { files: new Set(['640']), folders: new Set(['750']) });
});

test.serial('a stricter umask holds', async (t) => {
  t.deepEqual(await storeWith(0o077), { files: new Set(['600']), folders: new Set(['700']) });
});
