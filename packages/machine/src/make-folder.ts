import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FOLDER_MODE } from './file-modes.ts';

export interface FolderMode {
  /** Of each folder that is made. */
  readonly mode: number;
}

const isFolder = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isDirectory() === true;

const hasNoParent = (error: unknown, path: string): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT' && dirname(path) !== path;

/** Returns whether it was not there. */
const makeOne = async (path: string, options: FolderMode): Promise<boolean> => {
  try {
    await mkdir(path, options);
    return true;
  } catch (error) {
    if (await isFolder(path)) return false;
    throw error;
  }
};

/**
 * Makes a folder with all its parents, and returns the first that it made; undefined where the folder was there already. In place
 * of `mkdir` with `recursive`: that tries for ever where a parent is there and the system says that it is not, as below /proc.
 */
export const makeFolder = async (path: string, options: FolderMode = { mode: FOLDER_MODE }): Promise<string | undefined> => {
  try {
    return (await makeOne(path, options)) ? path : undefined;
  } catch (error) {
    if (!hasNoParent(error, path)) throw error;
  }
  const first = await makeFolder(dirname(path), options);
  const isNew = await makeOne(path, options); // where there still is no parent, there never will be
  return first ?? (isNew ? path : undefined);
};
