import type { Client, Identity, PasswordPolicy, SessionCookie } from '@sheaf/accounts';
import type { Audit } from '@sheaf/accounts/users';
import type { FixedConfig } from '@sheaf/config';
import type { Database } from '@sheaf/db';
import { type Clock, Counter, type Live, type Registry } from '@sheaf/process';
import type { Cursors } from '../http/list-route.ts';
import type { RequestContext } from '../http/route.ts';
import { cookieName, readCookie, sessionCookies, writeCookie } from './session-cookie.ts';

/** What is written down of a sign-in, and which of its steps it was. */
const STEPS: Readonly<Record<string, string>> = { sign_in: 'first', 'sign_in.mfa': 'second_factor' };

/** Counts sign-ins by what `audit` writes down of them, so that no sign-in method is forgotten. */
export const countSignIns = (registry: Registry, audit: Audit): Audit => {
  const signIns = new Counter({
    name: 'sheaf_sign_ins_total',
    help: 'Sign-ins by step and result',
    labelNames: ['step', 'outcome'],
    registers: [registry],
  });
  for (const step of Object.values(STEPS)) for (const outcome of ['success', 'failure']) signIns.inc({ step, outcome }, 0);
  return async (tx, entry, formerEmail) => {
    await audit(tx, entry, formerEmail);
    const step = STEPS[entry.action];
    if (step !== undefined) signIns.inc({ step, outcome: entry.outcome });
  };
};

const MAX_USER_AGENT_CHARACTERS = 500;

/** Where a request comes from, as sessions and the audit log keep it. */
export const clientOf = ({ address, headers, connection: { device } }: RequestContext): Client => ({
  address,
  userAgent: headers['user-agent']?.slice(0, MAX_USER_AGENT_CHARACTERS),
  device,
});

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
