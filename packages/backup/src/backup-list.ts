import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { AppError, errorCode } from '@sheaf/contract';
import { BACKUP_NAME, type BackupState } from '@sheaf/vocabulary/backups';
import { INCOMPLETE_PREFIX } from './archive-writer.ts';
import { type BackupManifest, backupDamaged, backupManifest, notABackup } from './manifest.ts';
import { type Measure, verified } from './measure.ts';

/** The name of a backup that lies in a folder, whole or begun. */
export interface NamedBackup {
  readonly name: string;
  /** When it was begun. */
  readonly createdAt: Date;
  readonly isComplete: boolean;
}

export interface ListedBackup extends Pick<NamedBackup, 'name' | 'createdAt'> {
  readonly state: BackupState;
  /** Undefined where that is not known: of a begun one, and of a damaged one. */
  readonly sizeBytes: number | undefined;
  /** Undefined of an archive too: what is in it is known only to who reads it to its end. */
  readonly documents: number | undefined;
  /** Files that were missing or damaged when it was made. */
  readonly missingFiles: number;
  readonly hasSecrets: boolean | undefined;
  /** What is wrong with it. */
  readonly error: string | undefined;
}

/** The names of the backups in `folder`, whole or begun, the newest first; none where there is no such folder. */
export const listBackupNames = async (folder: string): Promise<NamedBackup[]> => {
  const whole = (await listEntries(folder)).map(({ name }) => name);
  const begun = (await listIncomplete(folder)).map((path) => basename(path).slice(INCOMPLETE_PREFIX.length));
  // an archive that is being written has a folder for its files beside it
  const own = begun.filter((name) => isEntryName(name) && !begun.includes(`${name}.tar`));
  const named = (isComplete: boolean) => (name: string) => ({ name, createdAt: entryTime(name), isComplete });
  return [...whole.map(named(true)), ...own.map(named(false))].toSorted((one, other) => (one.name < other.name ? 1 : -1));
};

const UNKNOWN = { sizeBytes: undefined, documents: undefined, missingFiles: 0, hasSecrets: undefined, error: undefined };

