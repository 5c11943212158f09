import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openByteSource, openZipIndex, UnreadableEntry } from '@sheaf/containers';
import { ImportSourceError } from '@sheaf/imports';

const LIMITS = { maxEntries: 1_600_000, maxDirectoryBytes: 256 * 1024 * 1024 };
/** Documents are packed to a third at best, mail to a tenth; what grows more is made to fill the disk. */
const MAX_GROWTH = 20;
const MIN_ROOM_BYTES = 100 * 1024 * 1024;
const MAX_NAME_BYTES = 4_096;

/** Whether a name stays below the folder that it is joined to, and is one of a file. */
const isSafe = (name: string): boolean =>
  Buffer.byteLength(name) <= MAX_NAME_BYTES &&
  !name.includes('\0') &&
  !name.includes('\\') &&
  name.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && Buffer.byteLength(part) <= 255);

const unpackInto = async (archive: string, target: string): Promise<void> => {
  await using source = await openByteSource(archive);
  const opened = await openZipIndex(source, LIMITS);
  if (!opened.ok) throw new ImportSourceError('The file is no ZIP file, or it is damaged.');
  let room = Math.max(MIN_ROOM_BYTES, (await stat(archive)).size * MAX_GROWTH);
  for await (const name of opened.index.names()) {
    const entry = isSafe(name) ? await opened.index.open(name) : undefined;
    if (entry === undefined) continue;
    room -= entry.sizeBytes;
    if (room < 0) {
      entry.stream.destroy();
      throw new ImportSourceError('The ZIP file becomes too large when it is unpacked. Unpack it on the server and import the folder.');
    }
    const path = join(target, name);
    await mkdir(dirname(path), { recursive: true });
    // a name that is a folder in one place and a file in another, and damaged entries, are reported as files that are not there
    await pipeline(entry.stream, createWriteStream(path, { flags: 'wx', mode: 0o600 })).catch(async (error: unknown) => {
      if (!(error instanceof UnreadableEntry)) throw error;
      throw new ImportSourceError(`The ZIP file is damaged: ${error.message}`);
    });
  }
};

/**
 * Unpacks a ZIP file into the folder `target`, which it makes; what was unpacked before is left. Names that lead elsewhere are left out.
 * Throws an ImportSourceError where the archive is damaged, or grows beyond reason.
 */
export const unpackArchive = async (archive: string, target: string): Promise<void> => {
  if ((await stat(target).catch(() => undefined)) !== undefined) return;
  const partial = `${target}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  await unpackInto(archive, partial);
  await rename(partial, target);
};

/** The only folder in a folder that has nothing else in it, as programs pack them; else the folder itself. */
export const soleFolderIn = async (path: string): Promise<string> => {
  const entries = await readdir(path, { withFileTypes: true });
  const [only] = entries;
  return entries.length === 1 && only?.isDirectory() === true ? join(path, only.name) : path;
};
