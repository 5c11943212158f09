import type { Db } from '@sheaf/db';
import { and, desc, eq, gt, isNull, lt, ne, or, type SQL, sql } from '@sheaf/db/drizzle';
import { type Session, sessions, type User, users } from '@sheaf/db/schema';
import { uuidv7 } from '@sheaf/process';
import { CHANNELS } from '@sheaf/vocabulary/events';

/** Makes other processes forget who a user is, for a change that no trigger sees: one outside the database. */
export const nudgeIdentityChanged = async (tx: Db, userId: string): Promise<void> => {
  await tx.execute(sql`select pg_notify(${CHANNELS.identity}, ${userId})`);
};

export interface NewSession {
  /** Made when none is given. */
  readonly id?: string;
  readonly userId: string;
  readonly expiresAt: Date;
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
  readonly method?: Session['method'];
  /** Of a session that lives in a cookie: the hash of what the cookie holds. */
  readonly cookieHash?: string | undefined;
  readonly idleExpiresAt?: Date | undefined;
  readonly isRemembered?: boolean;
  readonly now?: Date;
}

export const createSession = async (db: Db, session: NewSession): Promise<Session> => {
  const [row] = await db
    .insert(sessions)
    .values({
      id: session.id ?? uuidv7(),
      userId: session.userId,
      expiresAt: session.expiresAt,
      address: session.address ?? null,
      userAgent: session.userAgent ?? null,
      kind: session.cookieHash === undefined ? 'token' : 'cookie',
      cookieHash: session.cookieHash ?? null,
      idleExpiresAt: session.idleExpiresAt ?? null,
      isRemembered: session.isRemembered ?? false,
      method: session.method ?? 'local',
      ...(session.now === undefined ? {} : { createdAt: session.now, lastSeenAt: session.now }),
    })
    .returning();
  if (row === undefined) throw new Error('insert returned no row');
  return row;
};

/**
 * Whether the user may have a session still: they are there, not disabled, and their password is the one they had. Holds off every change of
 * them until the end of the transaction.
 */
export const lockForSession = async (tx: Db, { id, passwordChangedAt }: Pick<User, 'id' | 'passwordChangedAt'>): Promise<boolean> => {
  const [now] = await tx
    .select({ disabledAt: users.disabledAt, passwordChangedAt: users.passwordChangedAt })
    .from(users)
    .where(eq(users.id, id))
    .for('share');
  return now?.disabledAt === null && now.passwordChangedAt?.getTime() === passwordChangedAt?.getTime();
};

const isLive = (now: Date): SQL | undefined =>
  and(isNull(sessions.revokedAt), gt(sessions.expiresAt, now), or(isNull(sessions.idleExpiresAt), gt(sessions.idleExpiresAt, now)));

/** By which a session is found: its id, which tokens carry, or the hash of its cookie. */
export type SessionKey = { readonly id: string } | { readonly cookieHash: string };

/** A session that is neither expired nor revoked. */
export const findSession = async (db: Db, key: SessionKey, now: Date): Promise<Session | undefined> => {
  const isIt = 'id' in key ? eq(sessions.id, key.id) : eq(sessions.cookieHash, key.cookieHash);
  return (
    await db
      .select()
      .from(sessions)
      .where(and(isIt, isLive(now)))
  )[0];
};

/** The session whatever became of it. */
export const findSessionById = async (db: Db, id: string): Promise<Session | undefined> =>
  (await db.select().from(sessions).where(eq(sessions.id, id)))[0];

export const listLiveSessions = (db: Db, userId: string, now: Date): Promise<Session[]> =>
  db
    .select()
    .from(sessions)
    .where(and(eq(sessions.userId, userId), isLive(now)))
    .orderBy(desc(sessions.createdAt), desc(sessions.id));

export const touchSession = async (db: Db, id: string, now: Date, idleExpiresAt: Date | undefined): Promise<void> => {
  await db
    .update(sessions)
    .set({ lastSeenAt: now, ...(idleExpiresAt === undefined ? {} : { idleExpiresAt }) })
    .where(and(eq(sessions.id, id), isNull(sessions.revokedAt)));
};

