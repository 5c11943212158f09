import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Secret } from '@sheaf/contract';
import type { LoginBody } from '@sheaf/contract/identity';
import type { User } from '@sheaf/db/schema';
import type { Clock, Live } from '@sheaf/process';
import { errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { SecondFactor } from './second-factor.ts';
import type { SessionFacts } from './sessions/database-store.ts';
import type { Opening, SessionCookie, Sessions } from './sessions/sessions.ts';

const ISSUER = 'sheaf';
const AUDIENCE = 'sheaf-api';

/** What a token is for. The kind stands in its header, so that none passes for another. */
const TYPES = { access: 'at+jwt', refresh: 'rt+jwt' } as const;
type TokenKind = keyof typeof TYPES;

const accessClaims = z.object({ sub: z.uuid(), sid: z.uuid(), exp: z.number() });
const refreshClaims = z.object({ sub: z.uuid(), sid: z.uuid(), gen: z.int().nonnegative() });

export interface TokenSettings {
  readonly secret: Secret;
  readonly algorithm: 'HS256' | 'HS384' | 'HS512';
}

export interface AccessClaims {
  readonly userId: string;
  readonly sessionId: string;
  readonly expiresAt: Date;
}

export interface RefreshClaims {
  readonly userId: string;
  readonly sessionId: string;
  /** Which of the session's refresh tokens it is. */
  readonly number: number;
}

interface Lifetime {
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/** Signs and verifies the tokens of sessions. The algorithm is fixed by the settings: a header cannot choose it. */
export class Tokens {
  readonly #key: KeyObject;
  readonly #algorithm: string;

  constructor({ secret, algorithm }: TokenSettings) {
    this.#key = createSecretKey(Buffer.from(secret.reveal(), 'utf8'));
    this.#algorithm = algorithm;
  }

  signAccess({ userId, sessionId }: Pick<AccessClaims, 'userId' | 'sessionId'>, lifetime: Lifetime): Promise<string> {
    return this.#sign('access', userId, { sid: sessionId }, lifetime);
  }

  signRefresh({ userId, sessionId, number }: RefreshClaims, lifetime: Lifetime): Promise<string> {
    return this.#sign('refresh', userId, { sid: sessionId, gen: number }, lifetime);
  }

  /** What an access token says, or undefined when it is not ours, altered, expired or of another kind. */
  async verifyAccess(token: string, now: Date): Promise<AccessClaims | undefined> {
    const parsed = accessClaims.safeParse(await this.#verify('access', token, now));
    if (!parsed.success) return undefined;
    const { sub, sid, exp } = parsed.data;
    return { userId: sub, sessionId: sid, expiresAt: new Date(exp * 1_000) };
  }

  /** The same for a refresh token. */
  async verifyRefresh(token: string, now: Date): Promise<RefreshClaims | undefined> {
    const parsed = refreshClaims.safeParse(await this.#verify('refresh', token, now));
    return parsed.success ? { userId: parsed.data.sub, sessionId: parsed.data.sid, number: parsed.data.gen } : undefined;
  }

  #sign(kind: TokenKind, userId: string, claims: Record<string, unknown>, { issuedAt, expiresAt }: Lifetime): Promise<string> {
    return new SignJWT(claims)
      .setProtectedHeader({ alg: this.#algorithm, typ: TYPES[kind] })
      .setSubject(userId)
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setIssuedAt(issuedAt)
      .setExpirationTime(expiresAt)
      .sign(this.#key);
  }

  async #verify(kind: TokenKind, token: string, now: Date): Promise<unknown> {
    try {
      const { payload } = await jwtVerify(token, this.#key, {
        algorithms: [this.#algorithm],
        issuer: ISSUER,
        audience: AUDIENCE,
        typ: TYPES[kind],
        currentDate: now,
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }
}

export interface TokenLives {
  /** False: no tokens are given; every session is a browser's. */
  readonly enabled: boolean;
  readonly lifeMs: Live<number>;
  /** Undefined: no refresh tokens, and a session ends with its token. */
  readonly refreshLifeMs: number | undefined;
}

export interface SessionOpenerDeps {
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly tokens: Tokens;
  readonly secondFactor: SecondFactor;
  readonly settings: TokenLives;
}

interface FullOpening extends Opening {
  readonly user: User;
}

/** Opens sessions for who was let in, and says what they are told. */
export class SessionOpener {
  readonly #deps: SessionOpenerDeps;

  constructor(deps: SessionOpenerDeps) {
    this.#deps = deps;
  }

  async open(
    opening: FullOpening,
    { cookie, rememberMe }: { readonly cookie: boolean; readonly rememberMe: boolean },
  ): Promise<{ answer: LoginBody; cookie?: SessionCookie }> {
    const { sessions, settings } = this.#deps;
    // Choice: without tokens a session can only be a browser's, so the cookie need not be asked for.
    if (cookie || !settings.enabled) {
      const opened = await sessions.openForBrowser(opening, { rememberMe });
      const answer = await this.#answer(opening.user, opened.session);
      return { answer: { ...answer, csrf_token: opened.cookie.csrfToken }, cookie: opened.cookie };
    }
    const session = await sessions.openForTokens(opening, this.sessionEnd());
    return { answer: await this.withRefreshToken(await this.#answer(opening.user, session), session, 0) };
  }

  /** Until when a session of tokens lasts that is opened or refreshed now. */
  sessionEnd(): Date {
    const { clock, settings } = this.#deps;
    return new Date(clock.now().getTime() + (settings.refreshLifeMs ?? settings.lifeMs.current()));
  }

  /** What is reported of a session whose refresh token was used. */
  async refreshed(user: User, session: SessionFacts, number: number): Promise<LoginBody> {
    return this.withRefreshToken(await this.#answer(user, session), session, number);
  }

  /** Choice: a browser session has no refresh token; its cookie is what lasts, and a token beside would be one more thing to steal. */
  async withRefreshToken(answer: LoginBody, { userId, id, expiresAt }: SessionFacts, number: number): Promise<LoginBody> {
    const { clock, tokens, settings } = this.#deps;
    if (settings.refreshLifeMs === undefined) return answer;
    const token = await tokens.signRefresh({ userId, sessionId: id, number }, { issuedAt: clock.now(), expiresAt });
    return { ...answer, refresh_token: token, refresh_expires_at: expiresAt.toISOString() };
  }

  async #answer(user: User, session: SessionFacts): Promise<LoginBody> {
    const { clock, tokens, secondFactor, settings } = this.#deps;
    const issuedAt = clock.now();
    const expiresAt = new Date(Math.min(issuedAt.getTime() + settings.lifeMs.current(), session.expiresAt.getTime()));
    const token = settings.enabled
      ? await tokens.signAccess({ userId: user.id, sessionId: session.id }, { issuedAt, expiresAt })
      : undefined;
    return {
      ...(token === undefined ? {} : { token }),
      user: { id: user.id, username: user.username, email: user.email, role: user.role },
      expires_at: (token === undefined ? session.expiresAt : expiresAt).toISOString(),
      ...((await secondFactor.mustSetUp(user, session.method)) ? { mfa_setup_required: true as const } : {}),
    };
  }
}
