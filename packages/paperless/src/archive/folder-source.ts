import { constants } from 'node:fs';
import { type FileHandle, open, opendir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { isSafeName } from './entry-name.ts';
import type { EntrySource, OpenedEntry } from './entry-source.ts';

/** No link in the last part of the path, and no waiting for the other end of a fifo. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
/** What the file system says of a name that leads to no file that may be read as part of the export. */
const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ENXIO', 'EISDIR', 'ENODEV']);
/** An export has one level of folders; share links add another. */
const MAX_DEPTH = 16;
const READ_BYTES = 256 * 1024;

/** `undefined` instead of an error that only says that there is no such file. */
const unlessAbsent = async <T>(asking: Promise<T>): Promise<T | undefined> => {
  try {
    return await asking;
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
};

/** An export in a folder of this machine. Links are followed within the folder only; devices and fifos are not opened. */
export const openFolderSource = async (path: string): Promise<EntrySource> => {
  const root = await realpath(path);
  return {
    open: (name) => openBelow(root, name),
    names: () => namesBelow(root, '', 0),
    [Symbol.asyncDispose]: async () => {},
  };
};

const isBelow = (root: string, path: string): boolean => path.startsWith(root.endsWith(sep) ? root : root + sep);

const openBelow = async (root: string, name: string): Promise<OpenedEntry | undefined> => {
  if (!isSafeName(name)) return undefined;
  const realPath = await unlessAbsent(realpath(join(root, name)));
  if (realPath === undefined || !isBelow(root, realPath)) return undefined;
  const handle = await unlessAbsent(open(realPath, FLAGS));
  if (handle === undefined) return undefined;
  try {
    const opened = await openedEntry(handle, root);
    if (opened === undefined) await handle.close();
    return opened;
  } catch (error) {
    await handle.close();
    throw error;
  }
};

/** Everything is checked again on the open file, where no one can swap it. */
const openedEntry = async (handle: FileHandle, root: string): Promise<OpenedEntry | undefined> => {
  const stats = await handle.stat();
  if (!stats.isFile()) return undefined;
  if (process.platform === 'linux' && !isBelow(root, await realpath(`/proc/self/fd/${handle.fd}`))) return undefined;
  // as many bytes as it has now, also while somebody appends to it; the stream closes the file, read or not
  const stream = handle.createReadStream({ end: Math.max(0, stats.size - 1), highWaterMark: READ_BYTES });
  return { sizeBytes: stats.size, stream };
};

async function* namesBelow(root: string, below: string, depth: number): AsyncGenerator<string> {
  for await (const entry of await opendir(join(root, below))) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory() && depth < MAX_DEPTH) yield* namesBelow(root, name, depth + 1);
    else if (!entry.isDirectory()) yield name;
  }
}
