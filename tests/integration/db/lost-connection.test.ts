import { isDatabaseUnavailable } from '@sheaf/db';
import { openTestDatabase } from '@sheaf/testkit';
import test from 'ava';
import type { PoolClient } from 'pg';

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

test('connections that turn out dead when a transaction begins give their places in the pool back', async (t) => {
  await using database = await openTestDatabase();
  const { db, pool } = database;
  const end = (client: PoolClient): void => {
    client.query('select pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
  };
  pool.on('acquire', end);
  for (let n = 0; n <= pool.options.max; n += 1)
    t.true(isDatabaseUnavailable(await t.throwsAsync(db.transaction((tx) => tx.execute('select 1')))));
  pool.off('acquire', end);
  t.deepEqual((await db.transaction((tx) => tx.execute('select 1 as one'))).rows, [{ one: 1 }]);
});
