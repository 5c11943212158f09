import { usernameField } from '@sheaf/contract/identity';
import { directoryFailed } from './errors.ts';

/**
 * The name of a user's directory, which is his own: letters, digits, underscores and dashes, and so never a path, a hidden name or
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
export const SET_ASIDE = '.deleted';

const REMOVING = /^\.removing-[0-9a-f-]{36}-(.+)$/;

/** Under which name the directory `name` is removed, so that it is out of use at once; `id` makes it one of its own. */
export const removalName = (name: string, id: string): string => `.removing-${id}-${name}`;

/** What a directory was called that is being removed; undefined for any other one. */
export const nameBeforeRemoval = (name: string): string | undefined => REMOVING.exec(name)?.[1];

/** Where a directory waits whose new name is free only once it has left its old one. */
export const parkingName = (id: string): string => `.renaming-${id}`;
