import { mkdir, open, rm, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Of what holds people's papers: its owner's, and readable for their group, for programs that copy it. The umask may take away more, but nothing
 * is ever open to everybody on the machine.
 */
export const FILE_MODE = 0o640;
export const FOLDER_MODE = 0o750;

/** Of folders that people exchange files through: how open these are is for the umask to say. */
export const EXCHANGE_FOLDER_MODE = 0o777;

export interface FolderMode {
  /** Of each folder that is made. */
  readonly mode: number;
}

const isFolder = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isDirectory() === true;

const hasNoParent = (error: unknown, path: string): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT' && dirname(path) !== path;

/** Returns whether it was not there. */
const makeOne = async (path: string, options: FolderMode): Promise<boolean> => {
  try {
    await mkdir(path, options);
    return true;
  } catch (error) {
    if (await isFolder(path)) return false;
    throw error;
  }
};

/**
 * Makes a folder with all its parents, and returns the first that it made; undefined where the folder was there already. In place
 * of `mkdir` with `recursive`: that tries for ever where a parent is there and the system says that it is not, as below /proc.
 */
export const makeFolder = async (path: string, options: FolderMode = { mode: FOLDER_MODE }): Promise<string | undefined> => {
  try {
    return (await makeOne(path, options)) ? path : undefined;
  } catch (error) {
    if (!hasNoParent(error, path)) throw error;
  }
  const first = await makeFolder(dirname(path), options);
  const isNew = await makeOne(path, options); // where there still is no parent, there never will be
  return first ?? (isNew ? path : undefined);
};

/** Removes a folder with all that is in it, where there is one; mostly nothing is. A program that is just being ended may still write into it. */
export const removeFolder = async (path: string): Promise<void> => {
  try {
    await rmdir(path);
  } catch {
    await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
};

/** The folder `path`, or the nearest one above it that is there: where it would be made. A file is named as it is. */
export const nearestFolder = async (path: string): Promise<string> => {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  const above = dirname(path);
  return isThere || above === path ? path : nearestFolder(above);
};

/** Makes what was written about `path` (a file's bytes, a folder's names) survive a power cut. */
export const syncPath = async (path: string): Promise<void> => {
  await using handle = await open(path, 'r');
  await handle.sync();
};
