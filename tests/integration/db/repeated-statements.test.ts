import { openDatabase } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { askSchemaState, latestVersion } from '@sheaf/db/migrations';
import { silentLogger } from '@sheaf/process';
import { openTestDatabase } from '@sheaf/testkit';
import test from 'ava';

const settings = { maxConnections: 1, minConnections: 0, acquireTimeoutMs: 10_000, idleTimeoutMs: 60_000, maxLifetimeMs: 600_000 };

const openPool = (url: Parameters<typeof openDatabase>[0]['url'], keepsPlans: boolean) =>
  openDatabase({ ...settings, url, keepsPlans, applicationName: 'repeated' }, silentLogger());

test('a statement that one connection sends again and again is planned once, others are not kept', async (t) => {
  await using database = await openTestDatabase();
  const kept = openPool(database.url, true);
  for (let n = 0; n < 5; n += 1) await kept.db.execute(sql`select ${n}::int as again`);
  await kept.db.execute(sql`select 1 as once`);
  const { rows } = await kept.db.execute<{ statement: string }>(sql`select statement from pg_prepared_statements`);
  t.deepEqual(
    rows.map(({ statement }) => statement),
    ['select $1::int as again'],
  );
  await kept.close();
});

test('two commands at once, such as the question for the schema, are sent as often as one likes', async (t) => {
  await using database = await openTestDatabase();
  const kept = openPool(database.url, true);
  const expected = await latestVersion();
  for (let n = 0; n < 5; n += 1) t.is((await askSchemaState(kept, expected, 5_000)).version, expected);
  await kept.close();
});

test('where plans are not kept, there are none', async (t) => {
  await using database = await openTestDatabase();
  const kept = openPool(database.url, false);
  for (let n = 0; n < 5; n += 1) await kept.db.execute(sql`select ${n}::int as again`);
  t.is((await kept.db.execute(sql`select from pg_prepared_statements`)).rows.length, 0);
  await kept.close();
});

test('a plan whose columns a migration has changed costs one failure, and the next connection works', async (t) => {
  await using database = await openTestDatabase();
  const kept = openPool(database.url, true);
  await kept.db.execute(sql`create table widths (a int)`);
  const read = () => kept.db.execute(sql`select * from widths`);
  for (let n = 0; n < 5; n += 1) await read();
  await kept.db.execute(sql`alter table widths add column b int`);
  await t.throwsAsync(read());
  await t.notThrowsAsync(read());
  await kept.close();
});
