import { uuidv7 } from '@sheaf/runtime';
import type { Db } from '../client.ts';
import { and, eq, isNull } from '../drizzle.ts';
import { type Session, sessions, type User, users } from '../schema/users.ts';

export interface NewSession {
  readonly userId: string;
  readonly expiresAt: Date;
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
}

export const createSession = async (db: Db, session: NewSession): Promise<Session> => {
  const [row] = await db
    .insert(sessions)
    .values({
      id: uuidv7(),
      userId: session.userId,
      expiresAt: session.expiresAt,
      address: session.address ?? null,
      userAgent: session.userAgent ?? null,
    })
    .returning();
  if (row === undefined) throw new Error('insert returned no row');
  return row;
};

/** The user behind a session that is neither expired nor revoked, unless he is disabled. */
export const findSessionUser = async (db: Db, sessionId: string, now: Date): Promise<User | undefined> => {
  const [row] = await db
    .select({ user: users, expiresAt: sessions.expiresAt })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.id, sessionId), isNull(sessions.revokedAt), isNull(users.disabledAt)));
  return row !== undefined && row.expiresAt > now ? row.user : undefined;
};

export const revokeSession = async (db: Db, sessionId: string, now: Date): Promise<void> => {
  await db
    .update(sessions)
    .set({ revokedAt: now })
    .where(and(eq(sessions.id, sessionId), isNull(sessions.revokedAt)));
};
