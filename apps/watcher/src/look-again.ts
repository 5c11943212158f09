import { lstat } from 'node:fs/promises';
import { factsOf, HeldFolder, sortOf } from '@sheaf/storage/folders';
import type { LedgerFile } from './ledger-file.ts';
import { splitPath } from './processed/path-names.ts';

/**
 * The same file as it is now; undefined when it is gone or out of reach, which the next walk tells apart. Looks nowhere but below
 * the root: what a file elsewhere is like must not be told to whoever put a link in the place of a folder.
 */
export const lookAgain = async (file: LedgerFile, realRoot: string): Promise<LedgerFile | undefined> => {
  const { folderPath, name } = splitPath(file.fsPath);
  try {
    await using folder = await HeldFolder.open(folderPath);
    if (!(await folder.isWithin(realRoot))) return undefined;
    const stats = await lstat(folder.pathOf(name));
    return { ...file, sort: sortOf(stats), facts: factsOf(stats) };
  } catch {
    return undefined;
  }
};
