import type { Db } from '@sheaf/db';
import { and, eq, sql } from '@sheaf/db/drizzle';
import { type User, users } from '@sheaf/db/schema';

/** The user whom an external sign-in method knows by `externalId`, locked until the end of the transaction. */
export const findUserByExternalId = async (tx: Db, method: User['authMethod'], externalId: string): Promise<User | undefined> =>
  (
    await tx
      .select()
      .from(users)
      .where(and(eq(users.authMethod, method), eq(users.externalId, externalId)))
      .for('no key update')
  )[0];

/** The user with this name, whatever its case. */
export const findUserByName = async (db: Db, username: string): Promise<User | undefined> =>
  (await db.select().from(users).where(sql`lower(${users.username}) = lower(${username})`))[0];
