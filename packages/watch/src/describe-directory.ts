import { join } from 'node:path';
import { getUserById } from '@sheaf/accounts/users';
import { findBase, lookAt } from './base-folder.ts';
import type { WatchDirectoryDeps } from './deps.ts';
import { directoryName } from './directory-name.ts';
import { onDisk } from './errors.ts';
import { findWatchDirectoryByName, findWatchDirectoryOfUser } from './queries/watch-directories.ts';

export interface DirectoryDescription {
  readonly username: string;
  /** Where it is or would be made; null while something else is in that place. */
  readonly path: string | null;
  readonly exists: boolean;
}

/** How things are with the directory of a user. Throws USER_NOT_FOUND, and WATCH_DIRECTORY_FAILED where it cannot be seen. */
export const describeDirectory = async ({ db, baseFolder }: WatchDirectoryDeps, userId: string): Promise<DirectoryDescription> => {
  const { username } = await getUserById(db, userId);
  const own = await findWatchDirectoryOfUser(db, userId);
  const isOthers = own === undefined && (await findWatchDirectoryByName(db, username)) !== undefined;
  const path = join(await onDisk(CANNOT_LOOK, () => findBase(baseFolder)), own?.name ?? directoryName(username));
  const sight = isOthers ? 'other' : await onDisk(CANNOT_LOOK, () => lookAt(path));
  return { username, path: sight === 'other' ? null : path, exists: sight === 'directory' };
};

const CANNOT_LOOK = 'The watch folder cannot be accessed';
