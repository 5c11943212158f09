// Who stands behind a request: what is remembered, and that every change holds from the next request on.

import type { Identity } from '@sheaf/accounts';
import { setPassword, updateUser } from '@sheaf/accounts/users';
import { Listener } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import { openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import type { Principal } from '@sheaf/vocabulary/permissions';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { BY_COOKIE, CLIENT, givenAccount, givenIdentity, settingsOf, signedIn } from '../../support/given-identity.ts';
import { givenTotpUser, openMfa } from '../../support/second-factors.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = anyTest as TestFn<TestDatabase>;
let database: TestDatabase;
test.before(async () => {
  database = await openTestDatabase();
});
test.beforeEach((t) => {
  t.context = database;
});
test.after.always(() => database[Symbol.asyncDispose]());

/** One user with a token, a cookie and a key, each of which was used a moment ago and is remembered. */
const known = async (t: ExecutionContext<TestDatabase>, role = 'admin') => {
  const { identity, clock } = givenIdentity(t.context.db);
  const user = await givenAccount(t.context.db, role);
  const { authorization } = await signedIn(identity, user);
  const { cookie } = await signedIn(identity, user, BY_COOKIE);
  const principal = await identity.authenticate({ authorization });
  if (principal === undefined) throw new Error('a fresh token was refused');
  const { key, row } = await identity.keys.create(principal, { name: 'a key', scope: ['*'] }, undefined);
  const all = { token: { authorization }, cookie: { cookie: cookie?.value }, key: { apiKey: key } };
  const ask = async () => {
    const [token, browser, program] = await Promise.all([all.token, all.cookie, all.key].map((one) => identity.authenticate(one)));
    return { token, cookie: browser, key: program };
  };
  t.deepEqual(
    Object.values(await ask()).map((one) => one?.via),
    ['token', 'cookie', 'key'],
  );
  return { identity, clock, user, principal, ask, keyId: row.id };
};

const nobody = { token: undefined, cookie: undefined, key: undefined };

const CHANGES: Readonly<Record<string, (identity: Identity, user: User, db: TestDatabase['db']) => Promise<void>>> = {
  disabling: async (_identity, user, db) => {
    await updateUser(db, user.id, { disabledAt: new Date() }, new Date());
  },
  deleting: async (_identity, user) => {
    await database.pool.query('delete from users where id = $1', [user.id]);
  },
};

for (const [what, change] of Object.entries(CHANGES)) {
  test(`${what} a user takes effect on their next request, by token, cookie and key`, async (t) => {
    const { identity, user, ask } = await known(t);
    await change(identity, user, t.context.db);
    identity.forget(user.id);
    t.deepEqual(await ask(), nobody);
  });
}

test('a change of role takes effect on the next request, by token, cookie and key', async (t) => {
  const { identity, user, ask } = await known(t);
  await updateUser(t.context.db, user.id, { role: 'viewer' }, new Date());
  identity.forget(user.id);
  const { token, cookie, key } = await ask();
  for (const principal of [token, cookie]) t.deepEqual(principal?.permissions, settingsOf().roles.permissions['viewer']);
  t.true(key?.permissions.includes('documents.read'));
  t.false(key?.permissions.includes('documents.create'));
});

test('a change of the password ends every other session on their next request, and leaves keys', async (t) => {
  const { identity, user, principal, ask } = await known(t);
  await t.context.db.transaction(async (tx) => {
    await setPassword(tx, user.id, user.passwordHash, 'another hash', new Date());
    await identity.sessionEnd.endAll(tx, user.id, principal.sessionId);
  });
  identity.sessionEnd.forget(user.id);
  const { token, cookie, key } = await ask();
  t.is(token?.sessionId, principal.sessionId);
  t.is(cookie, undefined);
  t.truthy(key);
});

test('signing out ends that session on the next request, and no other', async (t) => {
  const { identity, principal, ask } = await known(t);
  await identity.sessions.signOut(principal, CLIENT);
  const { token, cookie, key } = await ask();
  t.is(token, undefined);
  t.truthy(cookie);
  t.truthy(key);
});

test('what others change in the database is heard', async (t) => {
  const { identity } = givenIdentity(t.context.db, {}, { databaseUrl: t.context.url });
  const listener = identity.components().find((component) => component instanceof Listener);
  await listener?.start();
  const user = await givenAccount(t.context.db);
  const { authorization } = await signedIn(identity, user);
  const find = (): Promise<Principal | undefined> => identity.authenticate({ authorization });
  t.is((await find())?.role, 'editor');
  await t.context.pool.query(`update users set role = 'viewer' where id = $1`, [user.id]);
  await waitFor(async () => (await find())?.role === 'viewer', { description: 'the change of role to be heard', limitMs: 20_000 });
  await t.context.pool.query('update sessions set revoked_at = now() where user_id = $1', [user.id]);
  await waitFor(async () => (await find()) === undefined, { description: 'the end of the session to be heard', limitMs: 20_000 });
  await listener?.stop();
  t.pass();
});

test('second factors that others change are heard of, their use is not', async (t) => {
  const { db, pool, url } = t.context;
  const { identity } = givenIdentity(db, {}, { databaseUrl: url });
  const heard: (string | undefined)[] = [];
  identity.onChange((userId) => void heard.push(userId));
  const listener = identity.components().find((component) => component instanceof Listener);
  await listener?.start();
  await waitFor(() => heard.includes(undefined), { description: 'the listener to be connected', limitMs: 20_000 });
  const bench = openMfa(db);
  const { user } = await givenTotpUser(db, bench);
  const ofUser = (): number => heard.filter((userId) => userId === user.id).length;
  await waitFor(() => ofUser() > 0, { description: 'the new factor to be heard of', limitMs: 20_000 });
  const before = ofUser();
  await pool.query('update mfa_devices set last_used_at = now() where user_id = $1', [user.id]);
  await pool.query('delete from mfa_devices where user_id = $1', [user.id]);
  await waitFor(() => ofUser() > before, { description: 'its end to be heard of', limitMs: 20_000 });
  t.is(ofUser(), before + 1);
  await listener?.stop();
});

test('while changes of others do not arrive, nobody is taken from memory', async (t) => {
  const { identity } = givenIdentity(t.context.db, {}, { databaseUrl: t.context.url });
  const listener = identity.components().find((component) => component instanceof Listener);
  const user = await givenAccount(t.context.db);
  const { authorization } = await signedIn(identity, user);
  const isKnown = async (): Promise<boolean> => (await identity.authenticate({ authorization })) !== undefined;
  t.true(await isKnown());
  await t.context.pool.query('update users set disabled_at = now() where id = $1', [user.id]);
  t.false(await isKnown());
  await t.context.pool.query('update users set disabled_at = null where id = $1', [user.id]);
  await listener?.start();
  await waitFor(() => listener?.isConnected, { description: 'the listener to be connected', limitMs: 20_000 });
  t.true(await isKnown());
  await listener?.stop();
  await t.context.pool.query('update users set disabled_at = now() where id = $1', [user.id]);
  t.false(await isKnown());
});

test('without hearing of it, a change takes effect after half a minute', async (t) => {
  const { user, clock, ask } = await known(t);
  await t.context.pool.query('update users set disabled_at = now() where id = $1', [user.id]);
  t.truthy((await ask()).token, 'remembered');
  clock.pass(30_000);
  t.deepEqual(await ask(), nobody);
});

test('a request of someone known a moment ago asks the database nothing', async (t) => {
  const { ask, identity, user } = await known(t);
  const { totalCount } = t.context.pool;
  const statements: unknown[] = [];
  const query = t.context.pool.query.bind(t.context.pool);
  t.context.pool.query = ((...args: Parameters<typeof query>) => {
    statements.push(args[0]);
    return query(...args);
  }) as typeof query;
  await ask();
  t.deepEqual(statements, []);
  identity.forget(user.id);
  await ask();
  t.context.pool.query = query;
  t.true(statements.length > 0, 'the watch works');
  t.true(totalCount > 0);
});

test('the first credentials that are there decide: a bad token is not mended by a good cookie or key', async (t) => {
  const { identity } = givenIdentity(t.context.db);
  const user = await givenAccount(t.context.db);
  const { cookie, authorization } = await signedIn(identity, user, BY_COOKIE);
  const good = cookie?.value;
  t.truthy(await identity.authenticate({ cookie: good }));
  t.is(await identity.authenticate({ authorization: 'Bearer a.b.c', cookie: good }), undefined);
  t.is(await identity.authenticate({ authorization: 'Bearer', cookie: good }), undefined);
  t.is(await identity.authenticate({ apiKey: 'shf_x', cookie: good }), undefined);
  t.is((await identity.authenticate({ authorization, apiKey: 'shf_x', cookie: 'x' }))?.via, 'token');
  t.truthy(await identity.authenticate({ authorization: 'Basic eDp5', cookie: good }), 'a password for a proxy is none of ours');
});

test('AUTH_ENABLED=false: everybody is the first administrator, who is made where there is none', async (t) => {
  const own = await openTestDatabase();
  const { identity } = givenIdentity(own.db, { enabled: false });
  t.is(await identity.authenticate({}), undefined);
  const maker = identity.components().find(({ name }) => name === 'built-in-administrator');
  await maker?.start();
  const principal = await identity.authenticate({ authorization: 'Bearer whatever' });
  t.like(principal, { username: 'admin', via: 'disabled-auth' });
  t.deepEqual(principal?.permissions, ['*']);
  await own[Symbol.asyncDispose]();
});
