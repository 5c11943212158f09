import type { Db } from '@sheaf/db';
import { createSession, findSession, listLiveSessions, revokeSession, revokeSessionsOf, touchSession } from '../queries/sessions.ts';
import type { FindSession, OpenSession, SessionFacts, SessionStore } from './store.ts';

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
