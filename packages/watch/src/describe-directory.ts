import { join } from 'node:path';
import { getUserById } from '@sheaf/accounts/users';
import { usernameField } from '@sheaf/contract/identity';
import type { Db } from '@sheaf/db';
import type { Clock, Logger } from '@sheaf/process';
import {
  createWatchDirectory,
  directoryFailed,
  findBase,
  findWatchDirectoryByName,
  findWatchDirectoryOfUser,
  lockWatchDirectories,
  lookAt,
  onDisk,
} from './queries/watch-directories.ts';

/**
 * The id of the user's directory, also of one that lies there under their name without being noted yet; undefined when they have none.
 * Call it before they are renamed or deleted, in that very transaction and with their row locked; afterwards `settleDirectory`.
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

interface DirectoryDescription {
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
  const entryKind = isOthers ? 'other' : await onDisk(CANNOT_LOOK, () => lookAt(path));
  return { username, path: entryKind === 'other' ? null : path, exists: entryKind === 'directory' };
};

const CANNOT_LOOK = 'The watch folder cannot be accessed';

/** What the directories of the users are kept with. */
export interface WatchDirectoryDeps {
  readonly db: Db;
  /** Where they are, each called as its user. Made when it is absent. */
  readonly baseFolder: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Who asked for a change, for the audit log. */
export interface Initiator {
  readonly actor: { readonly userId: string; readonly username: string };
  readonly address: string | undefined;
}

/**
 * The name of a user's directory, which is their own: letters, digits, underscores and dashes, and so never a path, a hidden name or
 * a step up. Throws WATCH_DIRECTORY_FAILED for any other name.
 */
export const directoryName = (username: string): string => {
  if (!isDirectoryName(username))
    throw directoryFailed('The user name is not a valid folder name. It must have 1 to 64 letters, digits, _ or -.');
  return username;
};

/** Whether a directory may be called so. */
export const isDirectoryName = (name: string): boolean => usernameField.safeParse(name).success;

/** Directories of users who are gone. Hidden, as all names are that no user can have. */
export const REMOVED_FOLDER = '.deleted';

const REMOVING = /^\.removing-[0-9a-f-]{36}-(.+)$/;

/** Under which name the directory `name` is removed, so that it is out of use at once; `id` makes it one of its own. */
export const removalName = (name: string, id: string): string => `.removing-${id}-${name}`;

/** What a directory was called that is being removed; undefined for any other one. */
export const nameBeforeRemoval = (name: string): string | undefined => REMOVING.exec(name)?.[1];

/** Where a directory waits whose new name is free only once it has left its old one. */
export const parkingName = (id: string): string => `.renaming-${id}`;
