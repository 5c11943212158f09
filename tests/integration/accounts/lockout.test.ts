import { addressBlock, deleteLoginFailuresBefore, KnownDevices, Lockout } from '@sheaf/accounts';
import type { AppError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { constant, systemClock } from '@sheaf/process';
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

/** A lock of three attempts and 60 seconds, unless said otherwise, with a clock to be moved. */
const givenLockout = (db: Db, maxAttempts = 3, durationSeconds = 60) => {
  const time = { now: Date.parse('2026-01-01T00:00:00Z') };
  const clock = { now: () => new Date(time.now) };
  return { time, lockout: new Lockout({ db, clock, settings: constant({ maxAttempts, durationMs: durationSeconds * SECOND }) }) };
};

let count = 0;
const from = (address?: string) => ({ address });

/** An address that no other test uses. */
const anAddress = (): string => `192.0.2.${++count}`;

const failTimes = async (lockout: Lockout, times: number, login: string, address?: string): Promise<void> => {
  for (let n = 0; n < times; n += 1) await lockout.failed(login, from(address));
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

test('an account is locked at the last attempt from one place, for that place, and in the same words whether or not it exists', async (t) => {
  const { lockout } = givenLockout(t.context.db);
  const user = await givenUser(t.context.db);
  const place = from(anAddress());
  for (const login of [user.username, 'nobody-of-that-name']) {
    await failTimes(lockout, 2, login, place.address);
    t.true(await lockout.check(login, place));
    t.true(await lockout.failed(login, place), 'this is the one that locks');
    t.false(await lockout.failed(login, place));
    t.true(await lockout.check(login, from(anAddress())), 'and nobody else');
  }
  const known = await outcomeOf(lockout.check(user.username, place));
  t.like(known, { code: 'ACCOUNT_LOCKED', status: 429, details: { retry_after_seconds: 60 } });
  t.deepEqual(known, await outcomeOf(lockout.check('nobody-of-that-name', place)));
});

test('many places that fail at one account wait longer and longer for the next attempt, up to a minute, and it is never locked', async (t) => {
  const { lockout, time } = givenLockout(t.context.db, 3, 900);
  const { username } = await givenUser(t.context.db);
  for (const login of [username, 'nobody-under-attack']) {
    for (let n = 0; n < 5; n += 1) await lockout.failed(login, from(anAddress()));
    t.true(await lockout.check(login, from(anAddress())));
    const waits: unknown[] = [];
    for (let n = 0; n < 7; n += 1) {
      await lockout.failed(login, from(anAddress()));
      const { details } = (await outcomeOf(lockout.check(login, from(anAddress())))) as { details: { retry_after_seconds: number } };
      waits.push(details.retry_after_seconds);
      time.now += details.retry_after_seconds * SECOND;
      t.true(await lockout.check(login, from(anAddress())), 'then the next one may try');
    }
    t.is(waits[0], 1);
    t.true(
      waits.every((wait, n) => n === 0 || Number(wait) >= Math.min(60, 2 * Number(waits[n - 1])) || Number(waits[n - 1]) > 30),
      waits.join(),
    );
  }
});

test('the address and the device of an earlier sign-in are not held up by strangers', async (t) => {
  const { db } = t.context;
  const { lockout } = givenLockout(db);
  const { id, username } = await givenUser(db);
  const devices = new KnownDevices({ db, clock: systemClock });
  const home = anAddress();
  const device = await devices.recordBrowser(id, { address: home, userAgent: undefined });
  for (let n = 0; n < 12; n += 1) await lockout.failed(username, from(anAddress()));
  t.like(await outcomeOf(lockout.check(username, from(anAddress()))), { code: 'ACCOUNT_LOCKED' });
  t.true(await lockout.check(username, from(home)));
  t.true(await lockout.check(username, { address: anAddress(), device }));
  t.like(await outcomeOf(lockout.check(username, { address: anAddress(), device: 'A'.repeat(43) })), { code: 'ACCOUNT_LOCKED' });
});

test('somebody who shares the address locks out neither the device, nor does the device guess without end', async (t) => {
  const { db } = t.context;
  const { lockout } = givenLockout(db);
  const { id, username } = await givenUser(db);
  const address = anAddress();
  const device = await new KnownDevices({ db, clock: systemClock }).recordBrowser(id, { address, userAgent: undefined });
  await failTimes(lockout, 40, username, address);
  t.like(await outcomeOf(lockout.check(username, from(address))), { code: 'ACCOUNT_LOCKED' });
  t.true(await lockout.check(username, { address, device }));
  for (let n = 0; n < 3; n += 1) await lockout.failed(username, { address: anAddress(), device });
  t.like(await outcomeOf(lockout.check(username, { address: anAddress(), device })), { code: 'ACCOUNT_LOCKED' });
});

test('a device that is known of one user is a stranger to another, keeps its cookie, and is forgotten after twenty others', async (t) => {
  const { db } = t.context;
  const { lockout } = givenLockout(db);
  const [one, other] = [await givenUser(db), await givenUser(db)];
  let now = Date.now();
  const devices = new KnownDevices({ db, clock: { now: () => new Date((now += 1_000)) } });
  const device = await devices.recordBrowser(one.id, { address: undefined, userAgent: undefined });
  for (let n = 0; n < 12; n += 1) await lockout.failed(other.username, from(anAddress()));
  t.like(await outcomeOf(lockout.check(other.username, { address: anAddress(), device })), { code: 'ACCOUNT_LOCKED' });
  t.is(await devices.recordBrowser(other.id, { address: undefined, userAgent: undefined, device }), device);
  t.true(await lockout.check(other.username, { address: anAddress(), device }));
  t.not(await devices.recordBrowser(one.id, { address: undefined, userAgent: undefined, device: 'B'.repeat(43) }), 'B'.repeat(43));
  for (let n = 0; n < 20; n += 1) await devices.recordBrowser(other.id, { address: undefined, userAgent: undefined });
  t.like(await outcomeOf(lockout.check(other.username, { address: anAddress(), device })), { code: 'ACCOUNT_LOCKED' });
});

test('the lock and the window in which failures count end with time', async (t) => {
  const { lockout, time } = givenLockout(t.context.db);
  await failTimes(lockout, 3, 'ends');
  time.now += 59 * SECOND;
  t.like(await outcomeOf(lockout.check('ends', from(undefined))), { details: { retry_after_seconds: 1 } });
  time.now += SECOND;
  t.true(await lockout.check('ends', from(undefined)));
  await failTimes(lockout, 2, 'ends');
  t.true(await lockout.check('ends', from(undefined)), 'counted anew');
  time.now += 61 * SECOND;
  await failTimes(lockout, 2, 'ends');
  t.true(await lockout.check('ends', from(undefined)), 'those were of an earlier window');
  await lockout.failed('ends', from(undefined));
  t.like(await outcomeOf(lockout.check('ENDS', from(undefined))), { code: 'ACCOUNT_LOCKED' });
});

test('the name and the e-mail address of a user give no more attempts than one of them, and do not tell that they belong together', async (t) => {
  const { lockout } = givenLockout(t.context.db);
  const user = await givenUser(t.context.db);
  await failTimes(lockout, 2, user.username);
  await failTimes(lockout, 1, user.email.toUpperCase());
  t.false(await lockout.check(user.email, from(undefined)), 'fails like a wrong password');
  t.false(await lockout.check(user.username, from(undefined)));
  t.false(await lockout.succeeded(user.username, from(undefined)));
});

test('an address is locked after ten times as many failures, with whatever names', async (t) => {
  const { lockout } = givenLockout(t.context.db);
  const address = anAddress();
  for (let n = 0; n < 29; n += 1) await lockout.failed(`spray-${n}`, from(address));
  t.true(await lockout.check('spray-30', from(address)));
  await lockout.failed('spray-30', from(address));
  t.like(await outcomeOf(lockout.check('spray-31', from(`::ffff:${address}`))), { code: 'ACCOUNT_LOCKED' });
  t.true(await lockout.check('spray-31', from(anAddress())));
});

test('a success forgets the failures of the account under all its names, and not those of the address', async (t) => {
  const { lockout } = givenLockout(t.context.db, 1);
  const address = anAddress();
  const { db } = t.context;
  const user = await givenUser(db);
  const { lockout: patient } = givenLockout(db, 3);
  await failTimes(patient, 2, user.username, address);
  await failTimes(patient, 2, 'somebody-else', address);
  t.true(await patient.succeeded(user.email, from(address)));
  await failTimes(patient, 2, user.username, address);
  t.true(await patient.check(user.username, from(address)));
  await failTimes(lockout, 5, 'a-third', address);
  t.like(await outcomeOf(lockout.check('a-fourth', from(address))), { code: 'ACCOUNT_LOCKED' }, 'eleven failures of this address');
});

test('of many attempts at once none is lost, and a right one that comes after the lock is refused', async (t) => {
  const { lockout } = givenLockout(t.context.db);
  const place = from(anAddress());
  const answers = await Promise.all(Array.from({ length: 20 }, () => lockout.failed('race', place)));
  t.is(answers.filter((isLocking) => isLocking).length, 1);
  t.like(await outcomeOf(lockout.succeeded('race', place)), { code: 'ACCOUNT_LOCKED' });
});

test('a name that PostgreSQL cannot hold is a name like any other', async (t) => {
  const { lockout } = givenLockout(t.context.db);
  await failTimes(lockout, 3, 'nul\0nul');
  t.like(await outcomeOf(lockout.check('nul\0nul', from(undefined))), { code: 'ACCOUNT_LOCKED' });
});

test('counts that are over are swept, and locks that hold are not', async (t) => {
  await using own = await openTestDatabase();
  const { lockout, time } = givenLockout(own.db);
  await failTimes(lockout, 3, 'swept');
  time.now += 30 * SECOND;
  await deleteLoginFailuresBefore(own.db, new Date(time.now));
  t.like(await outcomeOf(lockout.check('swept', from(undefined))), { code: 'ACCOUNT_LOCKED' });
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
