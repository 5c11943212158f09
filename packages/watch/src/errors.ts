import { AppError, errorCode } from '@sheaf/contract';

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
