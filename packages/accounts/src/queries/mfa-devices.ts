import type { Db } from '@sheaf/db';
import { and, asc, count, eq, isNull, type SQL, sql } from '@sheaf/db/drizzle';
import { type MfaDevice, mfaDevices, recoveryCodes, users } from '@sheaf/db/schema';
import { uuidv7 } from '@sheaf/process';

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

export type NewMfaDevice =
  | { readonly kind: 'totp'; readonly name: string; readonly secret: string }
  | {
      readonly kind: 'webauthn';
      readonly name: string;
      readonly credentialId: string;
      readonly publicKey: string;
      readonly signCount: number;
      readonly transports: readonly string[];
      /** A passkey proves itself while it is registered. */
      readonly enabledAt: Date;
    };

export const createMfaDevice = async (db: Db, userId: string, device: NewMfaDevice): Promise<MfaDevice> => {
  const { transports, ...fields } = { transports: undefined, ...device };
  const [row] = await db
    .insert(mfaDevices)
    .values({ id: uuidv7(), userId, ...fields, transports: transports === undefined ? null : [...transports] })
    .returning();
  if (row === undefined) throw new Error('insert returned no row');
  return row;
};

/** Every device of the user, also those that were set up and never proven. */
export const listMfaDevices = (db: Db, userId: string): Promise<MfaDevice[]> =>
  db.select().from(mfaDevices).where(eq(mfaDevices.userId, userId)).orderBy(asc(mfaDevices.createdAt), asc(mfaDevices.id));

export const hasEnabledMfaDevice = async (db: Db, userId: string): Promise<boolean> => {
  const rows = await db
    .select({ id: mfaDevices.id })
    .from(mfaDevices)
    .where(and(eq(mfaDevices.userId, userId), sql`${mfaDevices.enabledAt} is not null`))
    .limit(1);
  return rows.length > 0;
};

/** Enables a device with the time step that proved it, unless it is enabled already or gone. */
export const enableTotpDevice = async (db: Db, userId: string, id: string, step: number, now: Date): Promise<boolean> => {
  const rows = await db
    .update(mfaDevices)
    .set({ enabledAt: now, lastUsedAt: now, lastStep: step })
    .where(and(eq(mfaDevices.id, id), eq(mfaDevices.userId, userId), isNull(mfaDevices.enabledAt)))
    .returning({ id: mfaDevices.id });
  return rows.length > 0;
};

/** Notes the use of a proven device. False where `isNew` does not hold: what it was used with came before. */
const noteUse = async (
  db: Db,
  id: string,
  changes: Partial<Pick<MfaDevice, 'lastStep' | 'signCount' | 'lastUsedAt'>>,
  isNew: SQL,
): Promise<boolean> => {
  const rows = await db
    .update(mfaDevices)
    .set(changes)
    .where(and(eq(mfaDevices.id, id), sql`${mfaDevices.enabledAt} is not null`, isNew))
    .returning({ id: mfaDevices.id });
  return rows.length > 0;
};

/** Takes a time step for good. False when it, or a later one, was taken before: of several callers at once one gets it. */
export const takeTotpStep = (db: Db, id: string, step: number, now: Date): Promise<boolean> =>
  noteUse(db, id, { lastStep: step, lastUsedAt: now }, sql`(${mfaDevices.lastStep} is null or ${mfaDevices.lastStep} < ${step})`);

/** Moves the counter of a passkey on. False when it did not grow, unless the device counts nothing at all (always 0). */
export const takeSignCount = (db: Db, id: string, signCount: number, now: Date): Promise<boolean> => {
  const hasGrown = sql`(${mfaDevices.signCount} < ${signCount} or (${mfaDevices.signCount} = 0 and ${signCount} = 0))`;
  return noteUse(db, id, { signCount, lastUsedAt: now }, hasGrown);
};

/** Removes what was set up and never proven. */
export const deleteUnprovenTotpDevices = async (db: Db, userId: string): Promise<void> => {
  await db.delete(mfaDevices).where(and(eq(mfaDevices.userId, userId), eq(mfaDevices.kind, 'totp'), isNull(mfaDevices.enabledAt)));
};

/** The device that is gone now, or undefined when the user has none of that id. */
/** Deletes all devices of a user; returns how many. */
export const deleteMfaDevices = async (db: Db, userId: string): Promise<number> =>
  (await db.delete(mfaDevices).where(eq(mfaDevices.userId, userId))).rowCount ?? 0;

export const deleteMfaDevice = async (db: Db, userId: string, id: string): Promise<MfaDevice | undefined> => {
  const [row] = await db
    .delete(mfaDevices)
    .where(and(eq(mfaDevices.id, id), eq(mfaDevices.userId, userId)))
    .returning();
  return row;
};
