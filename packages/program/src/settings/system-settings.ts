import type { Db } from '@sheaf/db';
import { eq, inArray, sql } from '@sheaf/db/drizzle';
import { settings, type UserSettingsRow, userSettings } from '@sheaf/db/schema';
import { CHANNELS } from '@sheaf/vocabulary/events';

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

/** Begins the keys of system settings, beside which the table has others, such as whether the queue is paused. */
const PREFIX = 'system.';

/** The advisory lock under which system settings change, so that each change is judged beside all others. */
const SETTINGS_LOCK = 0x73_68_73;

/** What is stored, by the key as administrators know it. May hold what an earlier or later version put there. */
export const readSystemSettings = async (db: Db): Promise<Record<string, unknown>> => {
  const rows = await db
    .select({ key: settings.key, value: settings.value })
    .from(settings)
    .where(sql`starts_with(${settings.key}, ${PREFIX})`);
  return Object.fromEntries(rows.map(({ key, value }) => [key.slice(PREFIX.length), value]));
};

/** The same, for who is going to change them: nobody else does until the end of the transaction. */
export const lockSystemSettings = async (tx: Db): Promise<Record<string, unknown>> => {
  await tx.execute(sql`select pg_advisory_xact_lock(${SETTINGS_LOCK})`);
  return readSystemSettings(tx);
};

/** Stores the values that are given and takes away those that are null. All processes are told when the transaction ends. */
export const writeSystemSettings = async (tx: Db, changes: Readonly<Record<string, unknown>>, userId: string): Promise<void> => {
  const removed = Object.keys(changes).filter((key) => changes[key] === null);
  if (removed.length > 0)
    await tx.delete(settings).where(
      inArray(
        settings.key,
        removed.map((key) => PREFIX + key),
      ),
    );
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) continue;
    const fields = { value, updatedBy: userId, updatedAt: sql`now()` };
    await tx
      .insert(settings)
      .values({ key: PREFIX + key, ...fields })
      .onConflictDoUpdate({ target: settings.key, set: fields });
  }
  await tx.execute(sql`select pg_notify(${CHANNELS.settings}, '')`);
};
