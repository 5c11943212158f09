import { AppError } from '@sheaf/contract';
import { OutboundError } from '@sheaf/outbound';
import type { Logger } from '@sheaf/process';
import { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client';
import { providerAway, signInExpired, signInInvalid, signInRefused } from '../sign-in-errors.ts';

/** Codes of the library for answers that cannot be read: the provider is broken rather than the sign-in. */
const AWAY: ReadonlySet<string> = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON']);

/** Errors the provider names when it is itself in trouble. */
const TROUBLE: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable']);

const chainOf = (error: unknown): readonly Error[] => {
  const chain: Error[] = [];
  for (let cause = error; cause instanceof Error && chain.length < 6; cause = cause.cause) chain.push(cause);
  return chain;
};

/** What the library says of an error, of which nothing may be a token or a value of a claim. */
const factsOf = (error: unknown): Record<string, unknown> => {
  const [outer] = chainOf(error);
  const code = outer !== undefined && 'code' in outer ? outer.code : undefined;
  const details = chainOf(error).at(-1)?.cause;
  const claim = typeof details === 'object' && details !== null && 'claim' in details ? details.claim : undefined;
  return { reason: code ?? outer?.name, ...(claim === undefined ? {} : { claim }) };
};

/** What an error on the way through the provider means to who is signing in. The reason goes to the log. */
export const toSignInError = (error: unknown, log: Logger): AppError => {
  if (error instanceof AppError) return error;
  const outbound = chainOf(error).find((cause) => cause instanceof OutboundError);
  if (outbound !== undefined) {
    log.warn({ reason: outbound.code, err: outbound }, 'OIDC provider unreachable');
    return providerAway();
  }
  if (error instanceof AuthorizationResponseError) {
    const named = error.error.slice(0, 100);
    log.info({ reason: named }, 'OIDC provider denied the sign-in');
    return TROUBLE.has(named) ? providerAway() : signInRefused();
  }
  if (error instanceof ResponseBodyError) {
    const named = error.error.slice(0, 100);
    log.warn({ reason: named, status: error.status }, 'OIDC token request failed');
    return named === 'invalid_grant' ? signInExpired() : providerAway();
  }
  log.warn(factsOf(error), 'OIDC response validation failed');
  const code = chainOf(error)[0];
  const isAway = error instanceof WWWAuthenticateChallengeError || (code !== undefined && 'code' in code && AWAY.has(String(code.code)));
  return isAway ? providerAway() : signInInvalid();
};
