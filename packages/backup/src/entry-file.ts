import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { errorCode } from '@sheaf/contract';
import { backupDamaged } from './errors.ts';
import { type Measure, verified } from './measure.ts';

/** Disks and pipes are faster with it than with the 64 KiB of Node. */
const CHUNK_BYTES = 256 * 1024;

/** Opens a file of an entry; no link is followed out of it. Throws BACKUP_DAMAGED where there is none. */
const openEntryFile = async (folder: string, name: string): Promise<FileHandle> => {
  try {
    return await open(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') throw backupDamaged(`${name} is missing`, error);
    if (code === 'ELOOP') throw backupDamaged(`${name} is a link`, error);
    throw error;
  }
};

const toDamage =
  (name: string) =>
  (reason: string, cause?: unknown): Error =>
    backupDamaged(`${name} is invalid: ${reason}`, cause);

const plainBytes = async function* (folder: string, name: string, { bytes, sha256 }: ExpectedFile): AsyncGenerator<Uint8Array> {
  await using handle = await openEntryFile(folder, name);
  const size = bytes ?? (await handle.stat()).size;
  const source: AsyncIterable<Uint8Array> = handle.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false });
  yield* verified(source, { bytes: size, sha256 }, toDamage(name));
};

const unpackedBytes = async function* (folder: string, name: string, expected: Measure): AsyncGenerator<Uint8Array> {
  await using handle = await openEntryFile(folder, name);
  const packed = handle.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false });
  const unpacking: AsyncIterable<Uint8Array> = pipeline(packed, createGunzip({ chunkSize: CHUNK_BYTES }), () => {}); // its reader sees the error
  try {
    yield* verified(unpacking, expected, toDamage(name));
  } catch (error) {
    if (errorCode(error)?.startsWith('Z_') === true) throw toDamage(name)('it cannot be unpacked', error);
    throw error;
  }
};

const toStream = (bytes: AsyncGenerator<Uint8Array>): Readable =>
  Readable.from(bytes, { objectMode: false, highWaterMark: 2 * CHUNK_BYTES });

export interface ExpectedFile {
  /** Undefined: as many as there are, as the hash tells enough. */
  readonly bytes?: number;
  readonly sha256: string;
}

/** The bytes of a file; the stream fails with BACKUP_DAMAGED, at its end at the latest, where they are not those that were expected. */
export const readEntryFile = (folder: string, name: string, expected: ExpectedFile): Readable =>
  toStream(plainBytes(folder, name, expected));

/** The unpacked bytes of a compressed file, of which `expected` speaks; the stream fails as that of `readEntryFile`. */
export const readPackedFile = (folder: string, name: string, expected: Measure): Readable =>
  toStream(unpackedBytes(folder, name, expected));

/** The whole of a small file. Throws BACKUP_DAMAGED where it has more than `maxBytes`. */
export const readSmallFile = async (folder: string, name: string, maxBytes: number): Promise<Buffer> => {
  await using handle = await openEntryFile(folder, name);
  const { size } = await handle.stat();
  if (size > maxBytes) throw toDamage(name)(`it has ${size} bytes, more than ${maxBytes}`);
  return await handle.readFile();
};
