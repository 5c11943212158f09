import { isUtf8 } from 'node:buffer';
import type { Dirent } from 'node:fs';
import { lstat, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { openDirectory } from './base-folder.ts';

/** A file that is about to go. */
export interface GoingFile {
  /** Below the folder; undefined where a name is no UTF-8, which the ledger writes in its own way. */
  readonly path: string | undefined;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

export interface TreeRemoval {
  /** Told of files before they go, some at a time. */
  readonly onFiles: (files: readonly GoingFile[]) => Promise<void>;
}

/** A folder inside the one that is removed, with what it was called below it at first. */
interface Inner {
  readonly name: Buffer | string;
  readonly path: string | undefined;
}

const AT_ONCE = 256;
/** Somebody may still be writing; what he writes goes as well, but not for ever. */
const MAX_PASSES = 5;

/**
 * Removes a folder with all that is in it. No link is followed, also none that takes the place of a folder while this runs: each
 * folder is opened as what it is and emptied through that. Folders are brought to the top before they are emptied, so that no depth
 * of them needs more than two of them open. Throws what the file system says; then the rest is still there.
 */
export const removeTree = async (path: string, removal: TreeRemoval): Promise<void> => {
  await using top = await openDirectory(path);
  const topPath = `/proc/self/fd/${top.fd}`;
  const moved = { count: 0 };
  for (let pass = 1; ; pass += 1) {
    const waiting = await emptyFolder(topPath, '', removal, async (name, below) => ({ name, path: below }));
    for (let inner = waiting.pop(); inner !== undefined; inner = waiting.pop())
      waiting.push(...(await removeInner(topPath, inner, removal, moved)));
    if (await tryRmdir(path, pass)) return;
  }
};

/** Empties and removes a folder that lies at the top; answers the folders that were in it, which lie there now. */
const removeInner = async (topPath: string, { name, path }: Inner, removal: TreeRemoval, moved: { count: number }): Promise<Inner[]> => {
  const place = at(topPath, name);
  const found: Inner[] = [];
  for (let pass = 1; ; pass += 1) {
    await using folder = await openDirectory(place);
    const folderPath = `/proc/self/fd/${folder.fd}`;
    found.push(
      ...(await emptyFolder(folderPath, path, removal, async (child, below) => {
        moved.count += 1;
        const free = `.${process.pid}-${Date.now()}-${moved.count}`;
        await rename(at(folderPath, child), at(topPath, free));
        return { name: free, path: below };
      })),
    );
    if (await tryRmdir(place, pass)) return found;
  }
};

/** Unlinks what is no folder; answers the folders after `take` has seen to each. */
const emptyFolder = async (
  folderPath: string,
  path: string | undefined,
  { onFiles }: TreeRemoval,
  take: (name: Buffer, below: string | undefined) => Promise<Inner>,
): Promise<Inner[]> => {
  // The types of Node do not know that names come as bytes here.
  const entries = (await readdir(folderPath, { withFileTypes: true, encoding: 'buffer' })) as unknown as Dirent<Buffer>[];
  const folders: Inner[] = [];
  for (const entry of entries) if (entry.isDirectory()) folders.push(await take(entry.name, below(path, entry.name)));
  const files = entries.filter((entry) => !entry.isDirectory());
  for (let start = 0; start < files.length; start += AT_ONCE) {
    const some = files.slice(start, start + AT_ONCE);
    const going = await Promise.all(some.map(({ name }) => unlessGone(() => factsOf(folderPath, path, name))));
    await onFiles(going.filter((file) => file !== undefined));
    await Promise.all(some.map(({ name }) => unlessGone(() => unlink(at(folderPath, name)))));
  }
  return folders;
};

/** Undefined for a file that somebody else has taken away meanwhile. */
const unlessGone = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

const factsOf = async (folderPath: string, path: string | undefined, name: Buffer): Promise<GoingFile> => {
  const { size, mtimeMs } = await lstat(at(folderPath, name));
  return { path: below(path, name), sizeBytes: size, modifiedMs: Math.floor(mtimeMs) };
};

const at = (folderPath: string, name: Buffer | string): Buffer | string =>
  typeof name === 'string' ? join(folderPath, name) : Buffer.concat([Buffer.from(`${folderPath}/`), name]);

const below = (path: string | undefined, name: Buffer): string | undefined => {
  if (path === undefined || !isUtf8(name)) return undefined;
  return path === '' ? name.toString('utf8') : `${path}/${name.toString('utf8')}`;
};

const tryRmdir = async (path: Buffer | string, pass: number): Promise<boolean> => {
  try {
    await rmdir(path);
    return true;
  } catch (error) {
    if (pass < MAX_PASSES && (error as NodeJS.ErrnoException).code === 'ENOTEMPTY') return false;
    throw error;
  }
};
