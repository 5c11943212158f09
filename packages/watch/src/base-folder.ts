import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeFolder } from '@sheaf/process/machine';
import { directoryFailed } from './errors.ts';

/** A directory by itself and no link to one, whatever takes its place in the same moment. */
const DIRECTORY_ONLY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
export const DIRECTORY_MODE = 0o755;

/** The base folder without any link in its path; made when it is absent. */
export const openBase = async (baseFolder: string): Promise<string> => {
  await makeFolder(baseFolder, { mode: DIRECTORY_MODE });
  return realpath(baseFolder);
};

/** The same without making it: its path as it is configured while it is absent. */
export const findBase = async (baseFolder: string): Promise<string> => {
  try {
    return await realpath(baseFolder);
  } catch (error) {
    if (isAbsent(error)) return resolve(baseFolder);
    throw error;
  }
};

const isAbsent = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** What is under a name. A link is never followed: it is something else, wherever it leads. */
export type PathState = 'absent' | 'directory' | 'other';

const statsOf = async (path: string): Promise<Stats | undefined> => {
  try {
    return await lstat(path);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
};

export const lookAt = async (path: string): Promise<PathState> => {
  const stats = await statsOf(path);
  if (stats === undefined) return 'absent';
  return stats.isDirectory() ? 'directory' : 'other';
};

/** Whether both names are of one directory, as two that differ in case alone are where the file system does not mind. */
export const isSamePlace = async (a: string, b: string): Promise<boolean> => {
  const [one, other] = await Promise.all([statsOf(a), statsOf(b)]);
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
};

/** Opens a directory to work in it, wherever its name leads from then on. Throws ELOOP or ENOTDIR where it is none. */
export const openDirectory = (path: string | Buffer): Promise<FileHandle> => open(path, DIRECTORY_ONLY);

/** Makes what was renamed in `path` survive a power cut. */
export const syncDirectory = async (path: string): Promise<void> => {
  await using handle = await openDirectory(path);
  await handle.sync();
};

/**
 * Makes the directory `name` in `base`, with `mode` whatever the umask says; false where there is one already, which keeps its mode.
 * Throws where something else has the name.
 */
export const makeDirectory = async (base: string, name: string, mode: number = DIRECTORY_MODE): Promise<boolean> => {
  const path = join(base, name);
  const isNew = await tryMkdir(path, mode);
  await using handle = await openDirectory(path);
  // for a base folder that was replaced meanwhile
  if ((await realpath(path)) !== path) throw directoryFailed('The watch folder would be outside USER_WATCH_BASE_DIR');
  if (!isNew) return false;
  await handle.chmod(mode);
  await syncDirectory(base);
  return true;
};

const tryMkdir = async (path: string, mode: number): Promise<boolean> => {
  try {
    await mkdir(path, { mode });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
};
