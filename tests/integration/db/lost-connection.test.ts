import { isDatabaseUnavailable } from '@sheaf/db';
import { openTestDatabase } from '@sheaf/testkit';
import test from 'ava';

test('a connection that is lost between two statements of a transaction fails the transaction, and nothing else', async (t) => {
  await using database = await openTestDatabase();
  const { db, pool } = database;
  const error = await t.throwsAsync(
    db.transaction(async (tx) => {
      const { rows } = await tx.execute<{ pid: number }>('select pg_backend_pid() as pid');
      await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
      for (let alive = true; alive; )
        alive = (await pool.query('select 1 from pg_stat_activity where pid = $1', [rows[0]?.pid])).rowCount === 1;
      await tx.execute('select 1');
    }),
  );
  t.true(isDatabaseUnavailable(error), error?.message);
  t.is((await pool.query('select 1')).rowCount, 1);
});
