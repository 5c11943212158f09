import { errorChain, errorCode } from './error-code.ts';

/** A certificate that no authority known here has signed, also none in between. */
const UNTRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|CERT_UNTRUSTED)$/;
const OF_TLS = /^(ERR_TLS|ERR_SSL|CERT_|INVALID_CA|PATH_LENGTH|INVALID_PURPOSE)/;
const NO_TLS = /^(ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|ERR_SSL_HTTP_REQUEST|EPROTO)$/;

export interface ConnectionReason {
  readonly kind: 'untrusted' | 'tls' | 'connection';
  /** Such as `connection refused`: for people, and with the code where nothing plainer is known. */
  readonly text: string;
}

const TLS_TEXTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  CERT_REVOKED: 'its certificate was revoked',
  HOSTNAME_MISMATCH: 'its certificate is not for this host name',
};

const CONNECTION_TEXTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the server closed the connection',
  EPIPE: 'the server closed the connection',
  UND_ERR_SOCKET: 'the server closed the connection',
  EHOSTUNREACH: 'the host is not reachable',
  ENETUNREACH: 'the network is not reachable',
  EHOSTDOWN: 'the host is down',
};

/** A certificate with another name than that of the host that was asked. */
const namesOf = (error: Error): string => {
  const host = 'host' in error && typeof error.host === 'string' ? `: ${error.host}` : '';
  return `its certificate is not for this host name${host}`;
};

const reasonOfCode = (code: string, error: Error): ConnectionReason | undefined => {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return { kind: 'tls', text: namesOf(error) };
  if (UNTRUSTED.test(code)) return { kind: 'untrusted', text: 'its certificate is not signed by a known CA' };
  const tls = TLS_TEXTS[code];
  if (tls !== undefined) return { kind: 'tls', text: tls };
  if (NO_TLS.test(code)) return { kind: 'tls', text: 'it does not use TLS on this port' };
  if (OF_TLS.test(code)) return { kind: 'tls', text: `the TLS connection failed (${code})` };
  const connection = CONNECTION_TEXTS[code];
  return connection === undefined ? undefined : { kind: 'connection', text: connection };
};

/**
 * Why a server could not be talked to, in plain words in place of those of the runtime, which are for its developers; undefined where the
 * error is about something else.
 */
export const connectionReason = (error: unknown): ConnectionReason | undefined => {
  for (const met of errorChain(error)) {
    const found = reasonOfCode(errorCode(met) ?? '', met);
    if (found !== undefined) return found;
  }
  return undefined;
};
