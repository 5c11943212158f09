import type { LoginBody } from '@sheaf/contract/identity';
import type { User } from '@sheaf/db/schema';
import type { Clock, Live } from '@sheaf/process';
import type { SecondFactor } from './second-factor.ts';
import type { SessionFacts } from './sessions/database-store.ts';
import type { Opening, SessionCookie, Sessions } from './sessions/sessions.ts';
import type { Tokens } from './token.ts';

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
