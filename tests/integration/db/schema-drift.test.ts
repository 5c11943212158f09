import { openTestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import * as schema from '../../../packages/db/src/schema/index.ts';

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly notNull: boolean;
}

const compare = (a: Column, b: Column): number => (`${a.table}.${a.column}` < `${b.table}.${b.column}` ? -1 : 1);

/** What the code believes. */
const declaredColumns = (): Column[] =>
  Object.values(schema)
    .filter((value) => is(value, PgTable))
    .flatMap((table) => {
      const { name, columns } = getTableConfig(table);
      return columns.map((column) => ({
        table: name,
        column: column.name,
        type: column.getSQLType().replace('serial', 'integer'),
        notNull: column.notNull,
      }));
    })
    .toSorted(compare);

const declaredIndexes = (): string[] =>
  Object.values(schema)
    .filter((value) => is(value, PgTable))
    .flatMap((table) => getTableConfig(table).indexes.map((index) => index.config.name ?? ''))
    .toSorted();

test('the tables, columns, types and indexes in the code are those that the migrations make', async (t) => {
  await using database = await openTestDatabase();
  const { rows } = await database.pool.query<Column>(`
    select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as "notNull"
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped and c.relname <> 'migrations'`);
  t.true(rows.length > 100);
  t.deepEqual(declaredColumns(), rows.toSorted(compare));
  const indexes = await database.pool.query<{ name: string }>(`
    select i.relname as name from pg_index x join pg_class i on i.oid = x.indexrelid join pg_namespace n on n.oid = i.relnamespace
    left join pg_constraint k on k.conindid = x.indexrelid
    where n.nspname = 'public' and k.oid is null`);
  t.deepEqual(declaredIndexes(), indexes.rows.map(({ name }) => name).toSorted());
});
