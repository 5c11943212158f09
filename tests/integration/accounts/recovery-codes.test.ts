import { givenUser, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { sql } from 'drizzle-orm';
import { givenTotpUser, HERE, openMfa } from '../../support/second-factors.ts';

let database: TestDatabase;
test.before(async () => {
  database = await openTestDatabase();
});
test.after.always(() => database[Symbol.asyncDispose]());

test('each code gets its owner in once', async (t) => {
  const { db } = database;
  const bench = openMfa(db);
  const { user, recoveryCodes } = await givenTotpUser(db, bench);
  for (const code of recoveryCodes) {
    t.regex(code, /^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){2}$/);
    t.is(await bench.mfa.verify(user, { code }, HERE), 'recovery');
    t.is(await bench.mfa.verify(user, { code }, HERE), undefined);
  }
  t.is(await bench.mfa.countRecoveryCodes(user), 0);
  t.is(bench.audit.filter(({ action }) => action === 'mfa.recovery_used').length, 10);
  t.true(await bench.mfa.hasEnabledDevice(user.id), 'a used-up list of codes does not switch the second factor off');
});

test('of many tries with one code at the same time exactly one gets in', async (t) => {
  const { db } = database;
  const bench = openMfa(db);
  const { user, recoveryCodes } = await givenTotpUser(db, bench);
  const [code = ''] = recoveryCodes;
  const answers = await Promise.all(Array.from({ length: 10 }, () => bench.mfa.verify(user, { code }, HERE)));
  t.is(answers.filter((answer) => answer === 'recovery').length, 1);
  t.is(bench.audit.filter(({ action }) => action === 'mfa.recovery_used').length, 1);
});

test('a code may be typed as people type, and is of one user only', async (t) => {
  const { db } = database;
  const bench = openMfa(db);
  const { user, recoveryCodes } = await givenTotpUser(db, bench);
  const other = await givenTotpUser(db, bench);
  const [code = ''] = recoveryCodes;
  t.is(await bench.mfa.verify(other.user, { code }, HERE), undefined);
  const typed = code.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O').replaceAll('1', 'l');
  t.is(await bench.mfa.verify(user, { code: typed }, HERE), 'recovery');
});

test('new codes end the old ones, also when several lists are asked for at the same time', async (t) => {
  const { db } = database;
  const bench = openMfa(db);
  const { user, recoveryCodes } = await givenTotpUser(db, bench);
  const lists = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => bench.mfa.makeRecoveryCodes(user, HERE)));
  t.is(await bench.mfa.countRecoveryCodes(user), 10);
  t.is(await bench.mfa.verify(user, { code: recoveryCodes[0] ?? '' }, HERE), undefined);
  const answers = await Promise.all(lists.map(([code = '']) => bench.mfa.verify(user, { code }, HERE)));
  t.is(answers.filter((answer) => answer === 'recovery').length, 1);
});

test('what is stored is no code', async (t) => {
  const { db } = database;
  const bench = openMfa(db);
  const { user, recoveryCodes } = await givenTotpUser(db, bench);
  const { rows } = await db.execute<{ code_hash: string }>(sql`select code_hash from recovery_codes where user_id = ${user.id}`);
  t.is(rows.length, 10);
  for (const { code_hash: hash } of rows) {
    t.regex(hash, /^[0-9a-f]{64}$/);
    t.is(await bench.mfa.verify(user, { code: hash.slice(0, 12) }, HERE), undefined);
  }
  t.false(recoveryCodes.some((code) => rows.some(({ code_hash: hash }) => hash.includes(code.replaceAll('-', '')))));
});

test('a user without a second factor gets no codes', async (t) => {
  const { db } = database;
  await t.throwsAsync(openMfa(db).mfa.makeRecoveryCodes(await givenUser(db), HERE), { code: 'MFA_DEVICE_NOT_FOUND' });
});
