import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { userNotFound } from '@sheaf/accounts/users';
import { AppError, errorCode } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { and, eq, inArray, isNull, type SQL, sql } from '@sheaf/db/drizzle';
import { ingestLedger, type User, users, type WatchDirectory, watchDirectories } from '@sheaf/db/schema';
import { uuidv7 } from '@sheaf/process';
import { makeFolder } from '@sheaf/process/machine';

/** A directory by itself and no link to one, whatever takes its place in the same moment. */
const DIRECTORY_ONLY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
export const DIRECTORY_MODE = 0o755;

/** The base folder without any link in its path; made when it is absent. */
export const openBase = async (baseFolder: string): Promise<string> => {
  await makeFolder(baseFolder, { mode: DIRECTORY_MODE });
  return realpath(baseFolder);
};

/** The same without making it: its path as it is configured while it is absent. */
export const findBase = async (baseFolder: string): Promise<string> => {
  try {
    return await realpath(baseFolder);
  } catch (error) {
    if (isAbsent(error)) return resolve(baseFolder);
    throw error;
  }
};

const isAbsent = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** What is under a name. A link is never followed: it is something else, wherever it leads. */
export type PathState = 'absent' | 'directory' | 'other';

const statsOf = async (path: string): Promise<Stats | undefined> => {
  try {
    return await lstat(path);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
};

export const lookAt = async (path: string): Promise<PathState> => {
  const stats = await statsOf(path);
  if (stats === undefined) return 'absent';
  return stats.isDirectory() ? 'directory' : 'other';
};

/** Whether both names are of one directory, as two that differ in case alone are where the file system does not mind. */
export const isSamePlace = async (a: string, b: string): Promise<boolean> => {
  const [one, other] = await Promise.all([statsOf(a), statsOf(b)]);
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
};

/** Opens a directory to work in it, wherever its name leads from then on. Throws ELOOP or ENOTDIR where it is none. */
export const openDirectory = (path: string | Buffer): Promise<FileHandle> => open(path, DIRECTORY_ONLY);

/** Makes what was renamed in `path` survive a power cut. */
export const syncDirectory = async (path: string): Promise<void> => {
  await using handle = await openDirectory(path);
  await handle.sync();
};

/**
 * Makes the directory `name` in `base`, with `mode` whatever the umask says; false where there is one already, which keeps its mode.
 * Throws where something else has the name.
 */
export const makeDirectory = async (base: string, name: string, mode: number = DIRECTORY_MODE): Promise<boolean> => {
  const path = join(base, name);
  const isNew = await tryMkdir(path, mode);
  await using handle = await openDirectory(path);
  // for a base folder that was replaced meanwhile
  if ((await realpath(path)) !== path) throw directoryFailed('The watch folder would be outside USER_WATCH_BASE_DIR');
  if (!isNew) return false;
  await handle.chmod(mode);
  await syncDirectory(base);
  return true;
};

const tryMkdir = async (path: string, mode: number): Promise<boolean> => {
  try {
    await mkdir(path, { mode });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
};

/** Something could not be done with a directory. The message is for people and has nothing of the machine's. */
export const directoryFailed = (message: string, cause?: unknown): AppError =>
  new AppError('INTERNAL_ERROR', message, { code: 'WATCH_DIRECTORY_FAILED', cause });

export const isDirectoryFailed = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === 'WATCH_DIRECTORY_FAILED';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
  ENOTDIR: 'a file that is not a folder is in the way',
  EEXIST: 'a file that is not a folder is in the way',
  ELOOP: 'a link is in the way',
  ENOTEMPTY: 'the folder is not empty',
  EBUSY: 'it is in use or a mount point',
  EXDEV: 'a part of it is on another file system',
};

/** What stood against it, in words for people. */
export const reasonOf = (error: unknown): string => {
  if (isDirectoryFailed(error)) return error.cause === undefined ? error.message : reasonOf(error.cause);
  return REASONS[errorCode(error) ?? ''] ?? 'file system error';
};

const isOfDisk = (error: unknown): boolean => error instanceof Error && 'syscall' in error && 'errno' in error;

/** Runs what touches the disk; errors of that leave as WATCH_DIRECTORY_FAILED with `what` could not be done, others as they are. */
export const onDisk = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!isOfDisk(error)) throw error;
    throw directoryFailed(`${what}: ${reasonOf(error)}. Check USER_WATCH_BASE_DIR and the log.`, error);
  }
};

/** First keys of the advisory locks of the watch directories ("shw" and "shx" in hexadecimal). */
const [DIRECTORIES_LOCK, REMOVAL_LOCK] = [0x73_68_77, 0x73_68_78];

/**
 * Holds off everybody else who changes watch directories, on disk or in the table, until the end of the transaction. Who needs
 * the row of a user as well locks it first: whoever deletes a user does it in that order.
 */
export const lockWatchDirectories = async (tx: Db): Promise<void> => {
  await tx.execute(sql`select pg_advisory_xact_lock(${DIRECTORIES_LOCK}, 0)`);
};

