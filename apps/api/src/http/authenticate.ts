import type { Credentials, Identity } from '@sheaf/accounts';
import type { FixedConfig } from '@sheaf/config';
import { AppError, codedError, permissionNeeded, reasonedError, rowId, unauthorized } from '@sheaf/contract';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import type { Request, Response } from 'express';
import { readCookie, sessionName } from '../auth/session-cookie.ts';
import type { RateLimit } from './rate-limit.ts';
import { clientAddress } from './request-origin.ts';
import type { Route } from './route.ts';

/** What of a route says who may call it. */
export type RouteAccess = Pick<Route, 'access' | 'allowSelf' | 'allowedBeforeMfa'>;

const isSelf = ({ userId, via }: Principal, params: unknown): boolean =>
  via !== 'key' && typeof params === 'object' && params !== null && 'user_id' in params && rowId.safeParse(params.user_id).data === userId;

/**
 * Lets the principal in or throws: UNAUTHORIZED without one, FORBIDDEN where the route is for sessions and a key asks, or where the role
 * gives the action to nobody's rows. Whatever calls a route, also one of another API behind which it stands, asks here.
 */
export const admit = (
  { access, allowSelf, allowedBeforeMfa }: RouteAccess,
  principal: Principal | undefined,
  params: unknown,
): Principal | undefined => {
  if (access === 'anyone' || access === 'anyone-known') return principal;
  if (principal === undefined) throw unauthorized();
  if (principal.mfaSetupRequired === true && allowedBeforeMfa !== true) throw codedError('FORBIDDEN', 'MFA_SETUP_REQUIRED');
  if (access === 'signed-in') return principal;
  if (access === 'session') {
    if (principal.via === 'key') throw reasonedError('FORBIDDEN', 'not_with_a_key');
    return principal;
  }
  if (allowSelf === true && isSelf(principal, params)) return principal;
  if (scopeOf(principal.permissions, access) === 'none') throw permissionNeeded(access);
  return principal;
};

/** Who changes something, and from where. */
export interface Actor {
  readonly principal: Principal;
  readonly address: string | undefined;
}

const CSRF_HEADER = 'x-csrf-token';
/** What changes nothing, so that a page of somebody else gains nothing by making a browser send it. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

const single = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value.join(',') : value);

/**
 * Whether a browser says that a page of another site made it send this. Sec-Fetch-Site is the browser's own word; Origin is asked
 * where it is missing. Programs send neither.
 */
export const isCrossSite = (request: Request): boolean => {
  const site = single(request.headers['sec-fetch-site']);
  if (site !== undefined) return site === 'cross-site';
  const { origin } = request.headers;
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== request.host;
};

const csrfInvalid = (message: string): AppError => new AppError('FORBIDDEN', message, { code: 'CSRF_TOKEN_INVALID' });

export interface AuthenticatorParts {
  readonly identity: Pick<Identity, 'authenticate' | 'needsLookup' | 'sessions'>;
  readonly rateLimit: Pick<RateLimit, 'requireLookup' | 'noteFailedLookup'>;
  /** How the cookie and the header that carry credentials are called. */
  readonly config: Pick<FixedConfig, 'apiKeys' | 'sessions'>;
}

/** Finds out who makes a request. */
export class Authenticator {
  readonly #identity: AuthenticatorParts['identity'];
  readonly #rateLimit: AuthenticatorParts['rateLimit'];
  readonly #config: AuthenticatorParts['config'];

  constructor({ identity, rateLimit, config }: AuthenticatorParts) {
    this.#identity = identity;
    this.#rateLimit = rateLimit;
    this.#config = config;
  }

  /** Who makes the request; undefined when it carries nothing, or nothing that is good. Throws RATE_LIMITED as `authenticateWith` does. */
  authenticate(request: Request): Promise<Principal | undefined> {
    return this.authenticateWith(this.credentialsOf(request), clientAddress(request), request.res);
  }

  /** Whom `credentials` stand for; undefined when they are not good. Throws RATE_LIMITED for an address that sends too many that are not. */
  async authenticateWith(credentials: Credentials, address: string | undefined, response?: Response): Promise<Principal | undefined> {
    if (!this.#identity.needsLookup(credentials)) return this.#identity.authenticate(credentials);
    this.#rateLimit.requireLookup(address, response);
    const principal = await this.#identity.authenticate(credentials);
    if (principal === undefined) await this.#rateLimit.noteFailedLookup(address);
    return principal;
  }

  /** What a request brings along to say who makes it. */
  credentialsOf({ headers, secure }: Pick<Request, 'headers' | 'secure'>): Credentials {
    const { apiKeys, sessions } = this.#config;
    return {
      authorization: headers.authorization,
      apiKey: single(headers[apiKeys.header]),
      cookie: headers.cookie === undefined ? undefined : readCookie(headers.cookie, sessionName(sessions.cookie, secure)),
    };
  }

  /**
   * Throws CSRF_TOKEN_INVALID. A browser adds its cookies to whatever any page makes it send. So a change by cookie needs the token that only a page of ours
   * can read, and must not come from another site. Where nobody signs in, `requireOwnOrigin` has refused other sites before.
   */
  requireOwnPage(request: Request, { via, sessionId = '' }: Principal): void {
    if (via !== 'cookie' || SAFE_METHODS.has(request.method)) return;
    if (isCrossSite(request)) throw csrfInvalid('Cross-site requests are not allowed.');
    const given = single(request.headers[CSRF_HEADER]);
    if (given === undefined || !this.#identity.sessions.isCsrfToken(given, sessionId))
      throw csrfInvalid('The CSRF token is missing or invalid. Send the csrf_token of your sign-in as X-CSRF-Token.');
  }
}
