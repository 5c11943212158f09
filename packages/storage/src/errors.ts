import { AppError, errorCode, serviceUnavailable } from '@sheaf/contract';

/** What a system error of the storage means, in words that end with the way out. */
const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'is full; free some space on that disk',
  EDQUOT: 'has reached its disk quota; free some space or raise the quota',
  EROFS: 'is on a read-only file system; mount it writable',
  EACCES: 'may not be written by this process; give its user access to that folder',
  EPERM: 'may not be written by this process; give its user access to that folder',
  EIO: 'has an input/output error; check the disk',
  ENOTDIR: 'is not a folder; remove the file that stands in its way',
  EMFILE: 'cannot be opened, because this process has too many open files; raise its limit (ulimit -n)',
  ENFILE: 'cannot be opened, because the system has too many open files',
  ESTALE: 'is on a network file system that was lost; mount it again',
  ETIMEDOUT: 'is on a network file system that does not answer',
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
    `The storage ${place} has vanished; mount its disk again, or put the folder back. If its files are lost for good, make an empty folder "documents" in it, and restart Sheaf`,
    cause,
  );

/** As below /proc. */
export const notMakeable = (place: string, cause: unknown): AppError =>
  serviceUnavailable(`The folder ${place} cannot be made, as nobody can make folders there; configure another one`, cause);

export const fileMissing = (key: string, cause?: unknown): AppError =>
  new AppError('NOT_FOUND', 'The stored file is missing; restore it from a backup, or upload the document again', {
    code: 'FILE_MISSING',
    details: { key },
    cause,
  });

/** The bytes that are stored are not those that were put. */
export const fileDamaged = (key: string, cause?: unknown): AppError =>
  new AppError('NOT_FOUND', 'The stored file is damaged; run bin/sheaf verify --repair, or restore it from a backup', {
    code: 'FILE_DAMAGED',
    details: { key },
    cause,
  });
