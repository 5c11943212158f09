import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/**
 * Makes a folder with all its parents before anything else of the process is there. Not by `recursive`: Node tries for ever where a
 * parent is there and the system says that it is not, as below /proc.
 */
export const makeFolderSync = (path: string): void => {
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeFolderSync(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if (!isFolder(path)) throw error; // unless another process was faster
  }
};
