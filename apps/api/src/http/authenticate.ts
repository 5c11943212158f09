import { AppError, type Principal } from '@sheaf/contract';
import type { Credentials } from '@sheaf/identity';
import type { Request, Response } from 'express';
import { readCookie, sessionName } from '../auth/session-cookie.ts';
import type { ApiDeps } from '../deps.ts';
import { clientAddress } from './client-address.ts';

const CSRF_HEADER = 'x-csrf-token';
/** What changes nothing, so that a page of somebody else gains nothing by making a browser send it. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

const single = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value.join(',') : value);

/** What a request brings along to say who makes it. */
export const credentialsOf = ({ headers, secure }: Pick<Request, 'headers' | 'secure'>, { config }: ApiDeps): Credentials => ({
  authorization: headers.authorization,
  apiKey: single(headers[config.apiKeys.header]),
  cookie: headers.cookie === undefined ? undefined : readCookie(headers.cookie, sessionName(config.sessions.cookie, secure)),
});

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

/**
 * Throws CSRF_TOKEN_INVALID. A browser adds its cookies to whatever any page makes it send. So a change by cookie needs the token that only a page of ours
 * can read, and must not come from another site. Where nobody signs in, `requireOwnOrigin` has refused other sites before.
 */
export const requireOwnPage = (request: Request, { via, sessionId = '' }: Principal, { identity }: ApiDeps): void => {
  if (via !== 'cookie' || SAFE_METHODS.has(request.method)) return;
  if (isCrossSite(request)) throw csrfInvalid('Cross-site requests are not allowed.');
  const given = single(request.headers[CSRF_HEADER]);
  if (given === undefined || !identity.sessions.isCsrfToken(given, sessionId))
    throw csrfInvalid('The CSRF token is missing or invalid. Send the csrf_token of your sign-in as X-CSRF-Token.');
};

/** Whom `credentials` stand for; undefined when they are not good. Throws RATE_LIMITED for an address that sends too many that are not. */
export const authenticateFrom = async (
  address: string | undefined,
  credentials: Credentials,
  { identity, rateLimit }: Pick<ApiDeps, 'identity' | 'rateLimit'>,
  response?: Response,
): Promise<Principal | undefined> => {
  if (!identity.needsLookup(credentials)) return identity.authenticate(credentials);
  await rateLimit.requireLookup(address, response);
  const principal = await identity.authenticate(credentials);
  if (principal === undefined) await rateLimit.noteFailedLookup(address);
  return principal;
};

/** Who makes the request; undefined when it carries nothing, or nothing that is good. Throws RATE_LIMITED as `authenticateFrom` does. */
export const authenticate = (request: Request, deps: ApiDeps): Promise<Principal | undefined> =>
  authenticateFrom(clientAddress(request), credentialsOf(request, deps), deps, request.res);
