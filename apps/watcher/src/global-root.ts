import { realpath } from 'node:fs/promises';
import { findDefaultOwner } from '@sheaf/accounts/users';
import { ledgerReason } from '@sheaf/contract/imports';
import type { Db } from '@sheaf/db';
import { EXCHANGE_FOLDER_MODE, makeFolder } from '@sheaf/process/machine';
import type { FindRoots, WatchRoot } from './watch-root.ts';

export interface GlobalFolder {
  readonly folder: string;
  /** The user who owns what is found; the first administrator where none is named. */
  readonly owner: string | undefined;
}

/** The one root of the global watch folder, which is made when it is absent. It may be a link: whoever configured it chose that. */
export const makeGlobalRoot =
  (db: Db, { folder, owner }: GlobalFolder): FindRoots =>
  async () => {
    await makeFolder(folder, { mode: EXCHANGE_FOLDER_MODE });
    return [{ path: await realpath(folder), ledgerPrefix: '', owner: await ownerOf(db, owner) }];
  };

const ownerOf = async (db: Db, username: string | undefined): Promise<WatchRoot['owner']> => {
  const user = await findDefaultOwner(db, username);
  if (user !== undefined) return { id: user.id };
  return {
    missing: username === undefined ? ledgerReason('no_owner_yet') : ledgerReason('owner_unknown', { username }),
  };
};