/** Whether nobody else is removing the contents of the folder `name` now; if so, nobody begins to until the end of the transaction. */
export const tryLockRemoval = async (tx: Db, name: string): Promise<boolean> => {
  const { rows } = await tx.execute<{ taken: boolean }>(sql`select pg_try_advisory_xact_lock(${REMOVAL_LOCK}, hashtext(${name})) as taken`);
  return rows[0]?.taken === true;
};

/** A directory and whose it is. */
export interface OwnedDirectory extends Pick<WatchDirectory, 'id' | 'name'> {
  /** Null once they are deleted. */
  readonly owner: Pick<User, 'id' | 'username' | 'disabledAt'> | null;
}

const selectOwned = (db: Db, where?: SQL): Promise<OwnedDirectory[]> =>
  db
    .select({
      id: watchDirectories.id,
      name: watchDirectories.name,
      owner: { id: users.id, username: users.username, disabledAt: users.disabledAt },
    })
    .from(watchDirectories)
    .leftJoin(users, eq(users.id, watchDirectories.userId))
    .where(where)
    .orderBy(watchDirectories.id);

/** All of them, the oldest first. */
export const listWatchDirectories = (db: Db): Promise<OwnedDirectory[]> => selectOwned(db);

export const findWatchDirectory = async (db: Db, id: string): Promise<OwnedDirectory | undefined> =>
  (await selectOwned(db, eq(watchDirectories.id, id)))[0];

export const findWatchDirectoryOfUser = async (db: Db, userId: string): Promise<OwnedDirectory | undefined> =>
  (await selectOwned(db, eq(watchDirectories.userId, userId)))[0];

/** The directory that has this name, whatever the case of its letters: not every file system tells them apart. */
export const findWatchDirectoryByName = async (db: Db, name: string): Promise<OwnedDirectory | undefined> =>
  (await selectOwned(db, sql`lower(${watchDirectories.name}) = lower(${name})`))[0];

/** The user, who cannot be deleted before the end of the transaction. Throws USER_NOT_FOUND. */
export const keepUser = async (tx: Db, id: string): Promise<User> => {
  const [user] = await tx.select().from(users).where(eq(users.id, id)).for('key share');
  if (user === undefined) throw userNotFound({ user_id: id });
  return user;
};

const withoutDirectory = (names: readonly string[]): SQL | undefined =>
  and(inArray(users.username, [...names]), isNull(watchDirectories.id));

/** Which of `names` are of users who have no directory. */
export const listNamesWithoutDirectory = async (db: Db, names: readonly string[]): Promise<string[]> => {
  if (names.length === 0) return [];
  const rows = await db
    .select({ username: users.username })
    .from(users)
    .leftJoin(watchDirectories, eq(watchDirectories.userId, users.id))
    .where(withoutDirectory(names));
  return rows.map(({ username }) => username);
};

/**
 * Gives the directory `name` to the user of that name, if they have none and nobody has it; false where that is not so, or where
 * somebody is changing the user now. Take `lockWatchDirectories` first.
 */
export const adoptWatchDirectory = async (tx: Db, name: string): Promise<boolean> => {
  // waiting for a user here could be waiting for one who waits for us
  const [user] = await tx.select({ id: users.id }).from(users).where(eq(users.username, name)).for('key share', { skipLocked: true });
  if (user === undefined) return false;
  const rows = await tx
    .insert(watchDirectories)
    .values({ id: uuidv7(), userId: user.id, name })
    .onConflictDoNothing()
    .returning({ id: watchDirectories.id });
  return rows.length > 0;
};

/** Notes that the directory `name` is theirs; answers its id. Both must be free. */
export const createWatchDirectory = async (tx: Db, userId: string, name: string): Promise<string> => {
  const id = uuidv7();
  await tx.insert(watchDirectories).values({ id, userId, name });
  return id;
};

/**
 * Lets the ledger know the files below `from` by their new place. A file is known by its path: without this every one of them
 * would be read again, and whoever has a directory of the old name later would have their files taken for those.
 */
const moveLedgerPaths = async (tx: Db, from: string, to: string): Promise<void> => {
  const below = (name: string): SQL => sql`${ingestLedger.route} = 'user_watch' and starts_with(${ingestLedger.path}, ${`${name}/`})`;
  // left by a file that was being imported just when its directory was moved away from there
  await tx.delete(ingestLedger).where(below(to));
  await tx
    .update(ingestLedger)
    .set({ path: sql`${to}::text || substr(${ingestLedger.path}, ${from.length + 1}::int)` })
    .where(below(from));
};

/** The directory is called `to` from now on, with all that the ledger knows of it. */
export const renameWatchDirectory = async (tx: Db, { id, name }: Pick<OwnedDirectory, 'id' | 'name'>, to: string): Promise<void> => {
  await tx.update(watchDirectories).set({ name: to }).where(eq(watchDirectories.id, id));
  await moveLedgerPaths(tx, name, to);
};

/** Nobody has the directory any more; what the ledger knows of it is below `to` from now on. */
export const deleteWatchDirectory = async (tx: Db, { id, name }: Pick<OwnedDirectory, 'id' | 'name'>, to: string): Promise<void> => {
  await tx.delete(watchDirectories).where(eq(watchDirectories.id, id));
  await moveLedgerPaths(tx, name, to);
};
