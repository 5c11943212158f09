import type { AppError } from '@sheaf/contract';
import { type Db, deleteLoginFailuresBefore } from '@sheaf/db';
import { addressBlock, Lockout } from '@sheaf/identity';
import { givenUser, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';

const test = anyTest as TestFn<{ db: Db }>;
let database: TestDatabase;
test.before(async () => {
  database = await openTestDatabase();
});
test.beforeEach((t) => {
  t.context = { db: database.db };
});
test.after.always(() => database[Symbol.asyncDispose]());

const SECOND = 1_000;

/** A lock of three attempts and 60 seconds, with a clock to be moved. */
const givenLockout = (db: Db, maxAttempts = 3) => {
  const time = { now: Date.parse('2026-01-01T00:00:00Z') };
  const clock = { now: () => new Date(time.now) };
  return { time, lockout: new Lockout({ db, clock, settings: { maxAttempts, durationMs: 60 * SECOND } }) };
};

let count = 0;
/** An address that no other test uses. */
const anAddress = (): string => `192.0.2.${++count}`;

const failTimes = async (lockout: Lockout, times: number, login: string, address?: string): Promise<void> => {
  for (let n = 0; n < times; n += 1) await lockout.failed(login, address);
};

/** The code and the details of what `check` throws, or what it answers. */
const outcomeOf = async (deed: Promise<boolean>): Promise<unknown> => {
  try {
    return await deed;
  } catch (error) {
    const { code, status, message, details } = error as AppError;
    return { code, status, message, details };
  }
};

test('an account is locked at the last attempt, for everyone and in the same words whether or not it exists', async (t) => {
  const { lockout } = givenLockout(t.context.db);
  const user = await givenUser(t.context.db);
  await failTimes(lockout, 2, user.username, anAddress());
  t.true(await lockout.check(user.username, anAddress()));
  t.true(await lockout.failed(user.username, anAddress()), 'this is the one that locks');
  t.false(await lockout.failed(user.username, anAddress()));
  await failTimes(lockout, 3, 'nobody-of-that-name', anAddress());
  const known = await outcomeOf(lockout.check(user.username, anAddress()));
  t.like(known, { code: 'ACCOUNT_LOCKED', status: 429, details: { retry_after_seconds: 60 } });
  t.deepEqual(known, await outcomeOf(lockout.check('nobody-of-that-name', anAddress())));
});

test('the lock and the window in which failures count end with time', async (t) => {
  const { lockout, time } = givenLockout(t.context.db);
  await failTimes(lockout, 3, 'ends');
  time.now += 59 * SECOND;
  t.like(await outcomeOf(lockout.check('ends', undefined)), { details: { retry_after_seconds: 1 } });
  time.now += SECOND;
  t.true(await lockout.check('ends', undefined));
  await failTimes(lockout, 2, 'ends');
  t.true(await lockout.check('ends', undefined), 'counted anew');
  time.now += 61 * SECOND;
  await failTimes(lockout, 2, 'ends');
  t.true(await lockout.check('ends', undefined), 'those were of an earlier window');
  await lockout.failed('ends', undefined);
  t.like(await outcomeOf(lockout.check('ENDS', undefined)), { code: 'ACCOUNT_LOCKED' });
});

test('the name and the e-mail address of a user give no more attempts than one of them, and do not tell that they belong together', async (t) => {
  const { lockout } = givenLockout(t.context.db);
  const user = await givenUser(t.context.db);
  await failTimes(lockout, 2, user.username);
  await failTimes(lockout, 1, user.email.toUpperCase());
  t.false(await lockout.check(user.email, undefined), 'fails like a wrong password');
  t.false(await lockout.check(user.username, undefined));
  t.false(await lockout.succeeded(user.username, undefined));
});

test('an address is locked after ten times as many failures, with whatever names', async (t) => {
  const { lockout } = givenLockout(t.context.db);
  const address = anAddress();
  for (let n = 0; n < 29; n += 1) await lockout.failed(`spray-${n}`, address);
  t.true(await lockout.check('spray-30', address));
  await lockout.failed('spray-30', address);
  t.like(await outcomeOf(lockout.check('spray-31', `::ffff:${address}`)), { code: 'ACCOUNT_LOCKED' });
  t.true(await lockout.check('spray-31', anAddress()));
});

test('a success forgets the failures of the account under all its names, and not those of the address', async (t) => {
  const { lockout } = givenLockout(t.context.db, 1);
  const address = anAddress();
  const { db } = t.context;
  const user = await givenUser(db);
  const { lockout: patient } = givenLockout(db, 3);
  await failTimes(patient, 2, user.username, address);
  await failTimes(patient, 2, 'somebody-else', address);
  t.true(await patient.succeeded(user.email, address));
  await failTimes(patient, 2, user.username, address);
  t.true(await patient.check(user.username, address));
  await failTimes(lockout, 5, 'a-third', address);
  t.like(await outcomeOf(lockout.check('a-fourth', address)), { code: 'ACCOUNT_LOCKED' }, 'eleven failures of this address');
});

test('of many attempts at once none is lost, and a right one that comes after the lock is refused', async (t) => {
  const { lockout } = givenLockout(t.context.db);
  const answers = await Promise.all(Array.from({ length: 20 }, () => lockout.failed('race', anAddress())));
  t.is(answers.filter((isLocking) => isLocking).length, 1);
  t.like(await outcomeOf(lockout.succeeded('race', undefined)), { code: 'ACCOUNT_LOCKED' });
});

test('a name that PostgreSQL cannot hold is a name like any other', async (t) => {
  const { lockout } = givenLockout(t.context.db);
  await failTimes(lockout, 3, 'nul\0nul');
  t.like(await outcomeOf(lockout.check('nul\0nul', undefined)), { code: 'ACCOUNT_LOCKED' });
});

test('counts that are over are swept, and locks that hold are not', async (t) => {
  await using own = await openTestDatabase();
  const { lockout, time } = givenLockout(own.db);
  await failTimes(lockout, 3, 'swept');
  time.now += 30 * SECOND;
  await deleteLoginFailuresBefore(own.db, new Date(time.now));
  t.like(await outcomeOf(lockout.check('swept', undefined)), { code: 'ACCOUNT_LOCKED' });
  time.now += 40 * SECOND;
  await deleteLoginFailuresBefore(own.db, new Date(time.now));
  t.is((await own.pool.query('select from login_failures')).rowCount, 0);
});

test('of an IPv6 address the network of one subscriber counts', (t) => {
  t.is(addressBlock('2001:DB8:0:1:aaaa::1'), '2001:db8:0:1::/64');
  t.is(addressBlock('2001:db8:0:1:bbbb:cccc:dddd:1'), '2001:db8:0:1::/64');
  t.not(addressBlock('2001:db8:0:2::1'), addressBlock('2001:db8:0:1::1'));
  t.is(addressBlock('::ffff:192.0.2.7'), '192.0.2.7');
  t.is(addressBlock('fe80::1%eth0'), 'fe80:0:0:0::/64');
  t.is(addressBlock('192.0.2.7'), '192.0.2.7');
});
