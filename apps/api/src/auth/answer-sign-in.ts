import type { Identity, PasswordPolicy, SessionCookie } from '@sheaf/accounts';
import type { FixedConfig } from '@sheaf/config';
import type { Database } from '@sheaf/db';
import type { Clock, Live } from '@sheaf/process';
import type { Cursors } from '../http/cursor.ts';
import type { RequestContext } from '../http/route.ts';
import { cookieName, readCookie, sessionCookies, writeCookie } from './session-cookie.ts';

/** What a sign-in answers; where it opened a browser session, the answer sets the cookies too. */
export const answerSignIn = <A>(
  { answer, cookie, device }: { readonly answer: A; readonly cookie?: SessionCookie; readonly device?: string },
  context: RequestContext,
  { config }: Pick<AuthServices, 'config'>,
): A => {
  if (cookie !== undefined)
    for (const line of sessionCookies(cookie, config.sessions.cookie, context.connection.isSecure)) context.setCookie(line);
  if (device !== undefined) context.setCookie(deviceCookie(device, config.sessions.cookie, context.connection.isSecure));
  return answer;
};

type CookieSettings = FixedConfig['sessions']['cookie'];

const LIFE_MS = 365 * 24 * 3_600_000;

const deviceName = (settings: CookieSettings, isSecure: boolean): string => cookieName(`${settings.name}_device`, settings, isSecure);

/** The cookie by which a browser is known again that has signed in before. It opens nothing. */
export const readDeviceCookie = (header: string | undefined, settings: CookieSettings, isSecure: boolean): string | undefined =>
  header === undefined ? undefined : readCookie(header, deviceName(settings, isSecure));

/** The Set-Cookie line for it. It outlives the session by a year. */
const deviceCookie = (value: string, settings: CookieSettings, isSecure: boolean): string =>
  writeCookie(deviceName(settings, isSecure), value, settings, isSecure, { httpOnly: true, expiresAt: new Date(Date.now() + LIFE_MS) });

/** What the routes of signing in use. */
export interface AuthServices {
  readonly config: FixedConfig;
  readonly database: Database;
  readonly identity: Identity;
  /** Whether everybody may make an account. */
  readonly registrationEnabled: Live<boolean>;
  readonly passwordPolicy: Live<PasswordPolicy>;
  readonly cursors: Cursors;
  readonly clock: Clock;
}
