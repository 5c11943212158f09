import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { errorCode, type Secret, serviceUnavailable } from '@sheaf/contract';
import { makeProblem } from '@sheaf/contract/operations';
import { connectClient, isDatabaseUnavailable } from '@sheaf/db';
import { type Clock, FatalError } from '@sheaf/process';
import { makeFolder } from '@sheaf/process/machine';
import { isNoRoom, type Storage, toStorageError } from '@sheaf/storage';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { Client } from 'pg';
import { ArchiveWriter } from './archive-writer.ts';
import { takeBackupLocks } from './backup-lock.ts';
import { DirectoryWriter } from './directory-writer.ts';
import { openEarlierCopies } from './earlier-copies.ts';
import { listEntries, listIncomplete, removeEntry, sweepFolder } from './entries.ts';
import { entryName } from './entry-layout.ts';
import { type ConfigurationParts, type FilledEntry, fillEntry } from './fill-entry.ts';
import type { BackupReport } from './report.ts';

export interface BackupDeps {
  readonly databaseUrl: Secret;
  readonly storage: Storage;
  readonly serviceVersion: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly report: BackupReport;
}

export interface BackupOptions {
  /** Where the entry is made; made itself where it is absent. */
  readonly folder: string;
  /** Further folders with backups, whose copies of files may be used. */
  readonly otherFolders?: readonly string[];
  readonly isArchive: boolean;
  /** Reads every file from the storage, instead of linking to the newest backup what that has. */
  readonly isFull: boolean;
  readonly configuration: ConfigurationParts;
  /** How many whole entries are kept in `folder`, with the new one; undefined: all. */
  readonly keep: number | undefined;
}

export interface BackupResult extends FilledEntry {
  readonly path: string;
  /** Names of the older entries that were removed. */
  readonly removed: readonly string[];
}

const CONNECTION = { applicationName: 'sheaf backup', keepAliveInitialDelayMillis: 30_000 };

/**
 * Makes a backup while the service runs or stands: the database at one moment, the files that its rows refer to, and the configuration.
 * What it makes has its name only when it is whole and survives a power cut. What it leaves when it fails or is killed is taken over by
 * the next one, except where the disk is full. Files that nobody has any more stand in the manifest, and nothing is removed then.
 * Throws a FatalError with exit code 69 where another backup runs, SERVICE_UNAVAILABLE where the folder or the storage cannot be used.
 */
export const makeBackup = async (deps: BackupDeps, options: BackupOptions): Promise<BackupResult> => {
  const lost = new AbortController();
  const signal = AbortSignal.any([deps.signal, lost.signal]);
  const client = await connectClient(deps.databaseUrl, CONNECTION);
  // With it go the locks, without which stored files may be removed.
  client.on('error', (error) => lost.abort(connectionLost(error)));
  try {
    await takeBackupLocks(client);
    return await makeEntry(client, { ...deps, signal }, { ...options, folder: resolve(options.folder) });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw isDatabaseUnavailable(error) ? connectionLost(error) : toStorageError(error, options.folder);
  } finally {
    await client.end();
  }
};

const connectionLost = (cause: unknown): FatalError =>
  new FatalError(makeProblem('database_connection_lost', { operation: 'backup' }), EXIT.failed, cause);

const makeEntry = async (client: Client, deps: BackupDeps, options: BackupOptions): Promise<BackupResult> => {
  const { folder, isArchive, isFull, otherFolders = [], keep } = options;
  await makeBackupFolder(folder);
  await sweepFolder(folder);
  const leftovers = await listIncomplete(folder);
  const earlier = await openEarlierCopies({ folders: [folder, ...otherFolders], isFull });
  const name = entryName(deps.clock.now(), randomBytes(3).toString('hex'));
  const writer = await (isArchive ? ArchiveWriter : DirectoryWriter).open(folder, name);
  try {
    const filled = await fillEntry(client, { ...deps, writer, earlier }, options.configuration);
    deps.report.begin('finishing');
    const path = await writer.finish();
    await removeAll(leftovers);
    return { ...filled, path, removed: filled.manifest.files.missing.length === 0 ? await removeOldest(folder, keep) : [] };
  } catch (error) {
    if (isNoRoom(error)) await Promise.all([writer.discard(), removeAll(leftovers)]);
    else await writer.abandon();
    throw error;
  }
};

const makeBackupFolder = async (folder: string): Promise<void> => {
  try {
    await makeFolder(folder, { mode: 0o700 });
  } catch (error) {
    throw errorCode(error) === 'EEXIST'
      ? serviceUnavailable(`${folder} is not a folder; move the file that stands in its way`, error)
      : error;
  }
};

const removeAll = async (paths: readonly string[]): Promise<void> => {
  for (const path of paths) await rm(path, { recursive: true, force: true });
};

const removeOldest = async (folder: string, keep: number | undefined): Promise<string[]> => {
  const surplus = keep === undefined ? [] : (await listEntries(folder)).slice(keep);
  for (const entry of surplus) await removeEntry(folder, entry);
  return surplus.map(({ name }) => name);
};
