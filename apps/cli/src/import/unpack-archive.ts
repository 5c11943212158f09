import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorCode } from '@sheaf/contract';
import { ImportSourceError } from '@sheaf/imports';
import { openByteSource, openZipIndex, UnreadableEntry } from '@sheaf/sandbox/containers';
import { z } from 'zod';

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

/** An entry that was not unpacked, and why. */
export interface LeftEntry {
  readonly name: string;
  readonly reason: string;
}

/** As many are named; a made archive may have a million of them. */
const MAX_LEFT = 10_000;
const MAX_NAME_CHARACTERS = 500;

/** What the file system says of a name that it cannot have, such as one of a file and of a folder. */
const NAME_CODES: ReadonlySet<string | undefined> = new Set(['EEXIST', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'EILSEQ', 'EINVAL']);

/** Why an entry alone cannot be unpacked; undefined where the error concerns all of them. */
const reasonOfEntry = (error: unknown): string | undefined => {
  if (error instanceof UnreadableEntry) return 'The entry is damaged, encrypted or packed in an unknown way';
  return NAME_CODES.has(errorCode(error)) ? 'The name is that of another entry, or no file can have it' : undefined;
};

/** Writes an entry below `target`; answers why it could not be. */
const unpackEntry = async (stream: Readable, path: string): Promise<string | undefined> => {
  let isOurs = false;
  try {
    await mkdir(dirname(path), { recursive: true });
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    file.once('open', () => (isOurs = true));
    await pipeline(stream, file);
    return undefined;
  } catch (error) {
    stream.destroy();
    const reason = reasonOfEntry(error);
    if (reason === undefined) throw error;
    if (isOurs) await rm(path, { force: true });
    return reason;
  }
};

const unpackInto = async (archive: string, target: string): Promise<LeftEntry[]> => {
  await using source = await openByteSource(archive);
  const opened = await openZipIndex(source, LIMITS);
  if (!opened.ok) throw new ImportSourceError('The file is no ZIP file, or it is damaged.');
  const left: LeftEntry[] = [];
  const leave = (name: string, reason: string): void => {
    if (left.length < MAX_LEFT) left.push({ name: name.slice(0, MAX_NAME_CHARACTERS), reason });
  };
  let room = Math.max(MIN_ROOM_BYTES, (await stat(archive)).size * MAX_GROWTH);
  for await (const name of opened.index.names()) {
    if (name.endsWith('/')) continue; // a folder, which is made where it has files
    const entry = isSafe(name) ? await opened.index.open(name) : undefined;
    if (entry === undefined) {
      leave(name, 'The name leads elsewhere, is no name of a file, or is that of several entries');
      continue;
    }
    room -= entry.sizeBytes;
    if (room < 0) {
      entry.stream.destroy();
      throw new ImportSourceError('The ZIP file becomes too large when it is unpacked. Unpack it on the server and import the folder.');
    }
    const reason = await unpackEntry(entry.stream, join(target, name));
    if (reason !== undefined) leave(name, reason);
  }
  return left;
};

const leftOf = (target: string): string => `${target}.left.json`;
const leftEntries = z.array(z.strictObject({ name: z.string(), reason: z.string() }));

/**
 * Unpacks a ZIP file into the folder `target`, which it makes; what was unpacked before is left. Answers the entries that could not be
 * unpacked: their names lead elsewhere, are those of a file and a folder, or they are damaged. Throws an ImportSourceError where the archive
 * is damaged, or grows beyond reason.
 */
export const unpackArchive = async (archive: string, target: string): Promise<readonly LeftEntry[]> => {
  if ((await stat(target).catch(() => undefined)) !== undefined)
    return leftEntries.parse(JSON.parse(await readFile(leftOf(target), 'utf8')));
  const partial = `${target}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  const left = await unpackInto(archive, partial);
  await writeFile(leftOf(target), JSON.stringify(left), { mode: 0o600 });
  await rename(partial, target);
  return left;
};

/** The only folder in a folder that has nothing else in it, as programs pack them; else the folder itself. */
export const soleFolderIn = async (path: string): Promise<string> => {
  const entries = await readdir(path, { withFileTypes: true });
  const [only] = entries;
  return entries.length === 1 && only?.isDirectory() === true ? join(path, only.name) : path;
};
