import type { BigIntStats } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import type { FsPath } from '@sheaf/storage/folders';

/**
 * Whether a folder met on a walk is the one of processed files, which is not read again: the very folder, by whatever name or
 * mount it is reached. Asked anew for each scan, as the folder may be made, removed or replaced at any time.
 */
export const findProcessedFolder = async (path: string): Promise<(folder: FsPath) => Promise<boolean>> => {
  const processed = await stat(path, { bigint: true }).catch(() => undefined);
  if (processed === undefined) return async () => false;
  return async (folder) => {
    const facts: BigIntStats | undefined = await lstat(folder, { bigint: true }).catch(() => undefined); // gone meanwhile
    return facts?.ino === processed.ino && facts.dev === processed.dev;
  };
};
