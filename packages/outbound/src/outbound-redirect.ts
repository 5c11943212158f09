import { OutboundError } from './outbound-error.ts';

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
