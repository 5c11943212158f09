import { hashPassword, Identity, type IdentityDeps, type IdentitySettings } from '@sheaf/accounts';
import { createUser } from '@sheaf/accounts/users';
import { Secret } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import { type Clock, constant, silentLogger, uuidv7 } from '@sheaf/process';
import { CONFIGURED_ROLES } from './built-in-roles.ts';

/** A clock that stands still until it is moved. */
export class TestClock implements Clock {
  #ms = Date.now();

  now(): Date {
    return new Date(this.#ms);
  }

  pass(ms: number): void {
    this.#ms += ms;
  }
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const PASSWORD = 'correct horse battery';
export const CLIENT = { address: '192.0.2.7', userAgent: 'test' };
export const BY_TOKEN = { cookie: false, rememberMe: false };
export const BY_COOKIE = { cookie: true, rememberMe: false };

const NOTHING = { adminGroup: undefined, mapping: {}, autoCreate: false };

export const settingsOf = (changes: Partial<IdentitySettings> = {}): IdentitySettings => ({
  enabled: true,
  emailVerificationRequired: constant(false),
  roles: CONFIGURED_ROLES,
  defaultRole: constant('viewer'),
  lockout: constant({ maxAttempts: 5, durationMs: 15 * MINUTE }),
  tokens: { enabled: true, secret: new Secret('t'.repeat(40)), algorithm: 'HS256', lifeMs: constant(HOUR), refreshLifeMs: 7 * DAY },
  sessions: {
    secret: new Secret('s'.repeat(40)),
    lifeMs: DAY,
    idleMs: HOUR,
    rememberMeMs: 30 * DAY,
    maxConcurrent: constant(undefined),
    storeUrl: undefined,
    cleanupMs: HOUR,
  },
  apiKeys: { enabled: true, lifeMs: constant(90 * DAY) },
  secondFactor: { enabled: false, methods: ['totp'], issuer: 'Sheaf', webauthn: undefined, enforceForAdmins: false, graceMs: 0 },
  appSecretKey: new Secret('k'.repeat(40)),
  external: { oidc: NOTHING, ldap: NOTHING, saml2: NOTHING },
  ...changes,
});

/** The identity service on `db`, with a clock of its own. */
export const givenIdentity = (db: Db, changes: Partial<IdentitySettings> = {}, parts: Partial<IdentityDeps> = {}) => {
  const clock = new TestClock();
  const identity = new Identity({ db, clock, log: silentLogger(), settings: settingsOf(changes), ...parts });
  return { identity, clock };
};

const hash = hashPassword(PASSWORD);

/** A user who can sign in with PASSWORD. */
export const givenAccount = async (db: Db, role = 'editor'): Promise<User> => {
  const username = `user-${uuidv7().slice(-12)}`;
  return createUser(db, { username, email: `${username}@example.org`, role, passwordHash: await hash, emailVerifiedAt: new Date() });
};

/** Signs in and answers what was told, which is no second step. */
export const signedIn = async (identity: Identity, user: User, wishes = BY_TOKEN) => {
  const { answer, cookie } = await identity.signIn.withPassword(user.username, PASSWORD, CLIENT, wishes);
  if ('mfa_required' in answer) throw new Error('a second factor is due');
  return { ...answer, cookie, authorization: `Bearer ${answer.token}` };
};
