import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { errorCode } from '@sheaf/contract';

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
export const findBackupCopies = async (backupPath: string, sha256: string): Promise<string[]> => {
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
export const hasArchives = async (backupPath: string): Promise<boolean> =>
  (await namesIn(backupPath)).some((name) => ENTRY.test(name) && name.endsWith('.tar'));

export const openFile = async (path: string): Promise<Readable> => (await open(path, 'r')).createReadStream();
