import type { Db } from '@sheaf/db';
import { eq, sql } from '@sheaf/db/drizzle';
import { type UserSettingsRow, userSettings } from '@sheaf/db/schema';

export type UserSettingsFields = Partial<Omit<UserSettingsRow, 'userId' | 'updatedAt'>>;

/** What a user has chosen; undefined where that is nothing yet. */
export const findUserSettings = async (db: Db, userId: string): Promise<UserSettingsRow | undefined> =>
  (await db.select().from(userSettings).where(eq(userSettings.userId, userId)))[0];

/** Changes the fields that are given; null means that they have no choice of their own again. */
export const saveUserSettings = async (db: Db, userId: string, fields: UserSettingsFields): Promise<UserSettingsRow> => {
  const [row] = await db
    .insert(userSettings)
    .values({ userId, ...fields })
    .onConflictDoUpdate({ target: userSettings.userId, set: { ...fields, updatedAt: sql`now()` } })
    .returning();
  if (row === undefined) throw new Error('settings were not stored');
  return row;
};
