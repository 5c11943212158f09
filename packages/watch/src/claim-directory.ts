import { join } from 'node:path';
import type { Db } from '@sheaf/db';
import { findBase, lookAt } from './base-folder.ts';
import type { WatchDirectoryDeps } from './deps.ts';
import { isDirectoryName } from './directory-name.ts';
import {
  createWatchDirectory,
  findWatchDirectoryByName,
  findWatchDirectoryOfUser,
  lockWatchDirectories,
} from './queries/watch-directories.ts';

/**
 * The id of the user's directory, also of one that lies there under his name without being noted yet; undefined when he has none.
 * Call it before he is renamed or deleted, in that very transaction and with his row locked; afterwards `settleDirectory`.
 */
export const claimDirectory = async (
  tx: Db,
  { baseFolder, log }: WatchDirectoryDeps,
  { id, username }: { readonly id: string; readonly username: string },
): Promise<string | undefined> => {
  await lockWatchDirectories(tx);
  const own = await findWatchDirectoryOfUser(tx, id);
  if (own !== undefined) return own.id;
  if (!isDirectoryName(username) || (await findWatchDirectoryByName(tx, username)) !== undefined) return undefined;
  try {
    if ((await lookAt(join(await findBase(baseFolder), username))) !== 'directory') return undefined;
  } catch (error) {
    log.warn({ err: error, user_id: id }, 'the folder USER_WATCH_BASE_DIR cannot be read');
    return undefined;
  }
  return createWatchDirectory(tx, id, username);
};
