import { type AppError, featureDisabled, unauthorized } from '@sheaf/contract';
import type { LoginBody } from '@sheaf/contract/identity';
import type { Db } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import type { Clock, Logger } from '@sheaf/process';
import type { Client } from './client.ts';
import { findSessionById, takeRefreshNumber } from './queries/sessions.ts';
import type { SessionOpener } from './session-opener.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { RefreshClaims, Tokens } from './token.ts';
import { findUserById } from './users/index.ts';

export interface RefreshDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly tokens: Tokens;
  readonly sessions: Sessions;
  readonly opener: SessionOpener;
  readonly settings: { readonly enabled: boolean; readonly refreshLifeMs: number | undefined };
}

const notValid = (): AppError => unauthorized('The refresh token is invalid or expired. Sign in again.');

/** Gives new tokens for a refresh token, which works once. */
export class Refresh {
  readonly #deps: RefreshDeps;

  constructor(deps: RefreshDeps) {
    this.#deps = deps;
  }

  /**
   * Throws UNAUTHORIZED. A token that comes a second time ends its whole session: one of the two who have it is a thief, and it
   * cannot be told which.
   */
  async withToken(refreshToken: string, client: Client): Promise<LoginBody> {
    const { db, clock, tokens, opener, settings } = this.#deps;
    if (!settings.enabled) throw featureDisabled('JWT_ENABLED');
    if (settings.refreshLifeMs === undefined) throw featureDisabled('JWT_REFRESH_ENABLED');
    const claims = await tokens.verifyRefresh(refreshToken, clock.now());
    if (claims === undefined) throw notValid();
    const user = await findUserById(db, claims.userId);
    if (user === undefined || user.disabledAt !== null) throw notValid();
    if (!(await takeRefreshNumber(db, claims.sessionId, claims.number, opener.sessionEnd(), clock.now()))) {
      await this.#endIfReused(claims, user, client);
      throw notValid();
    }
    const session = await findSessionById(db, claims.sessionId);
    if (session === undefined || session.userId !== user.id || session.revokedAt !== null) throw notValid();
    return opener.refreshed(user, session, claims.number + 1);
  }

  async #endIfReused({ sessionId, userId, number }: RefreshClaims, user: User, client: Client): Promise<void> {
    const { db, log, sessions } = this.#deps;
    const session = await findSessionById(db, sessionId);
    if (session === undefined || session.userId !== userId || session.revokedAt !== null || session.refreshNumber <= number) return;
    log.warn({ user_id: userId, session_id: sessionId, address: client.address }, 'refresh token reuse detected, session ended');
    await sessions.endAsStolen(session, user.username, client);
  }
}
