import type { Session } from '@sheaf/db/schema';
import type { NewSession, SessionKey } from '../queries/sessions.ts';

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
