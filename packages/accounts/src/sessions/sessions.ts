import { createHmac, timingSafeEqual } from 'node:crypto';
import { codedError, reasonedError, type Secret } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import { type Clock, type Live, uuidv7 } from '@sheaf/process';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { Client } from '../client.ts';
import type { AuthMethod } from '../external-identity.ts';
import { hashToken, makeRandomToken } from '../one-time-tokens.ts';
import { type Audit, recordAudit } from '../users/index.ts';
import {
  DatabaseSessionStore,
  type FindSession,
  lockForSession,
  nudgeIdentityChanged,
  type OpenSession,
  type SessionFacts,
  type SessionStore,
} from './database-store.ts';

export interface SessionSettings {
  readonly secret: Secret;
  /** How long a browser session lasts, used or not. */
  readonly lifeMs: number;
  /** How long one lasts without a request. */
  readonly idleMs: number;
  /** How long one lasts that is to be remembered, used or not. */
  readonly rememberMeMs: number;
  /** Of one user at the same time; undefined: any number. */
  readonly maxConcurrent: Live<number | undefined>;
}

export interface SessionsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly settings: SessionSettings;
  /** Where browser sessions are kept, if not in the database. */
  readonly browserStore?: SessionStore | undefined;
  /** Called when something of a user has ended. */
  readonly forget: (userId: string) => void;
  readonly audit: Audit;
}

/** What a browser is given: the value of its cookie and what it has to send with changes. */
export interface SessionCookie {
  readonly value: string;
  /** Undefined: until the browser is closed. */
  readonly expiresAt: Date | undefined;
  readonly csrfToken: string;
}

export interface Opening {
  /** As they were when they proved themselves. */
  readonly user: Pick<User, 'id' | 'username' | 'passwordChangedAt'>;
  readonly client: Client;
  readonly method: AuthMethod;
}

/** last_seen is written at most once a minute. */
const TOUCH_MS = 60_000;

const actorOf = ({ id, username }: Pick<User, 'id' | 'username'>) => ({ userId: id, username });

