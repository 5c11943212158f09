// What variables of sessions, tokens and keys do, from the environment to who is let in and for how long.

import { Identity, OidcDriver } from '@sheaf/accounts';
import { identityDeps } from '@sheaf/api/testing';
import { loadConfig } from '@sheaf/config';
import { constant, silentLogger } from '@sheaf/process';
import { type TestDatabase } from '@sheaf/testkit';
import { BY_COOKIE, BY_TOKEN, CLIENT, DAY, givenAccount, HOUR, MINUTE, signedIn, TestClock } from '../../support/given-identity.ts';
import { givenOidc, oidcSettings } from '../../support/given-oidc.ts';
import { makeNotedLogger } from '../../support/noted-logger.ts';
import { codeOf } from '../../support/second-factors.ts';
import { testWithOwnDatabase } from '../../support/test-database.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = testWithOwnDatabase();

/** The identity service of the api with this environment, and a clock that stands still. */
const open = (database: TestDatabase, environment: Readonly<Record<string, string>>) => {
  const clock = new TestClock();
  const { config } = loadConfig({ environment });
  return { clock, identity: new Identity(identityDeps(config, constant(config), database, { clock, log: silentLogger() })), config };
};

const REMEMBERED = { cookie: true, rememberMe: true };

test('SESSION_LIFETIME_HOURS ends a browser session that is used, SESSION_IDLE_TIMEOUT_MINUTES one that is not', async (t) => {
  const { identity, clock } = open(t.context, { SESSION_LIFETIME_HOURS: '2', SESSION_IDLE_TIMEOUT_MINUTES: '40', SESSION_TIMEOUT: '60' });
  const user = await givenAccount(t.context.db);
  const [used, unused] = [await signedIn(identity, user, BY_COOKIE), await signedIn(identity, user, BY_COOKIE)];
  const isIn = async ({ cookie }: typeof used) => (await identity.authenticate({ cookie: cookie?.value })) !== undefined;
  for (const minutes of [30, 60, 90]) {
    clock.pass(30 * MINUTE);
    t.true(await isIn(used), `after ${minutes} minutes`);
  }
  t.false(await isIn(unused));
  clock.pass(31 * MINUTE);
  t.false(await isIn(used), 'after its life');
});

test('SESSION_TIMEOUT counts where SESSION_IDLE_TIMEOUT_MINUTES is not set', async (t) => {
  const { identity, clock } = open(t.context, { SESSION_TIMEOUT: '120' });
  const { cookie } = await signedIn(identity, await givenAccount(t.context.db), BY_COOKIE);
  clock.pass(121_000);
  t.is(await identity.authenticate({ cookie: cookie?.value }), undefined);
});

test('SESSION_REMEMBER_ME_DAYS is how long a remembered session lasts', async (t) => {
  const { identity, clock } = open(t.context, { SESSION_REMEMBER_ME_DAYS: '3' });
  const { cookie } = await signedIn(identity, await givenAccount(t.context.db), REMEMBERED);
  t.is(cookie?.expiresAt?.getTime(), clock.now().getTime() + 3 * DAY);
  clock.pass(3 * DAY - HOUR);
  t.truthy(await identity.authenticate({ cookie: cookie?.value }));
  clock.pass(2 * HOUR);
  t.is(await identity.authenticate({ cookie: cookie?.value }), undefined);
});

test('JWT_EXPIRY_MINUTES is how long a token lives, JWT_REFRESH_EXPIRY_DAYS how long it can be renewed', async (t) => {
  const { identity, clock } = open(t.context, { JWT_EXPIRY_MINUTES: '5', JWT_REFRESH_EXPIRY_DAYS: '2' });
  const user = await givenAccount(t.context.db);
  const [early, late] = [await signedIn(identity, user), await signedIn(identity, user)];
  clock.pass(4 * MINUTE);
  t.truthy(await identity.authenticate({ authorization: early.authorization }));
  clock.pass(2 * MINUTE);
  t.is(await identity.authenticate({ authorization: early.authorization }), undefined);
  clock.pass(2 * DAY - HOUR);
  t.truthy(await identity.refresh.withToken(early.refresh_token ?? '', CLIENT));
  clock.pass(2 * HOUR);
  await t.throwsAsync(identity.refresh.withToken(late.refresh_token ?? '', CLIENT));
});

test('JWT_SECRET signs tokens: those of another one are refused', async (t) => {
  const [one, other] = ['1', '2'].map((letter) => open(t.context, { JWT_SECRET: letter.repeat(40) }).identity);
  const user = await givenAccount(t.context.db);
  if (one === undefined || other === undefined) return t.fail();
  const { authorization } = await signedIn(one, user);
  t.truthy(await one.authenticate({ authorization }));
  t.is(await other.authenticate({ authorization }), undefined);
});

