import type { BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { type FsPath, systemCode } from '@sheaf/storage/folders';

/** What has the name now, whatever it is, without following it if it is a link; undefined when nothing has. */
export const lookAt = async (path: FsPath): Promise<BigIntStats | undefined> => {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
};

/** Whether both are the one file with the same bytes, as far as a look tells. Renaming it changes none of this. */
export const isSameFileAndBytes = (a: BigIntStats, b: BigIntStats | undefined): boolean =>
  b !== undefined && a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;
