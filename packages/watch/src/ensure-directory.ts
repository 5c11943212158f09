import { join } from 'node:path';
import { getUserById, recordAudit } from '@sheaf/accounts/users';
import type { Db } from '@sheaf/db';
import { directoryName, type Initiator, type WatchDirectoryDeps } from './describe-directory.ts';
import {
  createWatchDirectory,
  directoryFailed,
  findWatchDirectoryByName,
  findWatchDirectoryOfUser,
  keepUser,
  lockWatchDirectories,
  makeDirectory,
  onDisk,
  openBase,
} from './queries/watch-directories.ts';
import { settleDirectory } from './settle.ts';

export interface EnsuredDirectory {
  readonly path: string;
  /** False where it was there already. */
  readonly isNew: boolean;
}

const CANNOT_MAKE = 'The watch folder could not be created';

/** Makes the directory of a user unless it is there. Throws USER_NOT_FOUND and WATCH_DIRECTORY_FAILED. */
export const ensureDirectory = async (deps: WatchDirectoryDeps, userId: string, by: Initiator): Promise<EnsuredDirectory> => {
  const base = await onDisk(CANNOT_MAKE, () => openBase(deps.baseFolder));
  await freeName(deps, userId);
  return deps.db.transaction(async (tx) => {
    await keepUser(tx, userId);
    await lockWatchDirectories(tx);
    const name = await nameFor(tx, userId);
    const isNew = await onDisk(CANNOT_MAKE, () => makeDirectory(base, name));
    if (isNew) {
      const subject = { type: 'user', id: userId };
      await recordAudit(tx, { ...by, action: 'watch_directory.created', outcome: 'success', subject, details: { name } });
      deps.log.info({ name, user_id: userId }, 'watch folder created');
    }
    return { path: join(base, name), isNew };
  });
};

/** Somebody who had the name before may still have to leave it. */
const freeName = async (deps: WatchDirectoryDeps, userId: string): Promise<void> => {
  const { username } = await getUserById(deps.db, userId);
  const own = await findWatchDirectoryOfUser(deps.db, userId);
  const rival = await findWatchDirectoryByName(deps.db, username);
  if (rival !== undefined && rival.id !== own?.id) await settleDirectory(deps, rival.id);
  if (own !== undefined && own.name !== username) await settleDirectory(deps, own.id);
};

/** What their directory is called; noted as theirs from now on. */
const nameFor = async (tx: Db, userId: string): Promise<string> => {
  const own = await findWatchDirectoryOfUser(tx, userId);
  if (own !== undefined) return own.name;
  // read after the lock: whoever renames them holds it
  const name = directoryName((await getUserById(tx, userId)).username);
  if ((await findWatchDirectoryByName(tx, name)) !== undefined)
    throw directoryFailed('The watch folder of this name still belongs to a renamed user. See the log of the watcher.');
  await createWatchDirectory(tx, userId, name);
  return name;
};
