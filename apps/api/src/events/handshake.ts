import { addressBlock, type Credentials } from '@sheaf/accounts';
import type { FixedConfig } from '@sheaf/config';
import { rateLimited } from '@sheaf/contract';
import type { Request } from 'express';
import { type Authenticator, isCrossSite } from '../http/authenticate.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { clientAddress } from '../http/request-origin.ts';

/** How a connection begins. */
export interface Handshake {
  /** What it brings along; undefined when it has to say who it is. */
  readonly credentials: Credentials | undefined;
  /** Where it comes from, as connections are counted. */
  readonly addressBlock: string;
}

/** What it comes as: a request to become a WebSocket, or an ordinary one. */
type HandshakeKind = 'upgrade' | 'request';

export interface HandshakeParts {
  readonly authenticator: Authenticator;
  readonly rateLimit: Pick<RateLimit, 'consume'>;
  readonly config: Pick<FixedConfig, 'signIn' | 'cors'>;
}

/** Whether a browser says that one of our own pages opens this, or one of an origin that CORS_ALLOWED_ORIGINS names. */
const isOfOurPage = (request: Request, { enabled, origins }: FixedConfig['cors'], kind: HandshakeKind): boolean => {
  const { origin } = request.headers;
  // Browsers leave it out for requests within one origin, but never for a WebSocket.
  if (origin === undefined) return kind === 'request' && !isCrossSite(request);
  if (enabled && origins !== 'any' && origins.includes(origin)) return true;
  return URL.canParse(origin) && new URL(origin).host === request.host;
};

/** What good credentials a connection has from its headers. A cookie counts only from a page of ours: a browser adds it to anybody's. */
const findCredentials = (request: Request, { authenticator, config }: HandshakeParts, kind: HandshakeKind): Credentials | undefined => {
  const { cookie, ...headers } = authenticator.credentialsOf(request);
  if (!config.signIn.enabled) return {};
  if (headers.authorization !== undefined || headers.apiKey !== undefined) return headers;
  return cookie !== undefined && isOfOurPage(request, config.cors, kind) ? { cookie } : undefined;
};

/** Looks at how a connection begins, and counts it as a request. Throws RATE_LIMITED. */
export const readHandshake = async (request: Request, parts: HandshakeParts, kind: HandshakeKind): Promise<Handshake> => {
  const address = clientAddress(request);
  const credentials = findCredentials(request, parts, kind);
  const caller = credentials && (await parts.authenticator.authenticateWith(credentials, address));
  const count = await parts.rateLimit.consume(caller, address, 'request');
  if (count?.isOver === true) throw rateLimited(count.limit, Math.max(1, Math.ceil(count.msLeft / 1_000)));
  // bad ones may still be followed by good ones
  return { credentials: caller === undefined ? undefined : credentials, addressBlock: addressBlock(address ?? 'unknown') };
};

/** The credentials behind a token that a client says, which may be an API key too. */
export const toCredentials = (token: string): Credentials =>
  token.startsWith('shf_') ? { apiKey: token } : { authorization: `Bearer ${token}` };
