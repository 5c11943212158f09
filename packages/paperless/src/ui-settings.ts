import type { Db } from '@sheaf/db';
import { eq, sql } from '@sheaf/db/drizzle';
import { paperlessUiSettings } from '@sheaf/db/schema';

/** What an app has stored for a user; nothing where none has. */
export const readUiSettings = async (db: Db, userId: string): Promise<Readonly<Record<string, unknown>>> => {
  const [row] = await db
    .select({ content: paperlessUiSettings.content })
    .from(paperlessUiSettings)
    .where(eq(paperlessUiSettings.userId, userId));
  return row?.content ?? {};
};

/** Stores settings in place of those that an app has stored before. */
export const saveUiSettings = async (db: Db, userId: string, content: Readonly<Record<string, unknown>>): Promise<void> => {
  await db
    .insert(paperlessUiSettings)
    .values({ userId, content })
    .onConflictDoUpdate({ target: paperlessUiSettings.userId, set: { content, updatedAt: sql`now()` } });
};
