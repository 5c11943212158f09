import type { Config } from '@sheaf/config';
import type { SessionCookie } from '@sheaf/identity';

type CookieSettings = Config['sessions']['cookie'];

/** The value of the cookie `name` in a Cookie header; the first one where a browser sends several. */
export const readCookie = (header: string | undefined, name: string): string | undefined => {
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
};

interface Attributes {
  readonly httpOnly: boolean;
  /** Undefined: until the browser is closed. */
  readonly expiresAt: Date | undefined;
}

const write = (
  name: string,
  value: string,
  { secure, sameSite }: CookieSettings,
  isSecure: boolean,
  { httpOnly, expiresAt }: Attributes,
): string =>
  [
    `${name}=${value}`,
    'Path=/',
    ...(expiresAt === undefined ? [] : [`Expires=${expiresAt.toUTCString()}`]),
    ...(httpOnly ? ['HttpOnly'] : []),
    ...((secure ?? isSecure) ? ['Secure'] : []),
    `SameSite=${sameSite}`,
  ].join('; ');

/** The cookie beside the session's that pages may read. */
export const csrfName = (name: string): string => `${name}_csrf`;

/** Set-Cookie lines for a session: its cookie, and one that the page reads to send with changes. */
export const sessionCookies = (cookie: SessionCookie, settings: CookieSettings, isSecure: boolean): string[] => [
  write(settings.name, cookie.value, settings, isSecure, { httpOnly: settings.httpOnly, expiresAt: cookie.expiresAt }),
  write(csrfName(settings.name), cookie.csrfToken, settings, isSecure, { httpOnly: false, expiresAt: cookie.expiresAt }),
];

const LONG_AGO = new Date(0);

/** Set-Cookie lines that take both away. */
export const withoutSessionCookies = (settings: CookieSettings, isSecure: boolean): string[] => [
  write(settings.name, '', settings, isSecure, { httpOnly: settings.httpOnly, expiresAt: LONG_AGO }),
  write(csrfName(settings.name), '', settings, isSecure, { httpOnly: false, expiresAt: LONG_AGO }),
];
