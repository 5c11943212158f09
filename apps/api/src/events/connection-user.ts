import { setTimeout as sleepMs } from 'node:timers/promises';
import type { Credentials, FoundPrincipal } from '@sheaf/accounts';
import { findUserById, toUserBody } from '@sheaf/accounts/users';
import { type AppError, codedError, forbidden, unauthorized } from '@sheaf/contract';
import type { UserBody } from '@sheaf/contract/identity';
import { type Db, isDatabaseUnavailable } from '@sheaf/db';
import type { Clock } from '@sheaf/process';
import { CLOSE_CODES, type CloseCode } from '@sheaf/vocabulary/events';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { EventLimits } from './event-limits.ts';

/** Why a connection is not let in, or not any more. */
export interface Refusal {
  readonly error: AppError;
  readonly close: CloseCode;
}

export interface ConnectionUserDeps {
  readonly db: Db;
  readonly look: (credentials: Credentials) => Promise<FoundPrincipal | undefined>;
  readonly limits: EventLimits;
  readonly clock: Clock;
}

/** What the connection does for its user. */
export interface ConnectionUserCalls {
  /** Takes the place of the connection for him; false where he has too many. */
  readonly take: (principal: Principal) => boolean;
  /** Nobody has said in time who he is. */
  readonly tooLate: (refusal: Refusal) => void;
  /** It is time to look at his credentials again. */
  readonly lookDue: () => void;
}

interface Known {
  readonly credentials: Credentials;
  readonly principal: Principal;
  readonly until: Date;
  readonly user: UserBody;
}

const RETRY_MS = 500;

const tooManyOfUser = (): AppError => codedError('RATE_LIMITED', 'TOO_MANY_CONNECTIONS');

const secondFactorMissing = (): AppError => codedError('FORBIDDEN', 'MFA_SETUP_REQUIRED');

/** Who is at the other end of a connection: nobody for a while, then one user for as long as his credentials are good. */
export class ConnectionUser {
  readonly #deps: ConnectionUserDeps;
  readonly #calls: ConnectionUserCalls;
  #known: Known | undefined;
  #isOver = false;
  #signIn: NodeJS.Timeout;
  #expiry: NodeJS.Timeout | undefined;

  constructor(deps: ConnectionUserDeps, calls: ConnectionUserCalls) {
    this.#deps = deps;
    this.#calls = calls;
    const refusal = { error: unauthorized('Authentication required.'), close: CLOSE_CODES.unauthorized };
    this.#signIn = setTimeout(() => calls.tooLate(refusal), deps.limits.authMs);
  }

  /** Undefined until he is let in. */
  get known(): Known | undefined {
    return this.#known;
  }

  /** Lets him in whose `credentials` these are, or says why not. Throws when the database is away. */
  async admit(credentials: Credentials): Promise<Refusal | undefined> {
    const { look, db } = this.#deps;
    const found = await look(credentials);
    if (found === undefined)
      return { error: unauthorized('The credentials are invalid or expired. Sign in again.'), close: CLOSE_CODES.unauthorized };
    const { principal } = found;
    if (principal.mfaSetupRequired === true) return { error: secondFactorMissing(), close: CLOSE_CODES.forbidden };
    if (this.#known !== undefined && this.#known.principal.userId !== principal.userId)
      return { error: forbidden('This connection belongs to another user. Open a new one.'), close: CLOSE_CODES.forbidden };
    const user = await findUserById(db, principal.userId);
    if (user === undefined || this.#isOver) return { error: unauthorized(), close: CLOSE_CODES.unauthorized };
    if (this.#known === undefined && !this.#take(principal)) return { error: tooManyOfUser(), close: CLOSE_CODES.tooManyConnections };
    this.#know({ credentials, ...found, user: toUserBody(user) });
    return undefined;
  }

  /** Looks at his credentials again, for as long as it takes until the database answers. Why he may not stay, where he may not. */
  async lookAgain({ credentials, principal, user }: Known): Promise<Refusal | undefined> {
    const found = await this.#lookUntilKnown(credentials);
    if (this.#isOver) return undefined;
    if (found === undefined || found.principal.userId !== principal.userId)
      return { error: unauthorized('Your session has expired. Sign in again.'), close: CLOSE_CODES.unauthorized };
    if (found.principal.mfaSetupRequired === true) return { error: secondFactorMissing(), close: CLOSE_CODES.forbidden };
    this.#know({ credentials, ...found, user });
    return undefined;
  }

  /** The connection is closed. */
  over(): void {
    this.#isOver = true;
    clearTimeout(this.#signIn);
    clearTimeout(this.#expiry);
  }

  #take(principal: Principal): boolean {
    clearTimeout(this.#signIn);
    return this.#calls.take(principal);
  }

  #know(known: Known): void {
    this.#known = known;
    clearTimeout(this.#expiry);
    const { clock, limits } = this.#deps;
    const leftMs = Math.max(0, known.until.getTime() - clock.now().getTime());
    this.#expiry = setTimeout(this.#calls.lookDue, Math.min(leftMs, limits.recheckMs));
  }

  /** Asks until the database answers. Credentials that would have ended meanwhile have. */
  async #lookUntilKnown(credentials: Credentials): Promise<FoundPrincipal | undefined> {
    for (;;) {
      try {
        return await this.#deps.look(credentials);
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error;
        const isExpired = this.#known !== undefined && this.#known.until <= this.#deps.clock.now();
        if (this.#isOver || (isExpired && this.#known?.principal.via !== 'disabled-auth')) return undefined;
        await sleepMs(RETRY_MS);
      }
    }
  }
}
