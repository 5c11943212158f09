import type { FixedConfig } from '@sheaf/config';
import { cookieName } from './cookie-name.ts';
import { readCookie, writeCookie } from './session-cookie.ts';

type CookieSettings = FixedConfig['sessions']['cookie'];

const LIFE_MS = 365 * 24 * 3_600_000;

const deviceName = (settings: CookieSettings, isSecure: boolean): string => cookieName(`${settings.name}_device`, settings, isSecure);

/** The cookie by which a browser is known again that has signed in before. It opens nothing. */
export const readDeviceCookie = (header: string | undefined, settings: CookieSettings, isSecure: boolean): string | undefined =>
  header === undefined ? undefined : readCookie(header, deviceName(settings, isSecure));

/** The Set-Cookie line for it. It outlives the session by a year. */
export const deviceCookie = (value: string, settings: CookieSettings, isSecure: boolean): string =>
  writeCookie(deviceName(settings, isSecure), value, settings, isSecure, { httpOnly: true, expiresAt: new Date(Date.now() + LIFE_MS) });
