import { type ConnectionReason, connectionReason, errorCode } from '@sheaf/contract';

export type OutboundBody = string | Uint8Array | AsyncIterable<Uint8Array>;

/** One request of the chain that redirects make of a call. */
export interface Hop {
  readonly url: URL;
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: OutboundBody | undefined;
}

/** RFC 9110, 9.2.2: asked twice, they do what they do asked once. */
const IDEMPOTENT_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PROPFIND']);

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** What another host may see. Named one by one: any other header may carry a credential. */
const HARMLESS_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-type',
  'depth',
  'if-modified-since',
  'if-none-match',
  'range',
  'user-agent',
]);
const BODY_HEADERS: ReadonlySet<string> = new Set(['content-type', 'content-length', 'content-encoding', 'content-language']);

const keepHeaders = (headers: Hop['headers'], isKept: (name: string) => boolean): Hop['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => isKept(name)));

/** Whether a request may go out a second time when nobody knows what became of the first. */
export const isRepeatable = ({ method, body }: Hop): boolean =>
  IDEMPOTENT_METHODS.has(method) && (body === undefined || typeof body === 'string' || body instanceof Uint8Array);

export const isRedirect = (status: number, location: string | null): location is string => location !== null && REDIRECTS.has(status);

/** The http or https URL that is meant, without fragment. Throws for anything else and for one that carries credentials. */
export const parseTarget = (url: string | URL): URL => {
  if (!URL.canParse(url.toString())) throw new OutboundError('invalid_url', 'The request URL is invalid');
  const target = new URL(url);
  if (target.protocol !== 'https:' && target.protocol !== 'http:') {
    throw new OutboundError('invalid_url', `Only http and https are supported, not ${target.protocol}`);
  }
  if (target.username !== '' || target.password !== '') {
    throw new OutboundError('invalid_url', `The URL of ${target.host} contains credentials; send them in a header`);
  }
  target.hash = '';
  return target;
};

const redirectTarget = (location: string, from: URL): URL => {
  if (!URL.canParse(location, from.href)) throw new OutboundError('refused_redirect', `${from.host} redirects to an invalid URL`);
  const url = new URL(location, from.href);
  url.username = '';
  url.password = '';
  return url;
};

/** Throws where a redirect leaves scheme, host or port of the request. */
export const checkSameOrigin = ({ url }: Hop, location: string): void => {
  const { origin } = parseTarget(redirectTarget(location, url));
  if (origin !== url.origin) throw new OutboundError('refused_redirect', `${url.host} redirects to ${origin}`);
};

const becomesGet = (status: number, method: string): boolean =>
  (status === 303 && method !== 'GET' && method !== 'HEAD') || ((status === 301 || status === 302) && method === 'POST');

/** Where a redirect leads and what of the request goes with it. Throws where it must not be followed. */
export const nextHop = (hop: Hop, status: number, location: string): Hop => {
  const url = parseTarget(redirectTarget(location, hop.url));
  const { host } = hop.url;
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') {
    throw new OutboundError('refused_redirect', `${host} redirects from https to http`);
  }
  const sameOrigin = url.origin === hop.url.origin;
  const headers = sameOrigin ? hop.headers : keepHeaders(hop.headers, (name) => HARMLESS_HEADERS.has(name));
  if (becomesGet(status, hop.method)) {
    return { url, method: 'GET', headers: keepHeaders(headers, (name) => !BODY_HEADERS.has(name)), body: undefined };
  }
  if (hop.body !== undefined && !sameOrigin) {
    throw new OutboundError('refused_redirect', `${host} redirects a request with a body to ${url.host}`);
  }
  if (hop.body !== undefined && typeof hop.body !== 'string' && !(hop.body instanceof Uint8Array)) {
    throw new OutboundError('refused_redirect', `${host} redirects a request whose body was a stream and cannot be sent again`);
  }
  return { ...hop, url, headers };
};

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
