import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { errorCode } from '@sheaf/contract';
import type { BackupReader, ListedFile, ListedPreview } from './backup-reader.ts';
import { readEntryFile, readPackedFile, readSmallFile } from './entry-file.ts';
import { configurationName, FILES_LIST, fileName, PREVIEWS_LIST, previewName, tableName } from './entry-layout.ts';
import { backupDamaged, notABackup } from './errors.ts';
import { linesOf } from './lines.ts';
import type { BackupManifest, BackupTable, ConfigurationFileName } from './manifest.ts';
import { readManifest } from './read-manifest.ts';
import { unpackArchive } from './unpack-archive.ts';
import { verifyChecksums } from './verify-checksums.ts';

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
