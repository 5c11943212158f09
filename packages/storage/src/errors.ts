import { type AppError, codedError, errorCode, serviceUnavailable } from '@sheaf/contract';

/** What a system error of the storage means, in words that end with the way out. */
const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'is full. Free up disk space.',
  EDQUOT: 'has reached its disk quota. Free up space or increase the quota.',
  EROFS: 'is on a read-only file system. Mount it writable.',
  EACCES: 'is not writable for this process. Grant its user write access to the folder.',
  EPERM: 'is not writable for this process. Grant its user write access to the folder.',
  EIO: 'has an input/output error. Check the disk.',
  ENOTDIR: 'is not a folder. Remove the file at this path.',
  EMFILE: 'cannot be opened: too many open files in this process. Increase the limit (ulimit -n).',
  ENFILE: 'cannot be opened: too many open files in the system.',
  ESTALE: 'is on a network file system that was disconnected. Mount it again.',
  ETIMEDOUT: 'is on a network file system that does not respond.',
};

/** `error` in words where a remedy is known, else `error` as it is. `place` is the folder that the operator configured. */
export const toStorageError = (error: unknown, place: string): unknown => {
  const remedy = REMEDIES[errorCode(error) ?? ''];
  return remedy === undefined ? error : serviceUnavailable(`The storage ${place} ${remedy}`, error);
};

/** Runs `work` and translates what it throws. */
export const withStorageErrors = async <T>(place: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw toStorageError(error, place);
  }
};

/** The folder was there, and is not: rather a disk that was unmounted than a folder that somebody wants anew. */
export const vanished = (place: string, cause?: unknown): AppError =>
  serviceUnavailable(
    `The storage ${place} is missing. Mount its disk again, or restore the folder. If the files are permanently lost, create an empty folder "documents" in it and restart Sheaf.`,
    cause,
  );

/** As below /proc. */
export const notMakeable = (place: string, cause: unknown): AppError =>
  serviceUnavailable(`The folder ${place} cannot be created in its parent folder. Configure another folder.`, cause);

export const fileMissing = (key: string, cause?: unknown): AppError => codedError('NOT_FOUND', 'FILE_MISSING', { key }, cause);

/** The bytes that are stored are not those that were put. */
export const fileDamaged = (key: string, cause?: unknown): AppError => codedError('NOT_FOUND', 'FILE_DAMAGED', { key }, cause);