/** Sessions of every kind: opening, finding, listing, ending them, and how long they last. */
export class Sessions {
  readonly #deps: SessionsDeps;
  readonly #rows: SessionStore;

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
    this.#rows = new DatabaseSessionStore(deps.db);
  }

  /** A session that is known by its tokens alone. It lasts until `expiresAt`. */
  async openForTokens(opening: Opening, expiresAt: Date): Promise<SessionFacts> {
    const session = this.#newSession(opening, expiresAt);
    const facts = await this.#deps.db.transaction((tx) => this.#create(tx, new DatabaseSessionStore(tx), session, opening));
    await this.#endOldest(opening);
    return facts;
  }

  /** A session that a browser holds by a cookie. The value is always new: one that a browser brings along is never taken over. */
  async openForBrowser(
    opening: Opening,
    { rememberMe }: { readonly rememberMe: boolean },
  ): Promise<{ session: SessionFacts; cookie: SessionCookie }> {
    const { db, clock, settings, browserStore } = this.#deps;
    const value = makeRandomToken();
    const now = clock.now().getTime();
    const expiresAt = new Date(now + (rememberMe ? settings.rememberMeMs : settings.lifeMs));
    const idleExpiresAt = rememberMe ? undefined : new Date(now + settings.idleMs);
    const session = { ...this.#newSession(opening, expiresAt), cookieHash: hashToken(value), idleExpiresAt, isRemembered: rememberMe };
    const facts = await db.transaction((tx) => this.#create(tx, browserStore ?? new DatabaseSessionStore(tx), session, opening));
    await this.#endOldest(opening);
    const csrfToken = csrfTokenOf(facts.id, settings.secret);
    return { session: facts, cookie: { value, expiresAt: rememberMe ? expiresAt : undefined, csrfToken } };
  }

  /** The session behind the value of a cookie. */
  findByCookie(value: string): Promise<SessionFacts | undefined> {
    const { clock, browserStore } = this.#deps;
    return (browserStore ?? this.#rows).find({ cookieHash: hashToken(value) }, clock.now());
  }

  /** The session that a token names. */
  async findByToken(userId: string, id: string): Promise<SessionFacts | undefined> {
    const { clock, browserStore } = this.#deps;
    const key: FindSession = { id, userId };
    return (await this.#rows.find(key, clock.now())) ?? (await browserStore?.find(key, clock.now()));
  }

  /** Notes that the session was used, if that was not noted a moment ago. Answers the session as it is then. */
  async seen(session: SessionFacts): Promise<SessionFacts> {
    const { clock, settings } = this.#deps;
    const now = clock.now();
    // where the limit is short, a minute would be too coarse
    if (now.getTime() - session.lastSeenAt.getTime() < Math.min(TOUCH_MS, settings.idleMs / 4)) return session;
    const idleExpiresAt = session.idleExpiresAt === null ? undefined : new Date(now.getTime() + settings.idleMs);
    await this.#storeOf(session).touch(session, now, idleExpiresAt);
    return { ...session, lastSeenAt: now, idleExpiresAt: idleExpiresAt ?? null };
  }

  /** The sessions of a user, the newest first. */
  async list(userId: string): Promise<SessionFacts[]> {
    const { clock, browserStore } = this.#deps;
    const now = clock.now();
    const [rows, others] = await Promise.all([this.#rows.list(userId, now), browserStore?.list(userId, now) ?? []]);
    return [...rows, ...others].toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1));
  }

  /** Ends the session that `principal` is signed in with: its tokens and its cookie stop working. */
  async signOut(principal: Principal, client: Client): Promise<void> {
    if (principal.sessionId === undefined) return;
    await this.#end(principal.userId, principal.sessionId, (tx, id) =>
      recordAudit(tx, {
        actor: principal,
        address: client.address,
        action: 'sign_out',
        outcome: 'success',
        subject: { type: 'session', id },
      }),
    );
  }

  /** Ends one of the principal's own sessions. Throws SESSION_NOT_FOUND. */
  async endOwn(principal: Principal, id: string, client: Client): Promise<void> {
    const isEnded = await this.#end(principal.userId, id, (tx) =>
      recordAudit(tx, {
        actor: principal,
        address: client.address,
        action: 'session.revoked',
        outcome: 'success',
        subject: { type: 'session', id },
      }),
    );
    if (!isEnded) throw codedError('NOT_FOUND', 'SESSION_NOT_FOUND', { session_id: id });
  }

  /** Ends all of the principal's sessions but the present one. Answers how many. */
  async endOthers(principal: Principal, client: Client): Promise<number> {
    const { db } = this.#deps;
    const ended = await db.transaction(async (tx) => {
      const ids = await this.endAll(tx, principal.userId, principal.sessionId);
      if (ids.length > 0) {
        const details = { sessions: ids.length };
        await recordAudit(tx, { actor: principal, address: client.address, action: 'session.revoked', outcome: 'success', details });
      }
      return ids.length;
    });
    this.#deps.forget(principal.userId);
    return ended;
  }

  /**
   * Ends the sessions of a user but for one, in the transaction of what ends them; call `forget` after its commit. Those of a
   * key-value store end first: if the transaction then fails, the user signs in once more.
   */
  async endAll(tx: Db, userId: string, exceptId?: string): Promise<readonly string[]> {
    const { clock, browserStore } = this.#deps;
    const now = clock.now();
    const others = (await browserStore?.endAll(userId, now, exceptId)) ?? [];
    if (others.length > 0) await nudgeIdentityChanged(tx, userId);
    return [...others, ...(await new DatabaseSessionStore(tx).endAll(userId, now, exceptId))];
  }

  /** Ends a session whose refresh token came back after it had been used: it was stolen, or the answer was. */
  async endAsStolen(session: SessionFacts, username: string, client: Client): Promise<void> {
    await this.#end(session.userId, session.id, (tx, id) =>
      this.#deps.audit(tx, {
        actor: { userId: session.userId, username },
        address: client.address,
        action: 'session.refresh_reused',
        outcome: 'failure',
        subject: { type: 'session', id },
      }),
    );
  }

  isCsrfToken(given: string, sessionId: string): boolean {
    return isCsrfToken(given, sessionId, this.#deps.settings.secret);
  }

  #storeOf({ kind }: SessionFacts): SessionStore {
    return kind === 'cookie' ? (this.#deps.browserStore ?? this.#rows) : this.#rows;
  }

  #newSession({ user, client, method }: Opening, expiresAt: Date): OpenSession {
    return {
      id: uuidv7(),
      userId: user.id,
      expiresAt,
      address: client.address,
      userAgent: client.userAgent,
      method,
      isRemembered: false,
      now: this.#deps.clock.now(),
    };
  }

  /**
   * What ends all sessions of a user holds their row until its commit, and so does this: whichever comes first, no session is left that
   * was opened with what they were before.
   */
  async #create(tx: Db, store: SessionStore, session: OpenSession, { user, client, method }: Opening): Promise<SessionFacts> {
    if (!(await lockForSession(tx, user))) throw reasonedError('UNAUTHORIZED', 'sign_in_overtaken');
    const facts = await store.create(session);
    await this.#deps.audit(tx, {
      actor: actorOf(user),
      address: client.address,
      action: 'sign_in',
      outcome: 'success',
      subject: { type: 'session', id: facts.id },
      details: { method, kind: facts.kind },
    });
    return facts;
  }

  /** What many who sign in at once end is the same whoever looks last: all but the newest. */
  async #endOldest({ user, client }: Opening): Promise<void> {
    const maxConcurrent = this.#deps.settings.maxConcurrent.current();
    if (maxConcurrent === undefined) return;
    for (const { id } of (await this.list(user.id)).slice(maxConcurrent)) {
      await this.#end(user.id, id, (tx) =>
        recordAudit(tx, {
          actor: actorOf(user),
          address: client.address,
          action: 'session.revoked',
          outcome: 'success',
          subject: { type: 'session', id },
          details: { reason: 'session limit exceeded', limit: maxConcurrent },
        }),
      );
    }
  }

  async #end(userId: string, id: string, record: (tx: Db, id: string) => Promise<void>): Promise<boolean> {
    const { db, clock, browserStore, forget } = this.#deps;
    const now = clock.now();
    const isEndedThere = (await browserStore?.end(userId, id, now)) ?? false;
    const isEnded = await db.transaction(async (tx) => {
      const isOver = (await new DatabaseSessionStore(tx).end(userId, id, now)) || isEndedThere;
      if (isOver) await record(tx, id);
      if (isEndedThere) await nudgeIdentityChanged(tx, userId);
      return isOver;
    });
    forget(userId);
    return isEnded;
  }
}

/**
 * What a page has to send with each change it makes by its session cookie. It belongs to one session, so that nobody can bring one
 * of their own, and follows from the session's id, so that it need not be kept.
 */
const csrfTokenOf = (sessionId: string, secret: Secret): string =>
  createHmac('sha256', secret.reveal()).update(`sheaf:csrf:${sessionId}`).digest('base64url');

/** Whether `given` is the token of that session; in constant time. */
const isCsrfToken = (given: string, sessionId: string, secret: Secret): boolean => {
  const [is, should] = [Buffer.from(given), Buffer.from(csrfTokenOf(sessionId, secret))];
  return is.length === should.length && timingSafeEqual(is, should);
};
