import { userNotFound } from '@sheaf/accounts/users';
import type { Db } from '@sheaf/db';
import { and, eq, inArray, isNull, type SQL, sql } from '@sheaf/db/drizzle';
import { ingestLedger, type User, users, type WatchDirectory, watchDirectories } from '@sheaf/db/schema';
import { uuidv7 } from '@sheaf/process';

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
