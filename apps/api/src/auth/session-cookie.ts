import type { SessionCookie } from '@sheaf/accounts';
import type { FixedConfig } from '@sheaf/config';
import { parseCookie, stringifySetCookie } from 'cookie';

type CookieSettings = FixedConfig['sessions']['cookie'];

/** Values are opaque: names and tokens of our own, which need no escaping. */
const asIs = (value: string): string => value;

/** The value of the cookie `name` in a Cookie header; the first one where a browser sends several. */
export const readCookie = (header: string | undefined, name: string): string | undefined =>
  header === undefined ? undefined : parseCookie(header, { decode: asIs })[name];

interface Attributes {
  readonly httpOnly: boolean;
  /** Undefined: until the browser is closed. */
  readonly expiresAt: Date | undefined;
}

/** A Set-Cookie line. */
export const writeCookie = (
  name: string,
  value: string,
  { secure, sameSite }: CookieSettings,
  isSecure: boolean,
  { httpOnly, expiresAt }: Attributes,
): string =>
  stringifySetCookie(
    { name, value, path: '/', httpOnly, secure: secure ?? isSecure, sameSite, ...(expiresAt === undefined ? {} : { expires: expiresAt }) },
    { encode: asIs },
  );

/** What the cookie of a session is called. */
export const sessionName = (settings: CookieSettings, isSecure: boolean): string => cookieName(settings.name, settings, isSecure);

/** The cookie beside the session's that pages may read. */
export const csrfName = (settings: CookieSettings, isSecure: boolean): string => cookieName(`${settings.name}_csrf`, settings, isSecure);

/** Set-Cookie lines for a session: its cookie, and one that the page reads to send with changes. */
export const sessionCookies = (cookie: SessionCookie, settings: CookieSettings, isSecure: boolean): string[] => [
  writeCookie(sessionName(settings, isSecure), cookie.value, settings, isSecure, {
    httpOnly: settings.httpOnly,
    expiresAt: cookie.expiresAt,
  }),
  writeCookie(csrfName(settings, isSecure), cookie.csrfToken, settings, isSecure, { httpOnly: false, expiresAt: cookie.expiresAt }),
];

const LONG_AGO = new Date(0);

/** Set-Cookie lines that take both away. */
export const withoutSessionCookies = (settings: CookieSettings, isSecure: boolean): string[] => [
  writeCookie(sessionName(settings, isSecure), '', settings, isSecure, { httpOnly: settings.httpOnly, expiresAt: LONG_AGO }),
  writeCookie(csrfName(settings, isSecure), '', settings, isSecure, { httpOnly: false, expiresAt: LONG_AGO }),
];

const HOST_PREFIX = '__Host-';

/**
 * What a cookie is called in the browser. A `Secure` one of the usual name has the prefix that keeps neighbouring hosts from writing
 * it; a name that somebody configured is used as it is, and may have the prefix itself. Choice: a cookie of another name is not read
 * beside it, or such a host could still bring a session of its own; browsers that were signed in before sign in once more.
 */
export const cookieName = (
  base: string,
  { secure, hasGivenName }: Pick<FixedConfig['sessions']['cookie'], 'secure' | 'hasGivenName'>,
  isSecure: boolean,
): string => ((secure ?? isSecure) && !hasGivenName ? HOST_PREFIX + base : base);
