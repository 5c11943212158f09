import type { Db } from '@sheaf/db';
import { and, count, eq, isNull } from '@sheaf/db/drizzle';
import { recoveryCodes, users } from '@sheaf/db/schema';

/** Gives the user new codes; the old ones work no more. In a transaction: of two calls at once the later one's codes stay. */
export const replaceRecoveryCodes = async (tx: Db, userId: string, codeHashes: readonly string[]): Promise<void> => {
  // without the lock each of two calls would leave the other's new codes alone
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update');
  await deleteRecoveryCodes(tx, userId);
  await tx.insert(recoveryCodes).values(codeHashes.map((codeHash) => ({ userId, codeHash })));
};

/** Uses a code up. False when the user has no such code or it was used: of several callers at once one gets it. */
export const takeRecoveryCode = async (db: Db, userId: string, codeHash: string, now: Date): Promise<boolean> => {
  const rows = await db
    .update(recoveryCodes)
    .set({ usedAt: now })
    .where(and(eq(recoveryCodes.userId, userId), eq(recoveryCodes.codeHash, codeHash), isNull(recoveryCodes.usedAt)))
    .returning({ codeHash: recoveryCodes.codeHash });
  return rows.length > 0;
};

export const countRecoveryCodes = async (db: Db, userId: string): Promise<number> => {
  const [row] = await db
    .select({ left: count() })
    .from(recoveryCodes)
    .where(and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedAt)));
  return row?.left ?? 0;
};

export const deleteRecoveryCodes = async (db: Db, userId: string): Promise<void> => {
  await db.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
};
