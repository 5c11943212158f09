import type { SourceErrorCode } from '@sheaf/contract';
import { OutboundError, type OutboundErrorCode } from '@sheaf/runtime';
import { SourceError } from './source-error.ts';

const CODES: Readonly<Record<OutboundErrorCode, SourceErrorCode>> = {
  invalid_url: 'refused',
  refused_address: 'refused',
  refused_redirect: 'refused',
  too_many_redirects: 'protocol',
  dns: 'unreachable',
  connection: 'unreachable',
  tls: 'unreachable',
  timeout: 'timeout',
  too_large: 'too_large',
};

const ADVICE: Partial<Record<OutboundErrorCode, string>> = {
  refused_redirect: 'Content of another server is not taken; if it is meant, give its address.',
  dns: 'Check the address.',
  connection: 'Check the address and whether the server runs.',
  tls: 'Check the certificate of the server.',
};

const adviceFor = ({ code, message }: OutboundError): string => {
  if (code !== 'refused_address') return ADVICE[code] ?? '';
  return message.includes('OUTBOUND_ALLOWED_NETWORKS') ? 'An administrator can list it there.' : 'Such addresses are never called.';
};

/** What a failed request means for a source. Anything that is not of the guarded client, such as a signal's reason, stays as it is. */
export const toSourceError = (error: unknown): unknown => {
  if (!(error instanceof OutboundError)) return error;
  return new SourceError(CODES[error.code], `${error.message}. ${adviceFor(error)}`.trimEnd(), { cause: error });
};

const MAX_RETRY_AFTER_MS = 24 * 60 * 60_000;

/** Retry-After in its two forms; undefined when there is none that makes sense. */
export const retryAfterMs = (value: string | undefined, now: Date = new Date()): number | undefined => {
  if (value === undefined) return undefined;
  const waitMs = /^\d{1,9}$/.test(value.trim()) ? Number(value) * 1_000 : Date.parse(value) - now.getTime();
  return Number.isFinite(waitMs) && waitMs >= 0 ? Math.min(waitMs, MAX_RETRY_AFTER_MS) : undefined;
};

/** What a status of 400 and above means, for statuses that mean the same to every kind of source. */
export const statusFailure = (status: number, retryAfter: string | undefined, host: string): SourceError => {
  const waitMs = retryAfterMs(retryAfter);
  const options = waitMs === undefined ? {} : { retryAfterMs: waitMs };
  if (status === 401) return new SourceError('unauthorized', `${host} does not accept the user name and password (401). Enter them again.`);
  if (status === 403)
    return new SourceError('unauthorized', `${host} does not allow this user to read here (403). Check the user's rights.`);
  if (status === 404 || status === 410) return new SourceError('not_found', `${host} has nothing at this address (${status}).`);
  if (status === 408 || status === 504) return new SourceError('timeout', `${host} gave up waiting (${status}).`, options);
  if (status === 429 || (status === 503 && waitMs !== undefined)) {
    return new SourceError('throttled', `${host} asks for fewer requests (${status}). It is asked again later.`, options);
  }
  if (status >= 500)
    return new SourceError('server_error', `${host} has a fault of its own (${status}). It is asked again later.`, options);
  return new SourceError('protocol', `${host} answers with the unexpected status ${status}.`);
};
