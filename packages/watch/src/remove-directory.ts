import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { recordAudit } from '@sheaf/accounts/users';
import type { Db } from '@sheaf/db';
import { findLedgerEntries } from '@sheaf/ingest';
import { uuidv7 } from '@sheaf/process';
import { isTakenState } from '@sheaf/vocabulary/documents';
import { findBase, lookAt, syncDirectory } from './base-folder.ts';
import type { Initiator, WatchDirectoryDeps } from './deps.ts';
import { directoryName, nameBeforeRemoval, removalName } from './directory-name.ts';
import { directoryFailed, isDirectoryFailed, onDisk, reasonOf } from './errors.ts';
import {
  findWatchDirectoryByName,
  findWatchDirectoryOfUser,
  keepUser,
  lockWatchDirectories,
  tryLockRemoval,
} from './queries/watch-directories.ts';
import { type GoingFile, removeTree } from './remove-tree.ts';

/** What went with a directory. */
export interface RemovedFiles {
  readonly files: number;
  /** How many of them no document was made of. */
  readonly neverTakenIn: number;
}

export type Removal =
  | { readonly kind: 'absent' }
  /** `removed` is undefined where somebody else, who came upon it first, is emptying it. */
  | { readonly kind: 'removed'; readonly removed: RemovedFiles | undefined };

/**
 * Removes the directory of a user with its contents, as far as it is there: out of use at once, then emptied. What a crash leaves
 * the watcher removes. The files are in the ledger still, so that a copy that is brought back is known. Throws USER_NOT_FOUND and
 * WATCH_DIRECTORY_FAILED.
 */
export const removeDirectory = async (deps: WatchDirectoryDeps, userId: string, by: Initiator): Promise<Removal> => {
  const base = await onDisk(CANNOT_REMOVE, () => findBase(deps.baseFolder));
  const name = await deps.db.transaction(async (tx) => {
    const user = await keepUser(tx, userId);
    await lockWatchDirectories(tx);
    const current = await nameOf(tx, user);
    return current === undefined ? undefined : takeOutOfUse(tx, base, { userId, name: current }, by);
  });
  if (name === undefined) return { kind: 'absent' };
  try {
    return { kind: 'removed', removed: await finishRemoval(deps, base, name) };
  } catch (error) {
    if (!isDirectoryFailed(error)) throw error;
    throw directoryFailed(
      `The watch folder is disabled, but some of its files could not be deleted: ${reasonOf(error)}. Deletion is retried at every scan. See the log of the watcher.`,
      error,
    );
  }
};

const CANNOT_REMOVE = 'The watch folder could not be deleted';

/** What his directory is called, also one that is not noted yet; undefined where another one has that name. */
const nameOf = async (tx: Db, { id, username }: { readonly id: string; readonly username: string }): Promise<string | undefined> => {
  const own = await findWatchDirectoryOfUser(tx, id);
  if (own !== undefined) return own.name;
  return (await findWatchDirectoryByName(tx, username)) === undefined ? directoryName(username) : undefined;
};

/** Gives it the name of one that is being removed; answers that. */
const takeOutOfUse = async (
  tx: Db,
  base: string,
  { userId, name }: { readonly userId: string; readonly name: string },
  by: Initiator,
): Promise<string | undefined> => {
  const to = removalName(name, uuidv7());
  const isTaken = await onDisk(CANNOT_REMOVE, async () => {
    const sight = await lookAt(join(base, name));
    if (sight === 'other') throw directoryFailed(`${CANNOT_REMOVE}: its path is a link or a file. An administrator must remove it.`);
    if (sight === 'absent') return false;
    await rename(join(base, name), join(base, to));
    await syncDirectory(base);
    return true;
  });
  if (!isTaken) return undefined;
  const subject = { type: 'user', id: userId };
  await recordAudit(tx, { ...by, action: 'watch_directory.deleted', outcome: 'success', subject, details: { name } });
  return to;
};

/** Empties and removes what `takeOutOfUse` named `name`; undefined while somebody else is at it, or has done it. */
export const finishRemoval = ({ db }: WatchDirectoryDeps, base: string, name: string): Promise<RemovedFiles | undefined> =>
  db.transaction(async (tx) => {
    if (!(await tryLockRemoval(tx, name)) || (await lookAt(join(base, name))) !== 'directory') return undefined;
    const removed = { files: 0, neverTakenIn: 0 };
    const before = nameBeforeRemoval(name) ?? name;
    const onFiles = async (files: readonly GoingFile[]): Promise<void> => {
      removed.files += files.length;
      removed.neverTakenIn += files.length - (await countTakenIn(tx, before, files));
    };
    await onDisk('Some files of the watch folder could not be deleted', async () => {
      await removeTree(join(base, name), { onFiles });
      await syncDirectory(base);
    });
    return removed;
  });

/** How many files are, as they are now, in a document. Names that are no UTF-8 count as not: better one warning too many. */
const countTakenIn = async (tx: Db, name: string, files: readonly GoingFile[]): Promise<number> => {
  const byPath = new Map(files.flatMap((file) => (file.path === undefined ? [] : [[`${name}/${file.path}`, file]])));
  const entries = await findLedgerEntries(tx, 'user_watch', [...byPath.keys()]);
  return entries.filter(({ path, state, sizeBytes, modifiedAt }) => {
    const file = byPath.get(path);
    return isTakenState(state) && sizeBytes === file?.sizeBytes && modifiedAt?.getTime() === file.modifiedMs;
  }).length;
};
