import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError, errorCode } from '@sheaf/contract';
import { makeFolder } from '@sheaf/process/machine';
import { type Extract, extract, type Header } from 'tar-stream';
import { isEntryFile, unpackedName } from './entry-layout.ts';
import { notABackup } from './errors.ts';
import { feedStream } from './feed-stream.ts';

export interface UnpackedArchive {
  readonly path: string;
  readonly remove: () => Promise<void>;
}

/** Unpacks the archive at `path` into a folder beside it, which is the caller's to remove. Throws NOT_A_BACKUP. */
export const unpackArchive = async (path: string): Promise<UnpackedArchive> => {
  await requireSpace(path);
  const folder = await mkdtemp(join(dirname(path), unpackedName(process.pid)));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await unpack(path, folder);
  } catch (error) {
    await remove();
    throw error;
  }
  return { path: folder, remove };
};

/** An archive is not compressed, so what is in it is as large as itself. */
const requireSpace = async (path: string): Promise<void> => {
  const [{ size }, { bavail, bsize }] = [await stat(path), await statfs(dirname(path))];
  if (bavail * bsize > size) return;
  const missingMb = Math.ceil((size - bavail * bsize) / 1e6);
  throw notABackup(path, `unpacking it in its folder requires ${missingMb} MB more disk space; free up space, or move it`);
};

const unpack = async (path: string, folder: string): Promise<void> => {
  const seen = new Set<string>();
  const reading = extract();
  let writing = Promise.resolve();
  // Not by its iterator, which waits for ever for the rest of an archive that was cut off.
  reading.on('entry', (header, stream, next) => {
    stream.on('error', () => {}); // whoever reads it hears of it
    writing = unpackOne(path, folder, { header, stream }, seen);
    void goOn(writing, reading, next);
  });
  try {
    await feedStream(createReadStream(path, { highWaterMark: 1024 * 1024 }), reading);
  } catch (error) {
    await writing.catch(() => {}); // before the folder is removed; `error` is the same, or the reason for it
    if (error instanceof AppError || errorCode(error) !== undefined) throw error; // the archive's own errors have no code
    throw notABackup(path, 'it is not a complete tar archive', error);
  }
};

/** Asks for the next file when one is written; ends the reading where it could not be. */
const goOn = async (writing: Promise<void>, reading: Extract, next: () => void): Promise<void> => {
  try {
    await writing;
    if (!reading.destroyed) next();
  } catch (error) {
    reading.destroy(error instanceof Error ? error : new Error(String(error)));
  }
};

/** The names of strangers, and links of any kind, could lead out of the folder. */
const unpackOne = async (
  path: string,
  folder: string,
  { header, stream }: { readonly header: Header; readonly stream: AsyncIterable<unknown> },
  seen: Set<string>,
): Promise<void> => {
  const { name, type } = header;
  if (type !== 'file' || !isEntryFile(name)) throw notABackup(path, `it contains the unexpected file ${JSON.stringify(name)}`);
  if (seen.has(name)) throw notABackup(path, `it contains ${name} twice`);
  seen.add(name);
  const target = join(folder, name);
  await makeFolder(dirname(target), { mode: 0o700 });
  await pipeline(Readable.from(stream, { objectMode: false }), createWriteStream(target, { flags: 'wx', mode: 0o600 }));
};