/** What a backup says of itself; undefined where it was removed meanwhile. Nothing of its files is read. */
export const readListedBackup = async (folder: string, { name, createdAt, isComplete }: NamedBackup): Promise<ListedBackup | undefined> => {
  const head = { name, createdAt };
  if (!isComplete) return { ...head, ...UNKNOWN, state: 'failed' };
  const path = join(folder, name);
  try {
    if (name.endsWith('.tar')) return { ...head, ...UNKNOWN, state: 'complete', sizeBytes: (await stat(path)).size };
    await stat(path);
    return { ...head, ...(await readFigures(path)) };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
};

const readFigures = async (path: string): Promise<Omit<ListedBackup, 'name' | 'createdAt'>> => {
  try {
    const { database, files, previews, configuration } = await readEntryManifest(path);
    return {
      state: 'complete',
      sizeBytes: database.tables.reduce((sum, { bytes }) => sum + bytes, files.bytes + previews.bytes),
      documents: database.tables.find(({ name }) => name === 'documents')?.rows,
      missingFiles: files.missing.length,
      hasSecrets: configuration.has_secrets,
      error: undefined,
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { ...UNKNOWN, state: 'damaged', error: error.message };
  }
};

const MAX_MANIFEST_BYTES = 64 * 1024 ** 2;

/** What the backup in the directory `folder` says of itself. Throws NOT_A_BACKUP or BACKUP_DAMAGED. */
export const readEntryManifest = (folder: string): Promise<BackupManifest> => readManifest(folder, folder);

/** The manifest of the entry in `folder`; `path` is its name for people. */
export const readManifest = async (path: string, folder: string): Promise<BackupManifest> => {
  const bytes = await readSmallFile(folder, MANIFEST, MAX_MANIFEST_BYTES).catch((error: unknown) => {
    throw notABackup(path, `it has no ${MANIFEST}`, error);
  });
  const hash = (await readSmallFile(folder, MANIFEST_HASH, 1_024)).toString('utf8').split(' ')[0];
  if (hash !== createHash('sha256').update(bytes).digest('hex'))
    throw backupDamaged(`the hash of ${MANIFEST} does not match ${MANIFEST_HASH}`);
  const parsed = backupManifest.safeParse(parseJson(path, bytes));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw notABackup(path, `its manifest format is not supported (${issue?.path.join('.')}: ${issue?.message}); use a newer Sheaf`);
};

const parseJson = (path: string, bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw notABackup(path, `its ${MANIFEST} is not JSON`, error);
  }
};

export interface BackupEntry {
  /** With `.tar` where it is an archive. */
  readonly name: string;
  readonly path: string;
  readonly isArchive: boolean;
}

/** What is about to be removed has another name first, so that no half entry ever has the name of a whole one. */
const REMOVED_PREFIX = '.removed-';

const namesIn = async (folder: string): Promise<string[]> => {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
};

/** The whole backups in `folder`, the newest first. */
export const listEntries = async (folder: string): Promise<BackupEntry[]> =>
  (await namesIn(folder))
    .filter((name) => isEntryName(name))
    .toSorted()
    .toReversed()
    .map((name) => ({ name, path: join(folder, name), isArchive: name.endsWith('.tar') }));

/** What backups left that were killed or failed: directories of files, and begun archives. */
export const listIncomplete = async (folder: string): Promise<string[]> =>
  (await namesIn(folder)).filter((name) => name.startsWith(INCOMPLETE_PREFIX)).map((name) => join(folder, name));

export const removeEntry = async (folder: string, { name, path }: BackupEntry): Promise<void> => {
  const removed = join(folder, `${REMOVED_PREFIX}${name}`);
  await rename(path, removed);
  await rm(removed, { recursive: true, force: true });
};

/** Removes what killed processes left behind that nobody can use. */
export const sweepFolder = async (folder: string): Promise<void> => {
  for (const name of await namesIn(folder)) {
    if (name.startsWith(REMOVED_PREFIX) || isLeftUnpacked(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
};

const isLeftUnpacked = (name: string): boolean => {
  const [, pid] = UNPACKED_NAME.exec(name) ?? [];
  return pid !== undefined && !isAlive(Number(pid));
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
};

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

interface ExpectedFile {
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

/** The names of the files in an entry, relative to it. A directory and an archive have the same ones. */
export const MANIFEST = 'manifest.json';
/** The hash of the manifest, as `sha256sum` writes and reads it. */
export const MANIFEST_HASH = 'manifest.json.sha256';
/** One line `<sha256> <bytes>` for each original, in the order of the hashes. */
export const FILES_LIST = 'files.list';
/** One line `<sha256 of the document> <bytes> <sha256 of the preview>` for each preview, in the order of the documents. */
export const PREVIEWS_LIST = 'previews.list';

const fanOut = (sha256: string): string => `${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;

export const fileName = (sha256: string): string => `files/${fanOut(sha256)}`;
export const previewName = (sha256: string): string => `previews/${fanOut(sha256)}.pdf`;
export const tableName = (table: string): string => `database/${table}.copy.gz`;
export const configurationName = (name: string): string => `configuration/${name}`;

const KNOWN_NAMES = [
  /^(?:manifest\.json|manifest\.json\.sha256|files\.list|previews\.list)$/,
  /^configuration\/(?:effective\.json|service\.yml|roles\.yml|secrets\.json)$/,
  /^database\/[a-z_][a-z0-9_]{0,62}\.copy\.gz$/,
  /^files\/([0-9a-f]{2})\/([0-9a-f]{2})\/\1\2[0-9a-f]{60}$/,
  /^previews\/([0-9a-f]{2})\/([0-9a-f]{2})\/\1\2[0-9a-f]{60}\.pdf$/,
];

/** Whether a backup has a file of this name; any other one in an archive is a stranger's. */
export const isEntryFile = (name: string): boolean => KNOWN_NAMES.some((pattern) => pattern.test(name));

const isEntryName = (name: string): boolean => BACKUP_NAME.test(name);

/** The name of an entry that is made at `now`; `random` are 6 hexadecimal digits. */
export const entryName = (now: Date, random: string): string =>
  `sheaf-${now.toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '')}-${random}`;

/** When the making of an entry began, by its name. */
const entryTime = (name: string): Date => {
  const [, year, month, day, hour, minute, second] = /^sheaf-(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z/.exec(name) ?? [];
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
};

/** The folder that an archive is unpacked to, with the number of the process that reads it. */
export const unpackedName = (pid: number): string => `.unpacked-${pid}-`;
const UNPACKED_NAME = /^\.unpacked-(\d+)-/;
