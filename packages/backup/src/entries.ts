import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '@sheaf/contract';
import { isEntryName, UNPACKED_NAME } from './entry-layout.ts';
import { INCOMPLETE_PREFIX } from './entry-writer.ts';

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
