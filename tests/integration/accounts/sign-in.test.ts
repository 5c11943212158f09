// Signing in: by password, with a second factor, and for whom a directory or an identity provider speaks.

import type { ExternalIdentity, IdentitySettings } from '@sheaf/accounts';
import { findUserById, updateUser } from '@sheaf/accounts/users';
import type { User } from '@sheaf/db/schema';
import { constant, uuidv7 } from '@sheaf/process';
import { openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { Secret as OtpSecret, TOTP } from 'otpauth';
import {
  BY_COOKIE,
  BY_TOKEN,
  CLIENT,
  DAY,
  givenAccount,
  givenIdentity,
  MINUTE,
  PASSWORD,
  settingsOf,
  signedIn,
} from '../../support/given-identity.ts';

const test = anyTest as TestFn<TestDatabase>;
let database: TestDatabase;
test.before(async () => {
  database = await openTestDatabase();
});
test.beforeEach((t) => {
  t.context = database;
});
test.after.always(() => database[Symbol.asyncDispose]());

/** Addresses of their own, as failures count by address too. */
let last = 0;
const someClient = () => ({ ...CLIENT, address: `198.51.100.${(last += 1)}` });

const codes = { wrong: { code: 'UNAUTHORIZED' }, locked: { code: 'ACCOUNT_LOCKED' }, over: { code: 'MFA_TOKEN_INVALID' } } as const;
const actionsOf = async (user: User): Promise<string[]> => {
  const { rows } = await database.pool.query<{ entry: string }>(
    `select action || ' ' || outcome as entry from audit_log where actor_id = $1 or subject_id = $1::text order by id`,
    [user.id],
  );
  return rows.map(({ entry }) => entry);
};

test('a name in any case or an e-mail address and the password open a session; sign-ins and failures are written down', async (t) => {
  const { identity } = givenIdentity(t.context.db);
  const user = await givenAccount(t.context.db);
  const client = someClient();
  for (const login of [user.username, user.username.toUpperCase(), user.email]) {
    const { answer } = await identity.signIn.withPassword(login, PASSWORD, client, BY_TOKEN);
    t.like(answer, { user: { id: user.id } });
  }
  await t.throwsAsync(identity.signIn.withPassword(user.username, 'wrong', client, BY_TOKEN), codes.wrong);
  t.deepEqual(await actionsOf(user), ['sign_in success', 'sign_in success', 'sign_in success', 'sign_in failure']);
});

test.serial('an unknown name, a disabled user and a wrong password answer alike, and cost as much work', async (t) => {
  const { identity } = givenIdentity(t.context.db);
  const [user, disabled] = [await givenAccount(t.context.db), await givenAccount(t.context.db)];
  await updateUser(t.context.db, disabled.id, { disabledAt: new Date() }, new Date());
  const attempt = async (login: string, password: string) => {
    const before = process.cpuUsage();
    const error = await t.throwsAsync(identity.signIn.withPassword(login, password, someClient(), BY_TOKEN), codes.wrong);
    const { user: used, system } = process.cpuUsage(before);
    return { message: error.message, micros: used + system };
  };
  const median = async (login: () => string, password: string) => {
    const attempts = [];
    for (let n = 0; n < 4; n += 1) attempts.push(await attempt(login(), password));
    return { message: attempts[0]?.message, micros: attempts.map(({ micros }) => micros).toSorted((a, b) => a - b)[1] ?? 0 };
  };
  const wrong = await median(() => user.username, 'wrong');
  for (const other of [await median(() => `nobody-${uuidv7()}`, PASSWORD), await median(() => disabled.username, PASSWORD)]) {
    t.is(other.message, wrong.message);
    // the hash is nearly all of it; without one it would be a tenth
    t.true(other.micros > wrong.micros / 2, `${other.micros} of ${wrong.micros} µs`);
    t.true(other.micros < wrong.micros * 2, `${other.micros} of ${wrong.micros} µs`);
  }
});

test('after MAX_LOGIN_ATTEMPTS failures the right password does not help until LOCKOUT_DURATION is over', async (t) => {
  const thief = someClient();
  const { identity, clock } = givenIdentity(t.context.db);
  const user = await givenAccount(t.context.db);
  for (let n = 0; n < 5; n += 1) await t.throwsAsync(identity.signIn.withPassword(user.username, 'wrong', thief, BY_TOKEN), codes.wrong);
  await t.throwsAsync(identity.signIn.withPassword(user.username, PASSWORD, thief, BY_TOKEN), codes.locked);
  await t.throwsAsync(identity.signIn.withPassword(user.email, PASSWORD, thief, BY_TOKEN), codes.wrong, 'nor under his other name');
  clock.pass(15 * MINUTE + 1);
  t.truthy(await signedIn(identity, user));
});

test('REQUIRE_EMAIL_VERIFICATION: who knows the password is told to confirm their address, and nobody else', async (t) => {
  const { identity } = givenIdentity(t.context.db, { emailVerificationRequired: constant(true) });
  const user = await givenAccount(t.context.db);
  await t.context.pool.query('update users set email_verified_at = null where id = $1', [user.id]);
  await t.throwsAsync(identity.signIn.withPassword(user.username, 'wrong', someClient(), BY_TOKEN), codes.wrong);
  await t.throwsAsync(identity.signIn.withPassword(user.username, PASSWORD, someClient(), BY_TOKEN), {
    code: 'EMAIL_NOT_VERIFIED',
  } as never);
  await updateUser(t.context.db, user.id, { emailVerifiedAt: new Date() }, new Date());
  t.truthy(await signedIn(identity, user));
});

const MFA = { ...settingsOf().secondFactor, enabled: true };

/** A user with an authenticator app. */
const withApp = async (t: ExecutionContext<TestDatabase>, changes: Partial<IdentitySettings> = {}, role = 'editor') => {
  const { identity, clock } = givenIdentity(t.context.db, { secondFactor: MFA, ...changes });
  const user = await givenAccount(t.context.db, role);
  const { secret } = await identity.mfa.setupTotp(user);
  const totp = new TOTP({ secret: OtpSecret.fromBase32(secret) });
  const code = (): string => totp.generate({ timestamp: clock.now().getTime() });
  await identity.mfa.enableTotp(user, code(), CLIENT);
  clock.pass(MINUTE); // a code works once
  const begin = async (wishes = BY_TOKEN) => {
    const { answer, cookie } = await identity.signIn.withPassword(user.username, PASSWORD, someClient(), wishes);
    if (!('mfa_required' in answer)) throw new Error('no second factor was asked for');
    t.is(cookie, undefined);
    return answer.mfa_token;
  };
  return { identity, clock, user, code, begin };
};

test('a second factor is asked for before there is a session, and the wishes of the first step hold in the second', async (t) => {
  const { identity, user, code, begin } = await withApp(t);
  const token = await begin(BY_COOKIE);
  t.deepEqual(await identity.sessions.list(user.id), []);
  t.is(await identity.authenticate({ authorization: `Bearer ${token}` }), undefined, 'the token of the first step opens nothing');
  t.is((await identity.signIn.findMfaUser(token)).id, user.id);
  const { cookie, answer } = await identity.signIn.completeMfa(token, { code: code() }, someClient());
  t.is(answer.user.id, user.id);
  t.is((await identity.authenticate({ cookie: cookie?.value }))?.userId, user.id);
  await t.throwsAsync(identity.signIn.completeMfa(token, { code: code() }, someClient()), codes.over, 'it works once');
});

test('codes cannot be guessed: a token takes five, and failures lock the account, however often the password is right', async (t) => {
  const thief = someClient();
  const { identity, clock, user, code, begin } = await withApp(t);
  for (let n = 0; n < 4; n += 1)
    await t.throwsAsync(identity.signIn.completeMfa(await begin(), { code: '000000' }, thief), { code: 'MFA_CODE_WRONG' } as never);
  const token = await begin();
  await t.throwsAsync(identity.signIn.completeMfa(token, { code: '000000' }, thief), { code: 'MFA_CODE_WRONG' } as never);
  await t.throwsAsync(identity.signIn.completeMfa(token, { code: code() }, thief), codes.locked);
  await t.throwsAsync(identity.signIn.withPassword(user.username, PASSWORD, thief, BY_TOKEN), codes.locked);
  clock.pass(15 * MINUTE + 1);
  t.truthy(await identity.signIn.completeMfa(await begin(), { code: code() }, someClient()));
});

test('one token takes five attempts, also where the lock allows more', async (t) => {
  const { identity, code, begin } = await withApp(t, { lockout: constant({ maxAttempts: 100, durationMs: MINUTE }) });
  const token = await begin();
  for (let n = 0; n < 5; n += 1)
    await t.throwsAsync(identity.signIn.completeMfa(token, { code: '000000' }, someClient()), { code: 'MFA_CODE_WRONG' } as never);
  await t.throwsAsync(identity.signIn.completeMfa(token, { code: code() }, someClient()), codes.over);
});

test('the second step is over after five minutes, when the password changes, and when the user is disabled', async (t) => {
  const { identity, clock, user, code, begin } = await withApp(t);
  const late = await begin();
  clock.pass(5 * MINUTE);
  await t.throwsAsync(identity.signIn.completeMfa(late, { code: code() }, someClient()), codes.over);
  const token = await begin();
  await t.context.pool.query(`update users set password_changed_at = now() + interval '1 second' where id = $1`, [user.id]);
  await t.throwsAsync(identity.signIn.completeMfa(token, { code: code() }, someClient()), codes.over);
  await t.context.pool.query(`update users set password_changed_at = null, disabled_at = now() where id = $1`, [user.id]);
  await t.throwsAsync(identity.signIn.completeMfa(token, { code: code() }, someClient()), codes.over);
  await t.throwsAsync(identity.signIn.completeMfa('made up', { code: code() }, someClient()), codes.over);
});

test('MFA_ENFORCE_FOR_ADMINS: after the grace period an administrator without a second factor may do nothing but set one up', async (t) => {
  const { identity, clock } = givenIdentity(t.context.db, { secondFactor: { ...MFA, enforceForAdmins: true, graceMs: 3 * DAY } });
  const [admin, editor] = [await givenAccount(t.context.db, 'admin'), await givenAccount(t.context.db)];
  const before = await signedIn(identity, admin);
  t.false('mfa_setup_required' in before);
  t.deepEqual((await identity.authenticate({ authorization: before.authorization }))?.permissions, ['*']);
  clock.pass(3 * DAY);
  const { authorization, mfa_setup_required } = await signedIn(identity, admin);
  t.true(mfa_setup_required);
  t.like(await identity.authenticate({ authorization }), { permissions: [], mfaSetupRequired: true });
  const { secret } = await identity.mfa.setupTotp(admin);
  const code = new TOTP({ secret: OtpSecret.fromBase32(secret) }).generate({ timestamp: clock.now().getTime() });
  await identity.mfa.enableTotp(admin, code, CLIENT);
  t.deepEqual((await identity.authenticate({ authorization }))?.permissions, ['*']);
  t.false('mfa_setup_required' in (await signedIn(identity, editor)));
});

const ada = (changes: Partial<ExternalIdentity> = {}): ExternalIdentity => {
  const name = `ada-${uuidv7().slice(-12)}`;
  return {
    method: 'oidc',
    externalId: `https://id.example|${name}`,
    username: name,
    email: `${name}@example.com`,
    emailVerified: true,
    displayName: 'Ada',
    groups: [],
    ...changes,
  };
};

const RULES = { adminGroup: 'masters', mapping: { staff: 'editor' }, autoCreate: true };
const external = (oidc: Partial<typeof RULES> = {}): Partial<IdentitySettings> => ({
  external: { ...settingsOf().external, oidc: { ...RULES, ...oidc } },
});

test('an unknown person is let in only where accounts are made, with the role that their groups give', async (t) => {
  await givenAccount(t.context.db, 'admin');
  const closed = givenIdentity(t.context.db, external({ autoCreate: false }));
  const who = ada({ groups: ['staff'] });
  await t.throwsAsync(closed.identity.signIn.withExternal(who, CLIENT, BY_TOKEN), { code: 'ACCOUNT_NOT_KNOWN' } as never);
  const { identity } = givenIdentity(t.context.db, external());
  const answers = await Promise.all([1, 2, 3].map(() => identity.signIn.withExternal(who, CLIENT, BY_TOKEN)));
  const ids = answers.map(({ answer }) => ('user' in answer ? answer.user.id : ''));
  t.is(new Set(ids).size, 1, 'one account, however many come at once');
  t.like(await findUserById(t.context.db, ids[0] ?? ''), {
    role: 'editor',
    authMethod: 'oidc',
    username: who.username,
    displayName: 'Ada',
    externalGroups: ['staff'],
    passwordHash: null,
  });
});

test('a name that is taken or cannot be one is made into one that is free', async (t) => {
  const { identity } = givenIdentity(t.context.db, external());
  const user = await givenAccount(t.context.db);
  const { answer } = await identity.signIn.withExternal(ada({ username: user.username }), CLIENT, BY_TOKEN);
  t.like(answer, { user: { username: `${user.username}2` } });
  const strange = await identity.signIn.withExternal(ada({ username: '../Zoë/..\u0000', email: undefined }), CLIENT, BY_TOKEN);
  t.like(strange.answer, { user: { username: 'Zoe' } });
});

test('an account is linked by an e-mail address that is vouched for, never by another, and never an administrator', async (t) => {
  const { identity } = givenIdentity(t.context.db, external());
  const [user, admin] = [await givenAccount(t.context.db, 'viewer'), await givenAccount(t.context.db, 'admin')];
  const refused = { code: 'ACCOUNT_NOT_KNOWN' } as never;
  await t.throwsAsync(identity.signIn.withExternal(ada({ email: user.email, emailVerified: false }), CLIENT, BY_TOKEN), refused);
  await t.throwsAsync(identity.signIn.withExternal(ada({ email: admin.email }), CLIENT, BY_TOKEN), refused);
  await t.context.pool.query('update users set email_verified_at = null where id = $1', [user.id]);
  await t.throwsAsync(
    identity.signIn.withExternal(ada({ email: user.email }), CLIENT, BY_TOKEN),
    refused,
    'anybody may have typed it here',
  );
  await t.context.pool.query('update users set email_verified_at = now() where id = $1', [user.id]);
  const who = ada({ email: user.email.toUpperCase(), groups: ['staff'] });
  t.like((await identity.signIn.withExternal(who, CLIENT, BY_TOKEN)).answer, { user: { id: user.id, role: 'editor' } });
  await t.throwsAsync(identity.signIn.withExternal(ada({ email: user.email }), CLIENT, BY_TOKEN), refused, 'he is linked to another one');
  await t.throwsAsync(identity.signIn.withPassword(user.username, PASSWORD, someClient(), BY_TOKEN), codes.wrong, 'his password is over');
});

test('groups decide at every sign-in: who leaves the group of administrators is none any more, unless they are the last', async (t) => {
  const own = await openTestDatabase();
  const { identity } = givenIdentity(own.db, external());
  const [one, two] = [ada({ groups: ['masters'] }), ada({ groups: ['staff', 'masters'] })];
  const roleOf = async (who: ExternalIdentity): Promise<unknown> => {
    const { answer } = await identity.signIn.withExternal(who, CLIENT, BY_TOKEN);
    return 'user' in answer ? answer.user.role : undefined;
  };
  t.is(await roleOf(one), 'admin');
  t.is(await roleOf(two), 'admin');
  t.is(await roleOf({ ...one, groups: ['staff'] }), 'editor');
  t.is(await roleOf({ ...two, groups: [] }), 'admin', 'somebody has to be one');
  t.is(await roleOf({ ...one, groups: [] }), 'viewer');
  const { rows } = await own.pool.query(`select outcome from audit_log where action = 'user.role_changed' order by id`);
  t.deepEqual(rows, [{ outcome: 'success' }, { outcome: 'failure' }, { outcome: 'success' }]);
  await own[Symbol.asyncDispose]();
});

test('while no user exists, only who becomes administrator may come from outside: the place of the first one stays free', async (t) => {
  const own = await openTestDatabase();
  const { identity } = givenIdentity(own.db, external());
  await t.throwsAsync(identity.signIn.withExternal(ada({ groups: ['staff'] }), CLIENT, BY_TOKEN), { code: 'ACCOUNT_NOT_KNOWN' } as never);
  t.like((await identity.signIn.withExternal(ada({ groups: ['masters'] }), CLIENT, BY_TOKEN)).answer, { user: { role: 'admin' } });
  t.like((await identity.signIn.withExternal(ada({ groups: ['staff'] }), CLIENT, BY_TOKEN)).answer, { user: { role: 'editor' } });
  await own[Symbol.asyncDispose]();
});

test('where groups mean nothing, the role that an administrator gave stays', async (t) => {
  const { identity } = givenIdentity(t.context.db, {
    external: { ...settingsOf().external, oidc: { adminGroup: undefined, mapping: {}, autoCreate: true } },
  });
  const who = ada({ groups: ['staff', 'masters'] });
  const { answer } = await identity.signIn.withExternal(who, CLIENT, BY_TOKEN);
  const id = 'user' in answer ? answer.user.id : '';
  t.like(answer, { user: { role: 'viewer' } });
  await updateUser(t.context.db, id, { role: 'editor' }, new Date());
  t.like((await identity.signIn.withExternal(who, CLIENT, BY_TOKEN)).answer, { user: { role: 'editor' } });
  await updateUser(t.context.db, id, { disabledAt: new Date() }, new Date());
  await t.throwsAsync(identity.signIn.withExternal(who, CLIENT, BY_TOKEN), { code: 'ACCOUNT_DISABLED' } as never);
});

test('with a directory, its passwords work beside those kept here, and its failures count', async (t) => {
  const thief = someClient();
  const who = ada({ method: 'ldap', externalId: `uid=ada,${uuidv7()}` });
  const directory = {
    check: async (name: string, password: string) => (name === who.username && password === 'of the directory' ? who : undefined),
  };
  const changes = { external: { ...settingsOf().external, ldap: { ...RULES } } };
  const { identity } = givenIdentity(t.context.db, changes, { ldap: directory, signsInByLdap: true });
  const name = who.username ?? '';
  t.like((await identity.signIn.withPassword(name, 'of the directory', thief, BY_TOKEN)).answer, {
    user: { username: name, role: 'viewer' },
  });
  const user = await givenAccount(t.context.db);
  t.truthy(await signedIn(identity, user));
  for (let n = 0; n < 5; n += 1) await t.throwsAsync(identity.signIn.withPassword(name, 'wrong', thief, BY_TOKEN), codes.wrong);
  await t.throwsAsync(identity.signIn.withPassword(name, 'of the directory', thief, BY_TOKEN), codes.locked);
});
