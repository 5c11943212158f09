// Directories and databases take several spellings of a name for the same one. None of them gives further attempts.
import { Lockout } from '@sheaf/accounts';
import { constant, systemClock, uuidv7 } from '@sheaf/process';
import { givenAccount } from '../../support/given-identity.ts';
import { testWithDatabase } from '../../support/test-database.ts';

const test = testWithDatabase();

const SPELLINGS: Readonly<Record<string, (name: string) => string>> = {
  'in capitals': (name) => name.toUpperCase(),
  'with spaces around': (name) => ` ${name}  `,
  'with a space that is none': (name) => `${name}\u00A0`,
  'with characters that do not show': (name) => `\u200B${name.slice(0, 2)}\u00AD${name.slice(2)}`,
  'in wide letters': (name) => name.replace('i', '\uFF49'),
  'with the capital I of Turkish': (name) => name.replace('i', '\u0130'),
  'with an accent, which Active Directory leaves out': (name) => name.replace('i', '\u00ED'),
};

for (const [what, spell] of Object.entries(SPELLINGS)) {
  test(`a name ${what} is locked with the name`, async (t) => {
    const lockout = new Lockout({ db: t.context.db, clock: systemClock, settings: constant({ maxAttempts: 2, durationMs: 60_000 }) });
    const name = `iris${uuidv7().slice(-8)}`;
    for (let n = 0; n < 2; n += 1) await lockout.failed(spell(name), from(undefined));
    await t.throwsAsync(lockout.check(name, from(undefined)), { code: 'ACCOUNT_LOCKED' });
    await t.throwsAsync(lockout.check(spell(name), from(undefined)), { code: 'ACCOUNT_LOCKED' });
  });
}

const from = (address?: string) => ({ address });

test('failures by a spelling count for the user, and their sign-in by it forgets them', async (t) => {
  const lockout = new Lockout({ db: t.context.db, clock: systemClock, settings: constant({ maxAttempts: 2, durationMs: 60_000 }) });
  const user = await givenAccount(t.context.db);
  await lockout.failed(`${user.username} `, from(undefined));
  t.true(await lockout.succeeded(`${user.username} `, from(undefined)));
  await lockout.failed(user.username, from(undefined));
  t.true(await lockout.check(user.email, from(undefined)));
  await lockout.failed(`${user.username} `, from(undefined));
  t.false(await lockout.check(user.email, from(undefined)));
});
