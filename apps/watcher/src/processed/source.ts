import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { HeldFolder, isUnchanged, systemCode, type WatchedFile } from '@sheaf/storage/folders';
import { explaining } from './move-failure.ts';
import { splitPath } from './path-names.ts';

/** The file that is to be moved, held open together with its folder. */
export interface Source extends AsyncDisposable {
  readonly folder: HeldFolder;
  readonly name: Buffer;
  readonly path: Buffer;
  readonly handle: FileHandle;
  /** As it was when it was opened. */
  readonly stats: BigIntStats;
}

const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/** The name is gone, or it belongs to something else than the file that was seen. */
const REPLACED = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EISDIR']);

/** Opens the file that was seen; undefined when it is not there any more, or only through a link out of the root. Throws MoveFailure. */
export const openSource = (file: WatchedFile, realRoot: string): Promise<Source | undefined> =>
  explaining('watch', async () => {
    const { folderPath, name } = splitPath(file.fsPath);
    const folder = await unlessReplaced(HeldFolder.open(folderPath));
    const source = folder && (await openIn(folder, name, file, realRoot));
    if (source === undefined) await folder?.[Symbol.asyncDispose]();
    return source;
  });

const openIn = async (folder: HeldFolder, name: Buffer, file: WatchedFile, realRoot: string): Promise<Source | undefined> => {
  if (!(await folder.isWithin(realRoot))) return undefined;
  await folder.checkWritable();
  const path = folder.pathOf(name);
  const handle = await unlessReplaced(open(path, FLAGS));
  if (handle === undefined) return undefined;
  const stats = (await isUnchanged(handle, file)) ? await handle.stat({ bigint: true }) : undefined;
  if (stats === undefined) {
    await handle.close();
    return undefined;
  }
  const close = async (): Promise<void> => {
    await handle.close();
    await folder[Symbol.asyncDispose]();
  };
  return { folder, name, path, handle, stats, [Symbol.asyncDispose]: close };
};

const unlessReplaced = async <T>(opening: Promise<T>): Promise<T | undefined> => {
  try {
    return await opening;
  } catch (error) {
    if (REPLACED.has(systemCode(error) ?? '')) return undefined;
    throw error;
  }
};
