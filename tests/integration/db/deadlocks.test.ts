import { openTestDatabase } from '@sheaf/testkit';
import test from 'ava';

test('a database in which two waited for each other does not pass its tests', async (t) => {
  const database = await openTestDatabase();
  await database.pool.query('create table rows_to_lock (id int primary key, n int)');
  await database.pool.query('insert into rows_to_lock values (1, 0), (2, 0)');
  const [one, two] = [await database.pool.connect(), await database.pool.connect()];
  const lock = (client: typeof one, id: number) => client.query('update rows_to_lock set n = n + 1 where id = $1', [id]);
  for (const client of [one, two]) await client.query('begin');
  await lock(one, 1);
  await lock(two, 2);
  const both = await Promise.allSettled([lock(one, 2), lock(two, 1)]);
  t.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  for (const client of [one, two]) {
    await client.query('rollback');
    client.release();
  }
  await t.throwsAsync(async () => database[Symbol.asyncDispose](), { message: /had deadlocks/ });
});
