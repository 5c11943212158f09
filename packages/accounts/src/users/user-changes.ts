import { codedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { and, count, eq, inArray, isNull, ne, or, sql } from '@sheaf/db/drizzle';
import { documents, trashedDocuments, type User, users } from '@sheaf/db/schema';
import { CHANNELS } from '@sheaf/vocabulary/events';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { userNotFound, usersFor } from './user-list.ts';
import { toDuplicateUser } from './users.ts';

/** Key of the advisory lock under which administrators become fewer: two who demote each other would both see the other one. */
const ADMINISTRATORS_LOCK = 0x73_68_61;

/**
 * Whether nobody but the user could administer the service: no other user with one of `adminRoles` is active and has a way to sign
 * in. Pass the transaction that demotes, disables or deletes them; it holds off every other such one until its end.
 */
export const isLastAdministrator = async (tx: Db, user: User, adminRoles: readonly string[]): Promise<boolean> => {
  await tx.execute(sql`select pg_advisory_xact_lock(${ADMINISTRATORS_LOCK})`);
  // Read after the lock: what it was taken over from has committed by now.
  const [now] = await tx.select({ role: users.role, disabledAt: users.disabledAt }).from(users).where(eq(users.id, user.id));
  if (now === undefined || now.disabledAt !== null || !adminRoles.includes(now.role)) return false;
  const others = await tx
    .select({ id: users.id })
    .from(users)
    .where(
      and(
        ne(users.id, user.id),
        inArray(users.role, [...adminRoles]),
        isNull(users.disabledAt),
        or(ne(users.authMethod, 'local'), sql`${users.passwordHash} is not null`),
      ),
    )
    .limit(1);
  return others.length === 0;
};

/** Throws LAST_ADMINISTRATOR where `isLastAdministrator`. */
export const requireOtherAdministrator = async (tx: Db, user: User, adminRoles: readonly string[]): Promise<void> => {
  if (await isLastAdministrator(tx, user, adminRoles)) {
    throw codedError('DUPLICATE_RESOURCE', 'LAST_ADMINISTRATOR', { user_id: user.id });
  }
};

/** The user, locked until the end of the transaction. Throws USER_NOT_FOUND for one on whom `principal` may not do `action`. */
export const lockUser = async (
  tx: Db,
  principal: Principal,
  action: 'users.update' | 'users.delete',
  id: string,
): Promise<{ user: User; isAllowed: boolean }> => {
  const [row] = await tx
    .select({ user: users, isAllowed: sql<boolean>`coalesce(${usersFor(principal, action)}, false)` })
    .from(users)
    .where(and(eq(users.id, id), or(usersFor(principal, 'users.read'), usersFor(principal, action))))
    .for(action === 'users.delete' ? 'update' : 'no key update');
  if (row === undefined) throw userNotFound({ user_id: id });
  return row;
};

export interface UserChanges {
  readonly username?: string;
  readonly email?: string;
  readonly role?: string;
  readonly displayName?: string | null;
  readonly disabledAt?: Date | null;
  readonly emailVerifiedAt?: Date | null;
  readonly authMethod?: User['authMethod'];
  readonly externalId?: string | null;
  readonly externalGroups?: string[];
  readonly mfaRequiredSince?: Date | null;
}

/** The user as they are after the change. Throws DUPLICATE_RESOURCE where another one has the name or the address. */
export const updateUser = async (tx: Db, id: string, changes: UserChanges, now: Date): Promise<User> => {
  try {
    const [user] = await tx
      .update(users)
      .set({ ...changes, updatedAt: now })
      .where(eq(users.id, id))
      .returning();
    if (user === undefined) throw userNotFound({ user_id: id });
    return user;
  } catch (error) {
    throw toDuplicateUser(error, changes);
  }
};

/** The user themselves, locked until the end of the transaction. */
export const lockOwnUser = async (tx: Db, id: string): Promise<User> => {
  const [user] = await tx.select().from(users).where(eq(users.id, id)).for('no key update');
  if (user === undefined) throw userNotFound({ user_id: id });
  return user;
};

/**
 * Gives the user a new password if the present one is still `before` (null: none yet); false where it is not, because somebody
 * else was quicker.
 */
export const setPassword = async (tx: Db, id: string, before: string | null, passwordHash: string, now: Date): Promise<boolean> => {
  const isBefore = before === null ? isNull(users.passwordHash) : eq(users.passwordHash, before);
  const rows = await tx
    .update(users)
    .set({ passwordHash, passwordChangedAt: now, updatedAt: now })
    .where(and(eq(users.id, id), isBefore))
    .returning({ id: users.id });
  return rows.length > 0;
};

/** Keeps another hash of the same password, if the present one is still `before`; to the user nothing changes. */
export const replacePasswordHash = async (db: Db, id: string, before: string | null, passwordHash: string): Promise<void> => {
  if (before !== null)
    await db
      .update(users)
      .set({ passwordHash })
      .where(and(eq(users.id, id), eq(users.passwordHash, before)));
};

/** Throws USER_OWNS_DOCUMENTS with their number, those in the trash included. */
export const requireNoDocuments = async (tx: Db, userId: string): Promise<void> => {
  const [row] = await tx.select({ total: count() }).from(documents).where(eq(documents.ownerId, userId));
  const [trashed] = await tx.select({ total: count() }).from(trashedDocuments).where(eq(trashedDocuments.ownerId, userId));
  const total = (row?.total ?? 0) + (trashed?.total ?? 0);
  if (total === 0) return;
  throw codedError('DUPLICATE_RESOURCE', 'USER_OWNS_DOCUMENTS', { user_id: userId, documents: total, in_trash: trashed?.total ?? 0 });
};

/** Holds the row of a user who is to receive something, so that it is not deleted meanwhile. Throws USER_NOT_FOUND. */
export const holdReceiver = async (tx: Db, userId: string): Promise<void> => {
  const [receiver] = await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('key share');
  if (receiver === undefined) throw userNotFound({ user_id: userId });
};

/** Deletes the user with their sessions, keys, devices, tokens and sources. Lock them first; they must own no documents any more. */
export const deleteUser = async (tx: Db, userId: string): Promise<void> => {
  await tx.delete(users).where(eq(users.id, userId));
  // runs over sources of their end, or go on for who has them now
  await tx.execute(sql`select pg_notify(${CHANNELS.sources}, '')`);
};
