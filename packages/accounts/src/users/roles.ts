import type { Db } from '@sheaf/db';
import { count, inArray, type SQL, sql } from '@sheaf/db/drizzle';
import { roles, users } from '@sheaf/db/schema';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { usersFor } from './user-list.ts';

const countThose = async (db: Db, where: SQL | undefined): Promise<ReadonlyMap<string, number>> => {
  const rows = await db.select({ role: users.role, total: count() }).from(users).where(where).groupBy(users.role);
  return new Map(rows.map(({ role, total }) => [role, total]));
};

/** How many users have each role, of those that `principal` may read. */
export const countUsersByRole = (db: Db, principal: Principal): Promise<ReadonlyMap<string, number>> =>
  countThose(db, usersFor(principal, 'users.read'));

/** How many users have each of these roles, whoever asks. */
export const countUsersOf = (db: Db, names: readonly string[]): Promise<ReadonlyMap<string, number>> =>
  countThose(db, inArray(users.role, [...names]));

/** Stores the permissions of roles; undefined takes away what is stored of one. */
export const writeRoles = async (tx: Db, changes: ReadonlyMap<string, readonly string[] | undefined>): Promise<void> => {
  const gone = [...changes].flatMap(([name, permissions]) => (permissions === undefined ? [name] : []));
  if (gone.length > 0) await tx.delete(roles).where(inArray(roles.name, gone));
  const stored = [...changes].flatMap(([name, permissions]) =>
    permissions === undefined ? [] : [{ name, permissions: [...permissions] }],
  );
  if (stored.length === 0) return;
  await tx
    .insert(roles)
    .values(stored)
    .onConflictDoUpdate({ target: roles.name, set: { permissions: sql`excluded.permissions`, updatedAt: sql`now()` } });
};
