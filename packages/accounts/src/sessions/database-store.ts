import type { Db } from '@sheaf/db';
import type { Session } from '@sheaf/db/schema';
import {
  createSession,
  findSession,
  listLiveSessions,
  type NewSession,
  revokeSession,
  revokeSessionsOf,
  type SessionKey,
  touchSession,
} from '../queries/sessions.ts';

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