/** Moves on from refresh token `from`, which works no more. False when it was not the last one, or the session has ended. */
export const takeRefreshNumber = async (db: Db, id: string, from: number, expiresAt: Date, now: Date): Promise<boolean> => {
  const rows = await db
    .update(sessions)
    .set({ refreshNumber: from + 1, expiresAt, lastSeenAt: now })
    .where(and(eq(sessions.id, id), eq(sessions.refreshNumber, from), isLive(now)))
    .returning({ id: sessions.id });
  return rows.length > 0;
};

/** Whether it was this call that ended the session. */
export const revokeSession = async (db: Db, userId: string, sessionId: string, now: Date): Promise<boolean> => {
  const rows = await db
    .update(sessions)
    .set({ revokedAt: now })
    .where(and(eq(sessions.id, sessionId), eq(sessions.userId, userId), isLive(now)))
    .returning({ id: sessions.id });
  return rows.length > 0;
};

/** Ends the sessions of a user, but for one. Answers the ids of those that it ended. */
export const revokeSessionsOf = async (db: Db, userId: string, now: Date, exceptId?: string): Promise<string[]> => {
  const rows = await db
    .update(sessions)
    .set({ revokedAt: now })
    .where(and(eq(sessions.userId, userId), isLive(now), exceptId === undefined ? undefined : ne(sessions.id, exceptId)))
    .returning({ id: sessions.id });
  return rows.map(({ id }) => id);
};

/** Deletes sessions that had ended before `before`, in whatever way. */
export const deleteSessionsEndedBefore = async (db: Db, before: Date): Promise<number> => {
  const rows = await db
    .delete(sessions)
    .where(or(lt(sessions.expiresAt, before), lt(sessions.revokedAt, before), lt(sessions.idleExpiresAt, before)))
    .returning({ id: sessions.id });
  return rows.length;
};

/** Sessions as rows: those of tokens always, those of cookies by default. Give it a transaction to take part in it. */
export class DatabaseSessionStore implements SessionStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  create(session: OpenSession): Promise<SessionFacts> {
    return createSession(this.#db, session);
  }

  async find(key: FindSession, now: Date): Promise<SessionFacts | undefined> {
    const session = await findSession(this.#db, key, now);
    return 'userId' in key && session?.userId !== key.userId ? undefined : session;
  }

  touch({ id }: SessionFacts, now: Date, idleExpiresAt: Date | undefined): Promise<void> {
    return touchSession(this.#db, id, now, idleExpiresAt);
  }

  list(userId: string, now: Date): Promise<SessionFacts[]> {
    return listLiveSessions(this.#db, userId, now);
  }

  end(userId: string, id: string, now: Date): Promise<boolean> {
    return revokeSession(this.#db, userId, id, now);
  }

  endAll(userId: string, now: Date, exceptId?: string): Promise<readonly string[]> {
    return revokeSessionsOf(this.#db, userId, now, exceptId);
  }
}

/** What is known of a session wherever it is kept. */
export type SessionFacts = Omit<Session, 'cookieHash' | 'refreshNumber' | 'revokedAt'>;

/** A session to open: whole, so that every store keeps the same. */
export type OpenSession = Required<Omit<NewSession, 'cookieHash' | 'idleExpiresAt'>> & Pick<NewSession, 'cookieHash' | 'idleExpiresAt'>;

/** How a session is found. By its id only together with its user, as tokens name both. */
export type FindSession = Extract<SessionKey, { cookieHash: string }> | { readonly id: string; readonly userId: string };

/** Where sessions are kept. One contract test runs against every store. */
export interface SessionStore {
  create(session: OpenSession): Promise<SessionFacts>;
  /** A session that has neither ended nor expired at `now`. */
  find(key: FindSession, now: Date): Promise<SessionFacts | undefined>;
  /** Notes that it was used. */
  touch(session: SessionFacts, now: Date, idleExpiresAt: Date | undefined): Promise<void>;
  /** Those of a user that have not ended, the newest first. */
  list(userId: string, now: Date): Promise<SessionFacts[]>;
  /** Whether it was this call that ended it. */
  end(userId: string, id: string, now: Date): Promise<boolean>;
  /** Ends all of a user but for one. Answers the ids of those it ended. */
  endAll(userId: string, now: Date, exceptId?: string): Promise<readonly string[]>;
}
