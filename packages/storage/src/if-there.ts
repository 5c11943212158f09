import { AppError } from '@sheaf/contract';

/** Whether an object was asked for that does not exist. */
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
