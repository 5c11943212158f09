import { type AppError, codedError, errorCode, reasonedError } from '@sheaf/contract';

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

/** `error` with its reason where a remedy is known, else `error` as it is. `place` is the folder that the operator configured. */
export const toStorageError = (error: unknown, place: string): unknown => {
  const code = errorCode(error) ?? '';
  return hasReason(code) ? reasonedError('SERVICE_UNAVAILABLE', REASONS[code], { storage: place }, error) : error;
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
  reasonedError('SERVICE_UNAVAILABLE', 'storage_missing', { storage: place }, cause);

/** As below /proc. */
export const notMakeable = (place: string, cause: unknown): AppError =>
  reasonedError('SERVICE_UNAVAILABLE', 'storage_folder_not_creatable', { storage: place }, cause);

export const fileMissing = (key: string, cause?: unknown): AppError => codedError('NOT_FOUND', 'FILE_MISSING', { key }, cause);

/** The bytes that are stored are not those that were put. */
export const fileDamaged = (key: string, cause?: unknown): AppError => codedError('NOT_FOUND', 'FILE_DAMAGED', { key }, cause);
