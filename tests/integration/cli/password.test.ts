import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { verifyPassword } from '@sheaf/accounts';
import { CODE_CACHE_ENVIRONMENT, givenUser, makeServiceFolder, openTestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { runSheafHere } from '../../support/command-in-process.ts';

const SHEAF = join(import.meta.dirname, '../../../bin/sheaf');

test('sheaf password gives a user a new password, prints it alone, and ends their sessions', async (t) => {
  await using database = await openTestDatabase();
  await using folder = await makeServiceFolder();
  const { id, username } = await givenUser(database.db, { role: 'admin' });
  await database.pool.query(
    "insert into sessions (id, user_id, method, expires_at) values (gen_random_uuid(), $1, 'local', now() + interval '1 day')",
    [id],
  );
  const env = {
    PATH: '/usr/bin:/bin',
    ...CODE_CACHE_ENVIRONMENT,
    DATA_PATH: folder.path,
    DATABASE_URL: database.url.reveal(),
    PASSWORD_REQUIRE_NUMBERS: 'true',
    PASSWORD_REQUIRE_SPECIAL: 'true',
  };
  const run = (...args: string[]) => runSheafHere(['password', ...args], env);
  const { status, stdout, stderr } = spawnSync(SHEAF, ['password', username.toUpperCase()], { encoding: 'utf8', timeout: 120_000, env });
  t.is(status, 0, stderr);
  t.regex(stdout, /^[a-z\d]{5}(?:-[a-z\d]{5}){4,}\n$/);
  const { rows } = await database.pool.query<{ password_hash: string }>('select password_hash from users where id = $1', [id]);
  t.true(await verifyPassword(stdout.trim(), rows[0]?.password_hash ?? null));
  t.is((await database.pool.query('select from sessions where user_id = $1 and revoked_at is null', [id])).rowCount, 0);
  const { rows: entries } = await database.pool.query(
    "select actor_id, subject_id, details from audit_log where action = 'password.changed'",
  );
  t.deepEqual(entries, [{ actor_id: null, subject_id: id, details: { by: 'command', revoked_keys: 0 } }]);
  const nobody = await run('nobody-of-this-name');
  t.deepEqual([nobody.status, nobody.stdout], [1, '']);
  t.regex(nobody.stderr, /^sheaf password: Unknown user nobody-of-this-name/);
  for (const args of [[], ['a', 'b'], ['--dance']]) t.is((await run(...args)).status, 2, args.join(' '));
  t.regex((await run('--help')).stdout, /^usage: sheaf password/);
});
