import { type ConnectionReason, connectionReason, errorCode } from '@sheaf/contract';
/** Why a request that we sent to elsewhere has no answer. `refused_*` and `invalid_url` are our own decision: nothing was sent. */
export type OutboundErrorCode =
  | 'invalid_url'
  | 'refused_address'
  | 'refused_redirect'
  | 'too_many_redirects'
  | 'dns'
  | 'connection'
  | 'tls'
  | 'timeout'
  | 'too_large';

/** Callers switch on the code. The message names hosts and addresses, never a path, a query or a header. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly code: OutboundErrorCode;

  constructor(code: OutboundErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

const CODES: Readonly<Record<string, OutboundErrorCode>> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'too_large',
  HPE_HEADER_OVERFLOW: 'too_large',
};

const WORDS: Partial<Record<OutboundErrorCode, string>> = {
  dns: 'unknown host name',
  timeout: 'timeout',
  too_large: 'response headers too large',
};

const causesOf = (error: unknown): readonly Error[] => {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error && causes.length < 5; cause = cause.cause) causes.push(cause);
  return causes;
};

/** Of a reset connection nobody can tell how old it was. */
const RESET_CODES: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

const isOfKept = (error: Error): boolean => {
  const { socket } = error as { readonly socket?: { readonly bytesRead?: number } };
  return RESET_CODES.has(errorCode(error) ?? '') || (errorCode(error) === 'UND_ERR_SOCKET' && (socket?.bytesRead ?? 0) > 0);
};

/** True where a connection broke that brought an answer before, or may have: its end need not have to do with this request. */
export const isOfKeptConnection = (error: unknown): boolean => causesOf(error).some(isOfKept);

/** The words of the runtime are for its developers: of what is not known, people get the code. */
const detailOf = (reason: ConnectionReason | undefined, causes: readonly Error[]): string => {
  if (reason?.kind === 'untrusted') return `${reason.text}; an administrator can add the CA with OUTBOUND_CA_FILE`;
  if (reason !== undefined) return reason.text;
  const code = causes.map(errorCode).find((found) => found !== undefined);
  return code === undefined ? 'no connection' : `no connection (${code})`;
};

/** What fetch rejects with, in our terms: it wraps the socket's own error, which may in turn be one of ours. */
export const toOutboundError = (error: unknown, host: string): OutboundError => {
  const causes = causesOf(error);
  const ours = causes.find((cause) => cause instanceof OutboundError);
  if (ours !== undefined) return ours;
  const known = causes.map((cause) => CODES[errorCode(cause) ?? '']).find((code) => code !== undefined);
  const reason = connectionReason(error);
  const code = known ?? (reason === undefined || reason.kind === 'connection' ? 'connection' : 'tls');
  return new OutboundError(code, `Request to ${host} failed: ${WORDS[code] ?? detailOf(reason, causes)}`, { cause: error });
};
