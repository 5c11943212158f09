import { type AccountSettings, type Accounts, makeAccounts, verifyPassword } from '@sheaf/accounts';
import { findUserByLogin } from '@sheaf/accounts/users';
import { type AppError, Secret } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { constant, silentLogger, systemClock } from '@sheaf/process';
import { givenUser, openTestDatabase, principalOf } from '@sheaf/testkit';
import { BUILT_IN_ROLES } from '@sheaf/vocabulary/permissions';
import test from 'ava';
import { CONFIGURED_ROLES } from '../../support/built-in-roles.ts';
import { waitFor } from '../../support/wait-for.ts';

const PASSWORD = 'correct horse battery';
const account = (username: string, extra: { role?: string; password?: string } = {}) => ({
  username,
  email: `${username}@example.org`,
  password: PASSWORD,
  ...extra,
});

const openAccounts = (db: Db, settings: Partial<AccountSettings> = {}): Accounts =>
  makeAccounts({
    db,
    clock: systemClock,
    log: silentLogger(),
    mail: { send: undefined, publicUrl: 'http://localhost:8080' },
    sessions: { endAll: async () => {}, forget: () => {} },
    roles: CONFIGURED_ROLES,
    settings: constant({
      defaultRole: 'viewer',
      registrationEnabled: false,
      emailVerificationRequired: false,
      passwordPolicy: { minLength: 8, requireSpecial: false, requireNumbers: false },
      lockout: { maxAttempts: 5, durationMs: 900_000 },
      ...settings,
    }),
  });

const refusal = async (deed: Promise<unknown>): Promise<{ code: string; details: Readonly<Record<string, unknown>> }> => {
  try {
    await deed;
  } catch (error) {
    const { code, details } = error as AppError;
    return { code, details };
  }
  throw new Error('it was not refused');
};

test('of twenty who register at once on an empty service exactly one becomes administrator, and the audit log says who', async (t) => {
  await using database = await openTestDatabase();
  const { registration } = openAccounts(database.db);
  // none of them can commit until several are in the middle of it
  const gate = await database.pool.connect();
  await gate.query('begin');
  await gate.query('lock table audit_log in exclusive mode');
  const all = Promise.allSettled(Array.from({ length: 20 }, (_, n) => registration.register(account(`user${n}`), undefined, '192.0.2.1')));
  await waitFor(
    async () => {
      const { rows } = await gate.query<{ waiting: number }>(
        'select count(distinct pid)::int as waiting from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())',
      );
      return (rows[0]?.waiting ?? 0) >= 5 ? true : undefined;
    },
    { description: 'five registrations to wait', limitMs: 20_000 },
  );
  await gate.query('rollback');
  gate.release();
  const outcomes = await all;
  const made = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  t.is(made.length, 1);
  t.is(made[0]?.role, 'admin');
  const { rows } = await database.pool.query('select action, outcome, address, subject_id, details from audit_log');
  t.deepEqual(rows, [
    {
      action: 'user.created',
      outcome: 'success',
      address: '192.0.2.1',
      subject_id: made[0]?.id,
      details: { username: made[0]?.username, role: 'admin' },
    },
  ]);
});

test('strangers get the default role at most, and nothing where registration is closed', async (t) => {
  await using database = await openTestDatabase();
  await givenUser(database.db, { role: 'admin' });
  const closed = openAccounts(database.db).registration;
  t.is((await refusal(closed.register(account('eve'), undefined, undefined))).code, 'FORBIDDEN');
  const { registration } = openAccounts(database.db, { registrationEnabled: true, defaultRole: 'editor' });
  t.is((await registration.register(account('eve'), undefined, undefined)).role, 'editor');
  t.is((await registration.register(account('vera', { role: 'viewer' }), undefined, undefined)).role, 'viewer');
  for (const role of ['admin', 'auditor'])
    t.is((await refusal(registration.register(account('mallory', { role }), undefined, undefined))).code, 'FORBIDDEN', role);
  const unknown = await refusal(registration.register(account('mallory', { role: 'king' }), undefined, undefined));
  t.is(unknown.code, 'VALIDATION_ERROR');
  t.true(JSON.stringify(unknown.details).includes('admin, editor, viewer, auditor'));
  // one who is signed in but may not create users is a stranger
  const viewer = principalOf(await givenUser(database.db));
  t.is((await refusal(registration.register(account('mallory', { role: 'admin' }), viewer, undefined))).code, 'FORBIDDEN');
});

test('nobody gives a role that may do more than they may', async (t) => {
  await using database = await openTestDatabase();
  const manager = principalOf(await givenUser(database.db), ['users.*', 'documents.read', 'search.*', 'labels.read', 'ocr.read']);
  const { registration } = openAccounts(database.db);
  t.is((await registration.register(account('vera', { role: 'viewer' }), manager, undefined)).role, 'viewer');
  for (const role of ['admin', 'editor'])
    t.is((await refusal(registration.register(account('eve', { role }), manager, undefined))).code, 'FORBIDDEN', role);
  const almighty = Object.keys(BUILT_IN_ROLES).length > 0 ? ['documents.*', 'users.*', 'settings.*', 'system.*'] : [];
  const nearly = principalOf(await givenUser(database.db), almighty);
  t.is((await refusal(registration.register(account('eve', { role: 'admin' }), nearly, undefined))).code, 'FORBIDDEN');
});

test('every rule that a password breaks is told at once', async (t) => {
  await using database = await openTestDatabase();
  const { registration } = openAccounts(database.db, {
    passwordPolicy: { minLength: 12, requireSpecial: true, requireNumbers: true },
  });
  const { code, details } = await refusal(registration.register(account('weakling', { password: 'weakling' }), undefined, undefined));
  t.is(code, 'VALIDATION_ERROR');
  const issues = details['issues'] as { path: string; message: string }[];
  t.is(issues.length, 4);
  t.true(issues.every(({ path }) => path === 'password'));
  t.is((await registration.register(account('weakling', { password: 'ein Wort + 2 Ziffern' }), undefined, undefined)).role, 'admin');
});

test('a password is neither the name nor the address, and has at most 1,024 characters', async (t) => {
  await using database = await openTestDatabase();
  const { registration } = openAccounts(database.db);
  for (const password of ['WORD-HOLDER', 'word-holder@EXAMPLE.org', 'x'.repeat(1_025), '🦉'.repeat(7)])
    t.is((await refusal(registration.register(account('word-holder', { password }), undefined, undefined))).code, 'VALIDATION_ERROR');
  await t.notThrowsAsync(registration.register(account('word-holder', { password: '🦉'.repeat(8) }), undefined, undefined));
});

test('ADMIN_PASSWORD makes the administrator while there is no user, once', async (t) => {
  await using database = await openTestDatabase();
  const { registration } = openAccounts(database.db);
  await Promise.all([
    registration.makeConfiguredAdministrator(new Secret('from the environment')),
    registration.makeConfiguredAdministrator(new Secret('another')),
  ]);
  const admin = await findUserByLogin(database.db, 'admin');
  t.is(admin?.role, 'admin');
  const isEither = await Promise.all(['from the environment', 'another'].map((text) => verifyPassword(text, admin?.passwordHash)));
  t.is(isEither.filter((isRight) => isRight).length, 1);
  await registration.makeConfiguredAdministrator(new Secret('a later one'));
  t.false(await verifyPassword('a later one', (await findUserByLogin(database.db, 'admin'))?.passwordHash));
});
