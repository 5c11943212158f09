import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { type FsPath, HeldFolder, isUnchanged, systemCode, type WatchedFile } from '@sheaf/storage/folders';

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

const SLASH = 0x2f;

/** The names in a path below some folder. Throws when one of them would lead elsewhere. */
export const namesOf = (path: FsPath): Buffer[] => {
  const names: Buffer[] = [];
  let rest = Buffer.from(path as string);
  for (let slash = rest.indexOf(SLASH); slash >= 0; slash = rest.indexOf(SLASH)) {
    names.push(rest.subarray(0, slash));
    rest = rest.subarray(slash + 1);
  }
  names.push(rest);
  for (const name of names)
    if (['', '.', '..'].includes(name.toString('latin1'))) throw new Error(`not a path inside a folder: ${path.toString()}`);
  return names;
};

/** An absolute path as its folder and the name in it. */
export const splitPath = (path: FsPath): { folderPath: Buffer; name: Buffer } => {
  const bytes = Buffer.from(path as string);
  const slash = bytes.lastIndexOf(SLASH);
  return { folderPath: bytes.subarray(0, Math.max(slash, 1)), name: bytes.subarray(slash + 1) };
};

/** Where a step of a move works. */
type Side = 'processed' | 'watch';

/** A move that cannot be made now, in words that are the same each time the trouble is the same. */
export class MoveFailure extends Error {
  override readonly name = 'MoveFailure';
}

const NOT_ALLOWED: Readonly<Record<Side, string>> = {
  processed: 'no write permission in the folder of processed files; grant it, or set MOVE_AFTER_PROCESSING=false',
  watch: 'no write permission in the watch folder; grant it, or set MOVE_AFTER_PROCESSING=false',
};
const FOLDER: Readonly<Record<Side, string>> = { processed: 'the folder of processed files', watch: 'the watch folder' };

const reasonOf = (code: string, side: Side): string => {
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return NOT_ALLOWED[side];
    case 'ENOSPC':
    case 'EDQUOT':
      return `no space left in ${FOLDER[side]}; free up disk space`;
    case 'ENAMETOOLONG':
    case 'EILSEQ':
    case 'EINVAL':
      return `the file system of ${FOLDER[side]} does not support its name; rename the file`;
    case 'ENOENT':
    case 'ENOTDIR':
      return `a folder in ${FOLDER[side]} was removed`;
    default:
      return `file system error ${code} in ${FOLDER[side]}`;
  }
};

/** Runs a step, and says in words what the file system has against it. Throws MoveFailure. */
export const explaining = async <T>(side: Side, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const code = systemCode(error);
    throw code === undefined ? error : new MoveFailure(reasonOf(code, side), { cause: error });
  }
};
