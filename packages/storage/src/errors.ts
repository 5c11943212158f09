import { AppError, codedError, errorChain, errorCode, reasonedError } from '@sheaf/contract';

/** What a system error of the storage means. */
const REASONS = {
  ENOSPC: 'storage_full',
  EDQUOT: 'storage_quota_reached',
  EROFS: 'storage_read_only',
  EACCES: 'storage_not_writable',
  EPERM: 'storage_not_writable',
  EIO: 'storage_io_error',
  ENOTDIR: 'storage_not_a_folder',
  EMFILE: 'storage_process_file_limit',
  ENFILE: 'storage_system_file_limit',
  ESTALE: 'storage_disconnected',
  ETIMEDOUT: 'storage_not_responding',
} as const;

const hasReason = (code: string): code is keyof typeof REASONS => Object.hasOwn(REASONS, code);

/**
 * `error` with its reason where a remedy is known, else `error` as it is. The reason may be behind it: where a file could not be written,
 * removing it may fail too. `place` is the folder that the operator configured.
 */
export const toStorageError = (error: unknown, place: string): unknown => {
  for (const met of errorChain(error)) {
    if (met instanceof AppError && (met === error || met.kind === 'SERVICE_UNAVAILABLE')) return met;
    const code = errorCode(met) ?? '';
    if (hasReason(code)) return reasonedError('SERVICE_UNAVAILABLE', REASONS[code], { storage: place }, error);
  }
  return error;
};

/** Nothing can be written, whatever it is. */
const NO_ROOM: ReadonlySet<string> = new Set(
  (['ENOSPC', 'EDQUOT', 'EROFS'] as const satisfies (keyof typeof REASONS)[]).flatMap((code) => [code, REASONS[code]]),
);

/** Whether the system refused to write: the disk is full or read-only, or its quota is reached. */
export const isNoRoom = (error: unknown): boolean =>
  errorChain(error).some((met) => NO_ROOM.has(met instanceof AppError ? String(met.details.reason) : (errorCode(met) ?? '')));

/** As `toStorageError`, where nothing could be written; other errors as they are. For what is written beside the storage. */
export const toRoomError = (error: unknown, place: string): unknown => (isNoRoom(error) ? toStorageError(error, place) : error);

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
  reasonedError('SERVICE_UNAVAILABLE', 'storage_missing', { storage: place }, cause);

/** As below /proc. */
export const notMakeable = (place: string, cause: unknown): AppError =>
  reasonedError('SERVICE_UNAVAILABLE', 'storage_folder_not_creatable', { storage: place }, cause);

export const fileMissing = (key: string, cause?: unknown): AppError => codedError('NOT_FOUND', 'FILE_MISSING', { key }, cause);

/** The bytes that are stored are not those that were put. */
export const fileDamaged = (key: string, cause?: unknown): AppError => codedError('NOT_FOUND', 'FILE_DAMAGED', { key }, cause);

const isFileMissing = (error: unknown): boolean => error instanceof AppError && error.code === 'FILE_MISSING';

/**
 * What `reading` gives, or undefined where the object does not exist: one request, where looking first would be two. Rejects as
 * `reading` does otherwise.
 */
export const ifThere = async <T>(reading: Promise<T>): Promise<T | undefined> => {
  try {
    return await reading;
  } catch (error) {
    if (isFileMissing(error)) return undefined;
    throw error;
  }
};
