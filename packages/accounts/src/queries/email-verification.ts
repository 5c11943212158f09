import type { Db } from '@sheaf/db';
import { and, count, eq, gt, sql } from '@sheaf/db/drizzle';
import { oneTimeTokens, type User, users } from '@sheaf/db/schema';

/**
 * How many tokens for `purpose` the user has that expire after `expiresAfter`. Locks the user, so that two callers at once count
 * each other's.
 */
export const countOneTimeTokens = async (tx: Db, purpose: string, userId: string, expiresAfter: Date): Promise<number> => {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update');
  const [row] = await tx
    .select({ total: count() })
    .from(oneTimeTokens)
    .where(and(eq(oneTimeTokens.purpose, purpose), eq(oneTimeTokens.userId, userId), gt(oneTimeTokens.expiresAt, expiresAfter)));
  return row?.total ?? 0;
};

/** Marks the address of the user as proven if it is still `email`; says whether it was not before. */
export const confirmEmail = async (
  tx: Db,
  userId: string,
  email: string,
  now: Date,
): Promise<{ user: User; isNew: boolean } | undefined> => {
  const [before] = await tx
    .select()
    .from(users)
    .where(and(eq(users.id, userId), sql`lower(${users.email}) = lower(${email})`))
    .for('no key update');
  if (before === undefined) return undefined;
  if (before.emailVerifiedAt !== null) return { user: before, isNew: false };
  await tx.update(users).set({ emailVerifiedAt: now, updatedAt: now }).where(eq(users.id, userId));
  return { user: { ...before, emailVerifiedAt: now }, isNew: true };
};
