import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError } from '@sheaf/contract';
import { uuidv7 } from '@sheaf/process';
import { FILE_MODE } from '@sheaf/process/machine';
import { withStorageErrors } from '../errors.ts';
import type { Storage } from '../storage.ts';

/**
 * Copies the object into the folder `scratch`, where it appears whole or not at all, and returns the path of the copy. What came
 * cut off or with wrong bytes is fetched once more; then it rejects as the stream of `open` does: FILE_DAMAGED, SERVICE_UNAVAILABLE.
 */
export const download = async (storage: Pick<Storage, 'open'>, key: string, scratch: string): Promise<string> => {
  const target = join(scratch, basename(key));
  const first = await storage.open(key);
  try {
    await save(first.stream, target, scratch);
  } catch (error) {
    if (!isOfTheWay(error)) throw error;
    const second = await storage.open(key);
    await save(second.stream, target, scratch);
  }
  return target;
};

/** The next transfer may go well. A full disk stays full. */
const isOfTheWay = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'FILE_DAMAGED' || error.code === 'SERVICE_UNAVAILABLE');

const save = async (stream: NodeJS.ReadableStream, target: string, scratch: string): Promise<void> => {
  const growing = join(scratch, `.${uuidv7()}`);
  try {
    await withStorageErrors(scratch, async () => {
      await pipeline(stream, createWriteStream(growing, { flags: 'wx', mode: FILE_MODE }));
      await rename(growing, target);
    });
  } catch (error) {
    await rm(growing, { force: true });
    throw error;
  }
};
