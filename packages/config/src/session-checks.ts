import type { Values } from './parse.ts';

type Check = (values: Partial<Values>) => string | undefined;

/** What RFC 6265 and RFC 9110 let names of cookies and of headers be made of. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Headers that mean something else already, or that others set. */
const TAKEN_HEADERS = ['authorization', 'cookie', 'host', 'content-type', 'content-length', 'origin', 'x-csrf-token', 'x-request-id'];

const checkCookieName: Check = ({ SESSION_COOKIE_NAME: name, SESSION_COOKIE_SECURE: secure }) => {
  if (name === undefined) return undefined;
  if (!TOKEN.test(name)) return 'must be a cookie name: letters, digits, _ and -';
  return /^__(host|secure)-/i.test(name) && secure !== true
    ? 'can start with __Host- or __Secure- only if SESSION_COOKIE_SECURE=true'
    : undefined;
};

const checkSameSite: Check = ({ SESSION_COOKIE_SAMESITE: sameSite, SESSION_COOKIE_SECURE: secure }) =>
  sameSite === 'none' && secure !== true
    ? 'can be None only if SESSION_COOKIE_SECURE=true: browsers reject the cookie otherwise; set SESSION_COOKIE_SECURE=true or use Lax'
    : undefined;

const checkStoreUrl: Check = ({ SESSION_BACKEND: backend, STORE_SESSION_URL: url }) => {
  if (url === undefined) return backend === 'redis' ? 'is required when SESSION_BACKEND=redis' : undefined;
  const parsed = URL.canParse(url.reveal()) ? new URL(url.reveal()) : undefined;
  return parsed !== undefined && /^rediss?:$/.test(parsed.protocol) && parsed.hostname !== ''
    ? undefined
    : 'must be a URL such as redis://user:password@host:6379/0';
};

const checkKeyHeader: Check = ({ API_KEY_HEADER: header }) => {
  if (header === undefined) return undefined;
  if (!TOKEN.test(header)) return 'must be a header name such as X-API-Key';
  return TAKEN_HEADERS.includes(header.toLowerCase()) ? 'is a header with another meaning; choose one such as X-API-Key' : undefined;
};

/** The rules across variables about sessions and keys, by the variable that is to be mended. */
export const SESSION_CHECKS: Readonly<Record<string, Check>> = {
  SESSION_COOKIE_NAME: checkCookieName,
  SESSION_COOKIE_SAMESITE: checkSameSite,
  STORE_SESSION_URL: checkStoreUrl,
  API_KEY_HEADER: checkKeyHeader,
};
