import { listMfaDevices } from '@sheaf/accounts';
import { Secret } from '@sheaf/contract';
import { givenUser, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { URI } from 'otpauth';
import { codeOf, givenTotpUser, HERE, openMfa } from '../../support/second-factors.ts';

let database: TestDatabase;
test.before(async () => {
  database = await openTestDatabase();
});
test.after.always(() => database[Symbol.asyncDispose]());

test('an authenticator app is asked for only after a code of it came back', async (t) => {
  const { db } = database;
  const { mfa, clock, audit } = openMfa(db);
  const user = await givenUser(db);
  const { id, secret, otpauthUrl } = await mfa.setupTotp(user, 'Phone');
  t.false(await mfa.hasEnabledDevice(user.id));
  t.is(await mfa.verify(user, { code: codeOf(secret, clock.now()) }, HERE), undefined);
  const url = URI.parse(otpauthUrl);
  t.is(url.issuer, 'Sheaf');
  t.is(url.label, user.username);
  t.is(url.secret.base32, secret);
  t.is(url.secret.bytes.length, 20);
  await t.throwsAsync(mfa.enableTotp(user, '000000', HERE), { code: 'MFA_CODE_WRONG' });
  const { recoveryCodes } = await mfa.enableTotp(user, codeOf(secret, clock.now()), HERE);
  t.is(recoveryCodes.length, 10);
  t.true(await mfa.hasEnabledDevice(user.id));
  t.like((await mfa.listDevices(user))[0], { id, name: 'Phone', kind: 'totp' });
  t.deepEqual(
    audit.map(({ action, subject }) => [action, subject.id]),
    [['mfa.enabled', id]],
  );
  t.deepEqual(await mfa.methodsOf(user), ['totp', 'recovery']);
});

test('a code works once, also the one that enabled the app', async (t) => {
  const { db } = database;
  const bench = openMfa(db);
  const { mfa, clock } = bench;
  const user = await givenUser(db);
  const { secret } = await mfa.setupTotp(user);
  const code = codeOf(secret, clock.now());
  await mfa.enableTotp(user, code, HERE);
  t.is(await mfa.verify(user, { code }, HERE), undefined);
  clock.move(30);
  const next = codeOf(secret, clock.now());
  t.is(await mfa.verify(user, { code: next }, HERE), 'totp');
  t.is(await mfa.verify(user, { code: next }, HERE), undefined);
});

test('of many tries with one code at the same time exactly one gets in', async (t) => {
  const { db } = database;
  const bench = openMfa(db);
  const { user, secret } = await givenTotpUser(db, bench);
  const code = codeOf(secret, bench.clock.now());
  const answers = await Promise.all(Array.from({ length: 10 }, () => bench.mfa.verify(user, { code }, HERE)));
  t.is(answers.filter((answer) => answer === 'totp').length, 1);
});

test('a code of the step before and of the step after is taken, and none further away', async (t) => {
  const { db } = database;
  const bench = openMfa(db);
  const { user, secret } = await givenTotpUser(db, bench);
  const at = (steps: number) => bench.mfa.verify(user, { code: codeOf(secret, bench.clock.now(), steps) }, HERE);
  t.is(await at(-2), undefined);
  t.is(await at(2), undefined);
  t.is(await at(-1), 'totp');
  t.is(await at(1), 'totp');
});

test('an older code is not taken after a newer one', async (t) => {
  const { db } = database;
  const bench = openMfa(db);
  const { user, secret } = await givenTotpUser(db, bench);
  t.is(await bench.mfa.verify(user, { code: codeOf(secret, bench.clock.now(), 1) }, HERE), 'totp');
  t.is(await bench.mfa.verify(user, { code: codeOf(secret, bench.clock.now()) }, HERE), undefined);
});

test('what is not six digits is no code; spaces between them do not count', async (t) => {
  const { db } = database;
  const bench = openMfa(db);
  const { user, secret } = await givenTotpUser(db, bench);
  const code = codeOf(secret, bench.clock.now());
  for (const wrong of ['', code.slice(1), `${code}0`, `0x${code}`, '١٢٣٤٥٦', 'abcdef', `${code}\0`])
    t.is(await bench.mfa.verify(user, { code: wrong }, HERE), undefined, wrong);
  t.is(await bench.mfa.verify(user, { code: `${code.slice(0, 3)} ${code.slice(3)}` }, HERE), 'totp');
});

test('a code of another user is none', async (t) => {
  const { db } = database;
  const bench = openMfa(db);
  const ann = await givenTotpUser(db, bench);
  const bob = await givenTotpUser(db, bench);
  t.is(await bench.mfa.verify(bob.user, { code: codeOf(ann.secret, bench.clock.now()) }, HERE), undefined);
  await t.throwsAsync(bench.mfa.removeDevice(bob.user, (await bench.mfa.listDevices(ann.user))[0]?.id ?? '', HERE), {
    code: 'MFA_DEVICE_NOT_FOUND',
  });
});

test('the secret is stored encrypted, and opens neither with another key nor in the row of another user', async (t) => {
  const { db } = database;
  const bench = openMfa(db);
  const { user, secret } = await givenTotpUser(db, bench);
  const [device] = await listMfaDevices(db, user.id);
  t.regex(device?.secret ?? '', /^k1\.[\w-]+$/);
  t.false(device?.secret?.includes(secret));
  const other = openMfa(db, {}, new Secret('o'.repeat(48)));
  other.clock.move(120);
  t.is(await other.mfa.verify(user, { code: codeOf(secret, other.clock.now()) }, HERE), undefined);
  t.is(await bench.mfa.verify(user, { code: codeOf(secret, bench.clock.now()) }, HERE), 'totp');
});

test('setting up again forgets the secret that was never proven, and only that', async (t) => {
  const { db } = database;
  const bench = openMfa(db);
  const { user, secret } = await givenTotpUser(db, bench);
  const first = await bench.mfa.setupTotp(user);
  const second = await bench.mfa.setupTotp(user);
  await t.throwsAsync(bench.mfa.enableTotp(user, codeOf(first.secret, bench.clock.now()), HERE), { code: 'MFA_CODE_WRONG' });
  const { recoveryCodes } = await bench.mfa.enableTotp(user, codeOf(second.secret, bench.clock.now()), HERE);
  t.deepEqual(recoveryCodes, [], 'the codes of the first device still work');
  t.is((await bench.mfa.listDevices(user)).length, 2);
  t.is(await bench.mfa.verify(user, { code: codeOf(secret, bench.clock.now()) }, HERE), 'totp');
});

test('what is disabled cannot be set up, and with MFA_ENABLED=false nobody is asked', async (t) => {
  const { db } = database;
  const bench = openMfa(db);
  const { user } = await givenTotpUser(db, bench);
  const off = openMfa(db, { enabled: false });
  t.false(await off.mfa.hasEnabledDevice(user.id));
  t.deepEqual(off.mfa.methods, []);
  await t.throwsAsync(off.mfa.setupTotp(user), { code: 'FEATURE_DISABLED' });
  const passkeysOnly = openMfa(db, { methods: ['webauthn'] });
  await t.throwsAsync(passkeysOnly.mfa.setupTotp(user), { code: 'FEATURE_DISABLED' });
  const noPasskeys = openMfa(db, { webauthn: undefined });
  t.deepEqual(noPasskeys.mfa.methods, ['totp']);
  await t.throwsAsync(noPasskeys.mfa.startWebauthnRegistration(user), { code: 'FEATURE_DISABLED' });
});

test('removing the last device takes the recovery codes along', async (t) => {
  const { db } = database;
  const bench = openMfa(db);
  const { user, recoveryCodes } = await givenTotpUser(db, bench);
  const [device] = await bench.mfa.listDevices(user);
  await bench.mfa.removeDevice(user, device?.id ?? '', HERE);
  t.is(await bench.mfa.countRecoveryCodes(user), 0);
  t.is(await bench.mfa.verify(user, { code: recoveryCodes[0] ?? '' }, HERE), undefined);
  t.deepEqual(
    bench.audit.map(({ action }) => action),
    ['mfa.enabled', 'mfa.removed'],
  );
});

test('who remembers what a user may do is told when a factor comes or goes', async (t) => {
  const { db } = database;
  const bench = openMfa(db);
  const { user } = await givenTotpUser(db, bench);
  t.deepEqual(bench.changed, [user.id]);
  const [device] = await bench.mfa.listDevices(user);
  await bench.mfa.removeDevice(user, device?.id ?? '', HERE);
  t.deepEqual(bench.changed, [user.id, user.id]);
});

test('nobody keeps more than twenty devices', async (t) => {
  const { db } = database;
  const bench = openMfa(db);
  const { user } = await givenTotpUser(db, bench);
  for (let n = 1; n < 20; n += 1) {
    const { secret } = await bench.mfa.setupTotp(user);
    await bench.mfa.enableTotp(user, codeOf(secret, bench.clock.now()), HERE);
  }
  await t.throwsAsync(bench.mfa.setupTotp(user), { code: 'VALIDATION_ERROR' });
});
