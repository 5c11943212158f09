import { readMigrations } from '@sheaf/db/migrations';
import * as schema from '@sheaf/db/schema';
import { openTestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api';
import type { PoolClient } from 'pg';
import { retiredBy } from '../../support/migration-rules.ts';

/** What PostgreSQL says of the tables of a schema. */
const FACTS = `
  select c.relname as table, 'column' as kind, a.attname as name, format_type(a.atttypid, a.atttypmod)
      || case when a.attnotnull then ' not null' else '' end || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') as definition
    from pg_attribute a join pg_class c on c.oid = a.attrelid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = $1::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
  union all
  select c.relname, case contype when 'c' then 'check' else 'key' end, conname,
      -- the code cannot say when a key is checked
      replace(pg_get_constraintdef(k.oid), ' DEFERRABLE INITIALLY DEFERRED', '')
    from pg_constraint k join pg_class c on c.oid = k.conrelid where k.connamespace = $1::regnamespace and contype <> 'n'
  union all
  select c.relname, 'index', i.relname, pg_get_indexdef(x.indexrelid)
    from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
    where c.relnamespace = $1::regnamespace and not exists (select from pg_constraint where conindid = x.indexrelid and contype in ('p', 'u'))`;

type Kind = 'column' | 'key' | 'check' | 'index';
type Facts = Readonly<Record<Kind, readonly string[]>>;

interface FactRow {
  readonly table: string;
  readonly kind: Kind;
  readonly name: string;
  readonly definition: string;
}

/** Keys have other names than drizzle would give them; columns that an index merely carries, and its storage, it cannot say. */
const toLine = ({ table, kind, name, definition }: FactRow): string => {
  const what = definition.replaceAll(/\b(declared|public)\.| INCLUDE \([^)]*\)| WITH \([^)]*\)/g, '');
  return kind === 'key' ? `${table}: ${what}` : `${table}: ${name} ${what}`;
};

const RETIRED = new Set((await readMigrations()).flatMap(retiredBy));

/** Whether the code has to do without it: the table, or a column that it is about. */
const isRetired = ({ table, kind, name, definition }: FactRow): boolean =>
  RETIRED.has(table) ||
  [...RETIRED].some((retired) => {
    const [, column] = retired.split(`${table}.`);
    return column !== undefined && (kind === 'column' ? column === name : new RegExp(`\\b${column}\\b`).test(definition));
  });

const readFacts = async (client: PoolClient, schemaName: string, isMeant: (row: FactRow) => boolean = () => true): Promise<Facts> => {
  const { rows } = await client.query<FactRow>(FACTS, [schemaName]);
  const linesOf = (kind: Kind): string[] =>
    rows
      .filter((row) => row.kind === kind && row.table !== 'migrations' && isMeant(row))
      .map(toLine)
      .toSorted();
  return { column: linesOf('column'), key: linesOf('key'), check: linesOf('check'), index: linesOf('index') };
};

/** Makes the tables of the code in a schema of their own, as drizzle-kit writes them. */
const makeDeclared = async (client: PoolClient): Promise<void> => {
  const statements = await generateMigration(generateDrizzleJson({}), generateDrizzleJson({ ...schema }));
  await client.query('create schema declared; set search_path = declared, public');
  for (const statement of statements) await client.query(statement.replaceAll('"public".', '"declared".'));
};

test('the tables in the code are those that the migrations make: columns, defaults, keys, indexes and checks', async (t) => {
  await using database = await openTestDatabase();
  const client = await database.pool.connect();
  try {
    const made = await readFacts(client, 'public', (row) => !isRetired(row));
    await makeDeclared(client);
    const declared = await readFacts(client, 'declared');
    t.true(made.column.length > 100);
    for (const kind of ['column', 'key', 'index'] as const) t.deepEqual(declared[kind], made[kind], kind);
    // the migrations have more of these: what a type of the code says already needs no second word there
    t.true(declared.check.length > 10);
    t.deepEqual(
      declared.check.filter((check) => !made.check.includes(check)),
      [],
    );
  } finally {
    client.release(true);
  }
});
