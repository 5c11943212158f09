// API keys: what is kept of them, what they may do, and when they stop working.
import { createHash } from 'node:crypto';
import { updateUser } from '@sheaf/accounts/users';
import { type TestDatabase } from '@sheaf/testkit';
import type { ExecutionContext } from 'ava';
import { DAY, givenAccount, givenIdentity, MINUTE, settingsOf, signedIn } from '../../support/given-identity.ts';
import { testWithDatabase } from '../../support/test-database.ts';

const test = testWithDatabase();

const givenKey = async (t: ExecutionContext<TestDatabase>, scope: readonly string[], role = 'admin') => {
  const { identity, clock } = givenIdentity(t.context.db);
  const user = await givenAccount(t.context.db, role);
  const principal = await identity.authenticate({ authorization: (await signedIn(identity, user)).authorization });
  if (principal === undefined) throw new Error('a fresh token was refused');
  const { key, row } = await identity.keys.create(principal, { name: 'for the scanner', scope }, '192.0.2.1');
  return { identity, clock, user, principal, key, row, ask: () => identity.authenticate({ apiKey: key }) };
};

test('a key is told once and kept as its SHA-256', async (t) => {
  const { key, row } = await givenKey(t, ['documents.read']);
  t.regex(key, /^shf_[\w-]{43}$/);
  const { rows } = await t.context.pool.query('select * from api_keys where id = $1', [row.id]);
  t.is((rows[0] as Record<string, unknown>)['key_hash'], createHash('sha256').update(key).digest('hex'));
  t.false(JSON.stringify(rows).includes(key));
  t.true(key.startsWith(row.prefix) && row.prefix.length === 12);
  const audit = await t.context.pool.query(`select details from audit_log where subject_id = $1`, [row.id]);
  t.deepEqual(audit.rows, [{ details: { name: 'for the scanner', scope: ['documents.read'] } }]);
});

test('a key does what its scope and its owner allow, action by action, and no further than the narrower of the two', async (t) => {
  const { ask } = await givenKey(t, ['documents.*', 'labels.read.own', 'audit.view'], 'editor');
  t.deepEqual((await ask())?.permissions, [
    'documents.read',
    'documents.create',
    'documents.update',
    'documents.delete.own',
    'documents.purge.own',
    'documents.share',
    'labels.read.own',
  ]);
});

test('a key for everything may make neither keys nor users nor share links, whatever its owner may', async (t) => {
  const { identity, ask } = await givenKey(t, ['*']);
  const principal = await ask();
  t.true(principal?.permissions.includes('users.delete'));
  for (const none of ['*', 'keys.create', 'users.create', 'users.update', 'documents.share'])
    t.false(principal?.permissions.includes(none), none);
  if (principal !== undefined)
    await t.throwsAsync(identity.keys.create(principal, { name: 'another', scope: ['*'] }, undefined), { code: 'FORBIDDEN' } as never);
});

test('a key loses what its owner loses', async (t) => {
  const { identity, user, ask } = await givenKey(t, ['documents.create', 'documents.read']);
  t.deepEqual((await ask())?.permissions, ['documents.read', 'documents.create']);
  await updateUser(t.context.db, user.id, { role: 'viewer' }, new Date());
  identity.forget(user.id);
  t.deepEqual((await ask())?.permissions, ['documents.read']);
});

test('a key stops working when it expires and when it is revoked', async (t) => {
  const expiring = await givenKey(t, ['*']);
  expiring.clock.pass(90 * DAY - 1);
  t.truthy(await expiring.ask());
  expiring.clock.pass(1);
  t.is(await expiring.ask(), undefined, 'though it was remembered a moment ago');
  const { identity, principal, row, ask } = await givenKey(t, ['*']);
  t.truthy(await ask());
  await identity.keys.revoke(principal, row.id, undefined);
  t.is(await ask(), undefined);
  await t.throwsAsync(identity.keys.revoke(principal, row.id, undefined), { code: 'KEY_NOT_FOUND' } as never);
});

test('when a key was last used is noted at most once a minute', async (t) => {
  const { identity, clock, user, row, ask } = await givenKey(t, ['*']);
  const lastUsed = async () =>
    (
      (await t.context.pool.query('select last_used_at from api_keys where id = $1', [row.id])).rows[0] as { last_used_at: Date | null }
    ).last_used_at?.getTime();
  t.is(await lastUsed(), undefined);
  await ask();
  const first = await lastUsed();
  t.is(first, clock.now().getTime());
  clock.pass(MINUTE - 1);
  identity.forget(user.id);
  await ask();
  t.is(await lastUsed(), first);
  clock.pass(2);
  identity.forget(user.id);
  await ask();
  t.is(await lastUsed(), clock.now().getTime());
});

test('a scope that names no permission is refused, and so are keys where they are off', async (t) => {
  const { identity, principal, key } = await givenKey(t, ['documents.read']);
  for (const scope of ['documents.fly', 'everything', '', 'documents', 'documents.read.all'])
    await t.throwsAsync(identity.keys.create(principal, { name: 'x', scope: [scope] }, undefined), { code: 'VALIDATION_ERROR' } as never);
  const off = givenIdentity(t.context.db, { apiKeys: { ...settingsOf().apiKeys, enabled: false } });
  t.is(await off.identity.authenticate({ apiKey: key }), undefined);
});
