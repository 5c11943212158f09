import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AppError, errorCode } from '@sheaf/contract';
import type { BackupState } from '@sheaf/vocabulary/backups';
import { listEntries, listIncomplete } from './entries.ts';
import { entryTime, isEntryName } from './entry-layout.ts';
import { INCOMPLETE_PREFIX } from './entry-writer.ts';
import { readEntryManifest } from './read-manifest.ts';

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
