import { type Readable, Transform } from 'node:stream';
import {
  type GuardedFetch,
  type GuardedFetchOptions,
  makeGuardedFetch,
  OutboundError,
  type OutboundErrorCode,
  type OutboundPolicy,
} from '@sheaf/outbound';
import type { SourceErrorCode } from '@sheaf/vocabulary/sources';
import { SourceError } from './source-driver.ts';

const HIDDEN: ReadonlySet<string> = new Set(['refused_address', 'dns']);

/** The same for a name that nobody knows, one of the inner network and an address of it, so that failures do not map that network. */
const notPublic = (host: string, cause: OutboundError): OutboundError =>
  new OutboundError(
    'refused_address',
    `${host} has no public address. Only administrators can use private networks outside OUTBOUND_ALLOWED_NETWORKS`,
    { cause },
  );

const hostOf = (url: string | URL): string => (URL.canParse(url) ? new URL(url).host : 'this address');

/**
 * The guarded client for those who do not administer this service: private networks are closed to it unless they are in
 * OUTBOUND_ALLOWED_NETWORKS, and nothing is sent there, so closed, open and silent ports do not differ.
 */
export const makePublicFetch = (policy: OutboundPolicy, options: GuardedFetchOptions): GuardedFetch => {
  const fetch = makeGuardedFetch({ allowedNetworks: policy.allowedNetworks, denyPrivate: true }, options);
  return async (url, request) => {
    try {
      return await fetch(url, request);
    } catch (error) {
      throw error instanceof OutboundError && HIDDEN.has(error.code) ? notPublic(hostOf(url), error) : error;
    }
  };
};

/** Takes `open` where `isTrusted` says so, and `publicOnly` otherwise. Asks once, with the first request. */
export const fetchByTrust = (open: GuardedFetch, publicOnly: GuardedFetch, isTrusted: () => Promise<boolean>): GuardedFetch => {
  let trusted: Promise<boolean> | undefined;
  return async (url, request) => {
    trusted ??= isTrusted();
    return (await trusted) ? open(url, request) : publicOnly(url, request);
  };
};

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
  refused_redirect: 'Content of another server is not imported. To import it, use the URL of that server.',
  dns: 'Check the URL.',
  connection: 'Check the URL and whether the server is running.',
  tls: 'Check the certificate of the server.',
};

const adviceFor = ({ code, message }: OutboundError): string => {
  if (message.includes('OUTBOUND_CA_FILE')) return ''; // it has it already
  if (code !== 'refused_address') return ADVICE[code] ?? '';
  return message.includes('OUTBOUND_ALLOWED_NETWORKS')
    ? 'An administrator can add it there.'
    : 'Requests to such addresses are always blocked.';
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
  if (status === 401) return new SourceError('unauthorized', `${host} rejected the user name and password (401). Enter them again.`);
  if (status === 403)
    return new SourceError('unauthorized', `${host} denied access for this user (403). Check the permissions of the user.`);
  if (status === 404 || status === 410) return new SourceError('not_found', `${host} has no resource at this URL (${status}).`);
  if (status === 408 || status === 504) return new SourceError('timeout', `${host} reported a timeout (${status}).`, options);
  if (status === 429 || (status === 503 && waitMs !== undefined)) {
    return new SourceError('throttled', `${host} limits the request rate (${status}). The request is retried later.`, options);
  }
  if (status >= 500)
    return new SourceError('server_error', `${host} reported a server error (${status}). The request is retried later.`, options);
  return new SourceError('protocol', `${host} returned the unexpected status ${status}.`);
};

export interface ExactBody {
  /** What was announced; undefined when nothing was. */
  readonly sizeBytes: number | undefined;
  readonly host: string;
}

const wrongLength = (host: string, announced: number, found: string): SourceError =>
  new SourceError('protocol', `${host} announced ${announced} bytes but sent ${found}.`);

/** The body, failing with a SourceError when it breaks off or is not as long as announced. Destroying it ends the request. */
export const exactBody = (body: Readable, { sizeBytes, host }: ExactBody): Readable => {
  let bytes = 0;
  const exact = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      bytes += chunk.byteLength;
      if (sizeBytes !== undefined && bytes > sizeBytes) done(wrongLength(host, sizeBytes, 'more'));
      else done(null, chunk);
    },
    flush(done) {
      done(sizeBytes === undefined || bytes === sizeBytes ? null : wrongLength(host, sizeBytes, `${bytes}`));
    },
    destroy(error, done) {
      body.destroy();
      done(error);
    },
  });
  body.on('error', (error) => exact.destroy(toSourceError(error) as Error));
  // Who gives up before reading leaves the error to nobody: it must not end the process. Readers still get it.
  exact.on('error', () => {});
  return body.pipe(exact);
};
