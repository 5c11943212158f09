import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AppError, errorCode } from '@sheaf/contract';
import { makeFolder } from '@sheaf/process/machine';

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

/** Something could not be done with a directory. The message is for people and has nothing of the machine's. */
export const directoryFailed = (message: string, cause?: unknown): AppError =>
  new AppError('INTERNAL_ERROR', message, { code: 'WATCH_DIRECTORY_FAILED', cause });

export const isDirectoryFailed = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === 'WATCH_DIRECTORY_FAILED';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
  ENOTDIR: 'a file that is not a folder is in the way',
  EEXIST: 'a file that is not a folder is in the way',
  ELOOP: 'a link is in the way',
  ENOTEMPTY: 'the folder is not empty',
  EBUSY: 'it is in use or a mount point',
  EXDEV: 'a part of it is on another file system',
};

/** What stood against it, in words for people. */
export const reasonOf = (error: unknown): string => {
  if (isDirectoryFailed(error)) return error.cause === undefined ? error.message : reasonOf(error.cause);
  return REASONS[errorCode(error) ?? ''] ?? 'file system error';
};

const isOfDisk = (error: unknown): boolean => error instanceof Error && 'syscall' in error && 'errno' in error;

/** Runs what touches the disk; errors of that leave as WATCH_DIRECTORY_FAILED with `what` could not be done, others as they are. */
export const onDisk = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!isOfDisk(error)) throw error;
    throw directoryFailed(`${what}: ${reasonOf(error)}. Check USER_WATCH_BASE_DIR and the log.`, error);
  }
};