test('SESSION_SECRET makes the token that a page needs for changes', async (t) => {
  const [one, other] = ['1', '2'].map((letter) => open(t.context, { SESSION_SECRET: letter.repeat(40) }).identity);
  if (one === undefined || other === undefined) return t.fail();
  const { cookie, csrf_token } = await signedIn(one, await givenAccount(t.context.db), BY_COOKIE);
  const principal = await one.authenticate({ cookie: cookie?.value });
  t.true(one.sessions.isCsrfToken(csrf_token ?? '', principal?.sessionId ?? ''));
  t.false(other.sessions.isCsrfToken(csrf_token ?? '', principal?.sessionId ?? ''));
});

test('APP_SECRET_KEY encrypts second factors: with another one they cannot be opened', async (t) => {
  const [one, other] = ['1', '2'].map((letter) => open(t.context, { MFA_ENABLED: 'true', APP_SECRET_KEY: letter.repeat(40) }));
  if (one === undefined || other === undefined) return t.fail();
  const user = await givenAccount(t.context.db);
  const { secret } = await one.identity.mfa.setupTotp(user);
  const code = codeOf(secret, one.clock.now());
  await t.throwsAsync(other.identity.mfa.enableTotp(user, code, CLIENT));
  await t.notThrowsAsync(one.identity.mfa.enableTotp(user, code, CLIENT));
});

const OIDC = {
  OIDC_ENABLED: 'true',
  OIDC_ISSUER_URL: 'https://id.example.org',
  OIDC_CLIENT_ID: 'sheaf',
  OIDC_CLIENT_SECRET: 'secret',
  OIDC_REDIRECT_URI: 'https://docs.example.org/api/auth/oidc/callback',
};

test('OIDC_AUTO_CREATE_USERS makes accounts of who comes by OIDC, and of nobody else', async (t) => {
  await givenAccount(t.context.db, 'admin');
  const stranger = (method: 'oidc' | 'saml2') => {
    const username = `${method}-stranger`;
    const email = `${username}@example.org`;
    return { method, externalId: username, username, email, emailVerified: true, displayName: 'A', groups: [] };
  };
  const comeIn = ({ identity }: ReturnType<typeof open>, method: 'oidc' | 'saml2') =>
    identity.signIn.withExternal(stranger(method), CLIENT, BY_TOKEN).then(
      () => 'in',
      (error: { code: string }) => error.code,
    );
  t.is(await comeIn(open(t.context, OIDC), 'oidc'), 'ACCOUNT_NOT_KNOWN');
  const opened = open(t.context, { ...OIDC, OIDC_AUTO_CREATE_USERS: 'true' });
  t.deepEqual([await comeIn(opened, 'oidc'), await comeIn(opened, 'saml2')], ['in', 'ACCOUNT_NOT_KNOWN']);
});

test('OIDC_DEBUG logs each step of a sign-in', async (t) => {
  await using given = await givenOidc();
  const stepsWith = async (environment: Readonly<Record<string, string>>): Promise<string[]> => {
    const { oidc } = open(t.context, { ...OIDC, ...environment }).config;
    const { log, lines } = makeNotedLogger();
    const settings = oidcSettings(given.provider.issuer, { debug: oidc?.debug ?? false });
    await new OidcDriver({ settings, fetch: given.fetch, db: given.database.db, clock: new TestClock(), log }).start();
    return lines.filter((line) => line.includes('OIDC sign-in started'));
  };
  t.deepEqual([(await stepsWith({})).length, (await stepsWith({ OIDC_DEBUG: 'true' })).length], [0, 1]);
});

test('WEBAUTHN_RP_ID and WEBAUTHN_RP_NAME are what a browser is told that a passkey is for', async (t) => {
  const { identity } = open(t.context, {
    MFA_ENABLED: 'true',
    MFA_METHOD: 'webauthn',
    WEBAUTHN_RP_ID: 'docs.example.org',
    WEBAUTHN_RP_NAME: 'Our papers',
  });
  const { rp } = await identity.mfa.startWebauthnRegistration(await givenAccount(t.context.db));
  t.deepEqual(rp, { id: 'docs.example.org', name: 'Our papers' });
});

test.serial('SESSION_CLEANUP_INTERVAL_HOURS is how long the service waits between two sweeps', async (t) => {
  const { identity } = open(t.context, { SESSION_CLEANUP_INTERVAL_HOURS: '6' });
  const waits: unknown[] = [];
  const { setTimeout: original } = globalThis;
  globalThis.setTimeout = ((...args: Parameters<typeof original>) => {
    waits.push(args[1]);
    return original(...args);
  }) as typeof original;
  t.teardown(() => {
    globalThis.setTimeout = original;
  });
  const sweeps = identity.components().find(({ name }) => name === 'session-cleanup');
  await sweeps?.start();
  await waitFor(() => waits.includes(6 * HOUR), { description: 'the wait after the first sweep', limitMs: 20_000 });
  await sweeps?.stop();
  t.pass();
});
