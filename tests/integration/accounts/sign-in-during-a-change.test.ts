// What a user's password and their being let in are at the moment when their session begins, not when their sign-in did.

import type { Identity } from '@sheaf/accounts';
import { setPassword, updateUser } from '@sheaf/accounts/users';
import { Secret } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import { silentLogger } from '@sheaf/process';
import { type TestDatabase } from '@sheaf/testkit';
import type { ExecutionContext } from 'ava';
import { Secret as OtpSecret, TOTP } from 'otpauth';
import { BY_COOKIE, BY_TOKEN, CLIENT, givenAccount, givenIdentity, PASSWORD, settingsOf } from '../../support/given-identity.ts';
import { startRedis, whyNoRedis } from '../../support/redis-server.ts';
import { testWithDatabase } from '../../support/test-database.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = testWithDatabase();

const newPassword = async (tx: Db, user: User): Promise<void> => {
  await setPassword(tx, user.id, user.passwordHash, 'another hash', new Date());
};
const disabled = async (tx: Db, user: User): Promise<void> => {
  await updateUser(tx, user.id, { disabledAt: new Date() }, new Date());
};

/** Begins a sign-in while `change` is written but not yet committed; commits when the sign-in waits for it or is over. */
const signInBeside = async (
  t: ExecutionContext<TestDatabase>,
  identity: Identity,
  user: User,
  change: typeof newPassword,
  wishes = BY_TOKEN,
): Promise<void> => {
  const { db, pool } = t.context;
  let isOver = false;
  const isWaiting = async (): Promise<boolean> => {
    const { rows } = await pool.query<{ total: number }>(
      "select count(*)::int as total from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return isOver || (rows[0]?.total ?? 0) > 0;
  };
  const late = await db.transaction(async (tx) => {
    await change(tx, user);
    await identity.sessionEnd.endAll(tx, user.id);
    const signIn = identity.signIn.withPassword(user.username, PASSWORD, CLIENT, wishes).then(
      () => 'signed in',
      (error: { code?: string }) => error.code,
    );
    const told = signIn.finally(() => (isOver = true));
    await waitFor(isWaiting, { description: 'the sign-in to wait or to end', limitMs: 20_000 });
    return { told };
  });
  t.is(await late.told, 'UNAUTHORIZED');
  t.deepEqual(await identity.sessions.list(user.id), []);
};

for (const [what, change] of Object.entries({ 'password is changed': newPassword, 'user is disabled': disabled })) {
  test.serial(`a sign-in that was under way when the ${what} opens no session`, async (t) => {
    const { identity } = givenIdentity(t.context.db);
    for (const wishes of [BY_TOKEN, BY_COOKIE]) await signInBeside(t, identity, await givenAccount(t.context.db), change, wishes);
  });
}

const missing = whyNoRedis();
(missing === undefined ? test.serial : test.skip)('nor does one whose session would be kept in the key-value store', async (t) => {
  await using redis = await startRedis();
  const sessions = { ...settingsOf().sessions, storeUrl: new Secret(redis.url) };
  const { identity } = givenIdentity(t.context.db, { sessions }, { log: silentLogger() });
  const components = identity.components();
  for (const component of components) await component.start();
  await signInBeside(t, identity, await givenAccount(t.context.db), newPassword, BY_COOKIE);
  for (const component of components) await component.stop();
});

test.serial('a second step goes on from the password that the first one was given', async (t) => {
  const { db, pool } = t.context;
  const secondFactor = { ...settingsOf().secondFactor, enabled: true };
  const { identity, clock } = givenIdentity(db, { secondFactor });
  const user = await givenAccount(db);
  const { secret } = await identity.mfa.setupTotp(user);
  const totp = new TOTP({ secret: OtpSecret.fromBase32(secret) });
  const code = (): string => totp.generate({ timestamp: clock.now().getTime() });
  await identity.mfa.enableTotp(user, code(), CLIENT);
  clock.pass(60_000);
  const { answer } = await identity.signIn.withPassword(user.username, PASSWORD, CLIENT, BY_TOKEN);
  if (!('mfa_required' in answer)) throw new Error('no second step');
  // as if the change had come between the look at the password and the writing of the token
  await setPassword(db, user.id, user.passwordHash, 'another hash', clock.now());
  await pool.query("update one_time_tokens set created_at = now() + interval '1 hour' where user_id = $1", [user.id]);
  await t.throwsAsync(identity.signIn.completeMfa(answer.mfa_token, { code: code() }, CLIENT), { code: 'MFA_TOKEN_INVALID' });
});
