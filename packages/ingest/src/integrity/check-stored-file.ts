import { createHash } from 'node:crypto';
import { addAbortSignal, type Readable } from 'node:stream';
import { AppError, serviceUnavailable } from '@sheaf/contract';
import { type ByteRange, documentKey, type Storage } from '@sheaf/storage';
import type { StoredFileFinding } from './queries/stored-file-checks.ts';

/** What became of a stored original: as it was put, or what is wrong with it. */
export type FileState = 'ok' | StoredFileFinding;

export interface ReadOptions {
  /** Ends the reading with an AbortError. */
  readonly signal?: AbortSignal | undefined;
  /** Called for each piece that was read; the next one waits for it. */
  readonly onBytes?: ((bytes: number) => Promise<void> | void) | undefined;
}

/** The SHA-256 of all bytes of `stream`, in hexadecimal. */
export const hashStream = async (stream: Readable, { signal, onBytes }: ReadOptions = {}): Promise<string> => {
  if (signal !== undefined) addAbortSignal(signal, stream);
  const hash = createHash('sha256');
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk);
    await onBytes?.(chunk.length);
  }
  return hash.digest('hex');
};

/**
 * Reads the original with this hash to its end. Throws SERVICE_UNAVAILABLE where the storage is what does not work: then nothing is
 * known of the file.
 */
export const checkStoredFile = async (storage: Storage, sha256: string, options: ReadOptions = {}): Promise<FileState> => {
  try {
    const { stream } = await storage.open(documentKey(sha256));
    return (await hashStream(stream, options)) === sha256 ? 'ok' : 'changed';
  } catch (error) {
    options.signal?.throwIfAborted();
    return judgeReadError(storage, error);
  }
};

/** Some bytes of an object, or why there are none. Throws as `checkStoredFile` does. */
export const peek = async (storage: Storage, key: string, range: ByteRange): Promise<Buffer | StoredFileFinding> => {
  try {
    const { stream } = await storage.open(key, range);
    const chunks: Buffer[] = [];
    for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch (error) {
    return judgeReadError(storage, error);
  }
};

/** Whether the file is what is wrong, or the storage that it is in. */
const judgeReadError = async (storage: Storage, error: unknown): Promise<StoredFileFinding> => {
  if (!isOfStorage(error)) throw error;
  if (error.code === 'FILE_MISSING') return 'missing';
  if (error.code === 'FILE_DAMAGED') return 'changed';
  // A disk that has lost some of its sectors reads the others well.
  if ((await storage.check()).status === 'healthy') return 'unreadable';
  throw error instanceof AppError ? error : serviceUnavailable(`The storage ${storage.place} cannot be read: ${error.message}`, error);
};

const isOfStorage = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && 'code' in error && typeof error.code === 'string';
