import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError, errorCode } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { lockStoredBytes, referencedHashes } from '@sheaf/documents';
import { FILE_MODE } from '@sheaf/process/machine';
import { documentKey, isNoRoom, orphanKey, type Storage, type TempArea } from '@sheaf/storage';
import { checkStoredFile } from './check-stored-file.ts';
import { placeBytes } from './queries/stored-places.ts';

export interface RestoreFileDeps {
  readonly db: Db;
  /** What the service reads from. */
  readonly storage: Storage;
  /** Each storage that is known, alone. */
  readonly places: readonly Storage[];
  readonly backupPath: string;
  /** Where a copy is proven to be right before anything is replaced by it. */
  readonly temp: TempArea;
}

interface Candidate {
  readonly name: string;
  readonly open: () => Promise<Readable>;
}

/** Where a right copy may be, the nearest first. */
const listCandidates = async ({ places, backupPath }: RestoreFileDeps, sha256: string): Promise<Candidate[]> => {
  const inPlace = (storage: Storage, key: string): Candidate => ({
    name: storage.pathOf(key),
    open: async () => (await storage.open(key)).stream,
  });
  const backups = await findBackupCopies(backupPath, sha256);
  return [
    ...places.map((place) => inPlace(place, documentKey(sha256))),
    ...places.map((place) => inPlace(place, orphanKey(sha256))),
    ...backups.map((path) => ({ name: path, open: () => openFile(path) })),
  ];
};

/** Copies what `open` gives to `path`, and says whether it has this hash. */
const copyIfRight = async ({ open }: Candidate, sha256: string, path: string): Promise<boolean> => {
  const hash = createHash('sha256');
  const hashed = async function* (source: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    for await (const chunk of source) {
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(await open(), hashed, createWriteStream(path, { mode: FILE_MODE }));
  return hash.digest('hex') === sha256;
};

/** A candidate that cannot be read is none; a disk that is full is told. */
const isOfCandidate = (error: unknown): boolean => !isNoRoom(error);

const findRightCopy = async (deps: RestoreFileDeps, sha256: string, path: string): Promise<string | undefined> => {
  for (const candidate of await listCandidates(deps, sha256)) {
    try {
      if (await copyIfRight(candidate, sha256, path)) return candidate.name;
    } catch (error) {
      if (!isOfCandidate(error)) throw error;
    }
  }
  return undefined;
};

const noRightCopy = async ({ places, backupPath }: RestoreFileDeps, sha256: string): Promise<AppError> => {
  const searched = [...places.map(({ place }) => place), `the backups in ${backupPath}`].join(', ');
  const archives = (await hasArchives(backupPath)) ? '; archives there are not searched: unpack them with tar and repair again' : '';
  return new AppError(
    'NOT_FOUND',
    `no valid copy in ${searched}${archives}; restore it from another backup, or delete the document and upload it again`,
    { code: 'FILE_MISSING', details: { sha256 } },
  );
};

/**
 * Puts the original with this hash back from where there is a copy with its hash: another storage, what was set aside, a backup.
 * Returns where that was; undefined where nothing had to be done. Throws where there is no right copy, or it cannot be stored.
 */
export const restoreFile = async (deps: RestoreFileDeps, sha256: string): Promise<string | undefined> => {
  await using copy = await deps.temp.makeFile();
  const from = await findRightCopy(deps, sha256, copy.path);
  if (from === undefined) throw await noRightCopy(deps, sha256);
  return (await exchange(deps, sha256, copy.path)) ? from : undefined;
};

/** Nobody removes or moves the bytes meanwhile; and what is right by now is not touched. */
const exchange = ({ db, storage }: RestoreFileDeps, sha256: string, path: string): Promise<boolean> =>
  db.transaction(async (tx) => {
    await lockStoredBytes(tx, sha256, 'alone');
    if ((await referencedHashes(tx, [sha256])).size === 0) return false;
    if ((await checkStoredFile(storage, sha256)) === 'ok') return false;
    const key = documentKey(sha256);
    const isLost = (await storage.stat(key)) === undefined;
    await storage.replace(key, path);
    if (isLost) await placeBytes(tx, sha256, storage.pathOf(key));
    if ((await checkStoredFile(storage, sha256)) !== 'ok')
      throw new Error(`${storage.pathOf(key)} was restored and is still invalid; check its disk`);
    return true;
  });

/** What a backup is called; its name begins with its time. While it is made it has another one. */
const ENTRY = /^sheaf-/;

const namesIn = async (folder: string): Promise<string[]> => {
  try {
    return await readdir(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return [];
    throw error;
  }
};

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

/** The paths that hold the original with this hash in the whole backups below `backupPath`, the newest first. */
const findBackupCopies = async (backupPath: string, sha256: string): Promise<string[]> => {
  const entries = (await namesIn(backupPath))
    .filter((name) => ENTRY.test(name))
    .toSorted()
    .toReversed();
  const paths: string[] = [];
  for (const entry of entries) {
    const path = join(backupPath, entry, 'files', sha256.slice(0, 2), sha256.slice(2, 4), sha256);
    // The manifest is written last: a folder without one is no whole backup, but what it holds is judged by its hash anyway.
    if (await isFile(path)) paths.push(path);
  }
  return paths;
};

/** Whether there are backups of one file each, in which nothing can be looked up. */
const hasArchives = async (backupPath: string): Promise<boolean> =>
  (await namesIn(backupPath)).some((name) => ENTRY.test(name) && name.endsWith('.tar'));

const openFile = async (path: string): Promise<Readable> => (await open(path, 'r')).createReadStream();
