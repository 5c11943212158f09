import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { withStorageErrors } from '../errors.ts';
import type { StorageSource } from '../storage.ts';
import type { TempArea } from '../temp-area.ts';

/** What is to be sent, of a known size, and as often as it takes. What was made for it is removed at the end of its scope. */
export interface SpooledSource extends AsyncDisposable {
  /** The path of a file, or bytes. */
  readonly content: string | Uint8Array;
  readonly sizeBytes: number;
}

/**
 * `source` as it is, or written to a file in `area` where it is a stream, which can be read only once. Rejects as the stream does;
 * SERVICE_UNAVAILABLE where the area is full or away.
 */
export const spool = async (source: StorageSource, area: TempArea): Promise<SpooledSource> => {
  if (source instanceof Readable) return await writeToFile(source, area);
  const sizeBytes = typeof source === 'string' ? (await stat(source)).size : source.length;
  return { content: source, sizeBytes, [Symbol.asyncDispose]: async () => {} };
};

const writeToFile = async (source: Readable, area: TempArea): Promise<SpooledSource> => {
  const file = await area.makeFile();
  try {
    return await withStorageErrors(area.path, async () => {
      await pipeline(source, createWriteStream(file.path, { flags: 'wx', mode: 0o600 }));
      const { size } = await stat(file.path);
      return { content: file.path, sizeBytes: size, [Symbol.asyncDispose]: () => file[Symbol.asyncDispose]() };
    });
  } catch (error) {
    source.destroy(); // nobody reads it any more, also where the file could not be made
    await file[Symbol.asyncDispose]();
    throw error;
  }
};
