import { createReadStream } from 'node:fs';
import { link, open, rm } from 'node:fs/promises';
import { errorCode } from '@sheaf/contract';
import { type Measure, RunningMeasure } from './measure.ts';

/** A file system that cannot link, or not from there. */
const CANNOT_LINK = new Set(['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** That the bytes could not be read, other than that they could not be written. */
export class ReadFailed extends Error {
  override readonly name = 'ReadFailed';
}

const CHUNK_BYTES = 256 * 1024;

/** Writes what `source` gives to the new file `path`, and says what it was. A failure leaves no file; one of `source` is a ReadFailed. */
export const writeMeasured = async (source: AsyncIterable<Uint8Array>, path: string, signal: AbortSignal): Promise<Measure> => {
  const running = new RunningMeasure();
  const handle = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of readOf(source)) {
      signal.throwIfAborted();
      running.add(chunk);
      await handle.writeFile(chunk); // goes on where the last one ended, and writes all of it
    }
  } catch (error) {
    await handle.close();
    await rm(path, { force: true });
    throw error;
  }
  await handle.close();
  return running.finish();
};

/** The chunks of `source`, whose failures are told from those of who uses them. */
const readOf = async function* (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await iterator.next().catch((error: unknown) => {
        throw new ReadFailed('the file could not be read', { cause: error });
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
};

/** What the file at `path` is. Throws ReadFailed. */
export const measureFile = async (path: string): Promise<Measure> => {
  const running = new RunningMeasure();
  for await (const chunk of readOf(createReadStream(path, { highWaterMark: CHUNK_BYTES }))) running.add(chunk);
  return running.finish();
};

/** Makes `path` the same file as `source`. False where that file system cannot. */
export const tryLink = async (source: string, path: string): Promise<boolean> => {
  try {
    await link(source, path);
    return true;
  } catch (error) {
    if (CANNOT_LINK.has(errorCode(error) ?? '')) return false;
    throw error;
  }
};
