import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError, errorCode } from '@sheaf/contract';
import { makeFolder } from '@sheaf/process/machine';
import { type Extract, extract, type Header } from 'tar-stream';
import { feedStream } from './archive-writer.ts';
import {
  configurationName,
  FILES_LIST,
  fileName,
  isEntryFile,
  PREVIEWS_LIST,
  previewName,
  readEntryFile,
  readManifest,
  readPackedFile,
  readSmallFile,
  tableName,
  unpackedName,
} from './backup-list.ts';
import { type BackupManifest, type BackupTable, backupDamaged, type ConfigurationFileName, notABackup } from './manifest.ts';
import { linesOf } from './measure.ts';
import { type BackupReader, type ListedFile, type ListedPreview, verifyChecksums } from './verify-checksums.ts';

const MAX_CONFIGURATION_BYTES = 4 * 1024 ** 2;

/**
 * Opens the backup at `path`, a directory or an archive. An archive is unpacked beside itself first, which needs as much space again;
 * that copy is removed when the reader is disposed of. Throws NOT_A_BACKUP, or BACKUP_DAMAGED where the manifest is not what it was.
 */
export const openBackup = async (path: string): Promise<BackupReader> => {
  const absolute = resolve(path);
  if (await isDirectory(absolute)) return makeReader(path, absolute, await readManifest(path, absolute), async () => {});
  const unpacked = await unpackArchive(absolute);
  try {
    return makeReader(path, unpacked.path, await readManifest(path, unpacked.path), unpacked.remove);
  } catch (error) {
    await unpacked.remove();
    throw error;
  }
};

const isDirectory = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') throw notABackup(path, 'it does not exist', error);
    throw error;
  }
};

const makeReader = (path: string, folder: string, manifest: BackupManifest, dispose: () => Promise<void>): BackupReader => {
  const reader: BackupReader = {
    path,
    folder,
    manifest,
    table: (name) => readPackedFile(folder, tableName(name), getTable(manifest, name)),
    file: (sha256) => readEntryFile(folder, fileName(sha256), { sha256 }),
    preview: ({ documentSha256, sizeBytes, sha256 }) => readEntryFile(folder, previewName(documentSha256), { bytes: sizeBytes, sha256 }),
    listFiles: () => listFiles(folder, manifest),
    listPreviews: () => listPreviews(folder, manifest),
    configuration: (name) => readConfiguration(folder, manifest, name),
    verifyChecksums: (options) => verifyChecksums(reader, options),
    [Symbol.asyncDispose]: dispose,
  };
  return reader;
};

const readConfiguration = async (folder: string, manifest: BackupManifest, name: ConfigurationFileName): Promise<Buffer | undefined> => {
  const listed = manifest.configuration.files.find((file) => file.name === name);
  if (listed === undefined) return undefined;
  const bytes = await readSmallFile(folder, configurationName(name), MAX_CONFIGURATION_BYTES);
  if (createHash('sha256').update(bytes).digest('hex') === listed.sha256) return bytes;
  throw backupDamaged(`${configurationName(name)} has a different hash`);
};

const getTable = ({ database }: BackupManifest, name: string): BackupTable => {
  const table = database.tables.find((entry) => entry.name === name);
  if (table === undefined) throw new Error(`the backup has no table ${name}`);
  return table;
};

/** The fields of each line of a list. Throws BACKUP_DAMAGED where one has another form, or the list another hash. */
const listLines = async function* (folder: string, name: string, listHash: string, form: RegExp): AsyncGenerator<readonly string[]> {
  for await (const line of linesOf(readEntryFile(folder, name, { sha256: listHash }))) {
    const match = form.exec(line);
    if (match === null) throw backupDamaged(`${name} has an invalid line`);
    yield match.slice(1);
  }
};

const listFiles = async function* (folder: string, { files }: BackupManifest): AsyncGenerator<ListedFile> {
  const lines = listLines(folder, FILES_LIST, files.list_sha256, /^([0-9a-f]{64}) (\d{1,15})$/);
  for await (const [sha256 = '', size] of lines) yield { sha256, sizeBytes: Number(size) };
};

const listPreviews = async function* (folder: string, { previews }: BackupManifest): AsyncGenerator<ListedPreview> {
  const lines = listLines(folder, PREVIEWS_LIST, previews.list_sha256, /^([0-9a-f]{64}) (\d{1,15}) ([0-9a-f]{64})$/);
  for await (const [documentSha256 = '', size, sha256 = ''] of lines) yield { documentSha256, sizeBytes: Number(size), sha256 };
};

interface UnpackedArchive {
  readonly path: string;
  readonly remove: () => Promise<void>;
}

/** Unpacks the archive at `path` into a folder beside it, which is the caller's to remove. Throws NOT_A_BACKUP. */
const unpackArchive = async (path: string): Promise<UnpackedArchive> => {
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
