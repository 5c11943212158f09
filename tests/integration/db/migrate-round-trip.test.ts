import { type Migration, migrateDown, migrateUp, migrateWithin, readApplied, readMigrations } from '@sheaf/db/migrations';
import { FatalError } from '@sheaf/process';
import { openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { Client } from 'pg';
import { fillDatabase, tableNames } from '../../support/filled-database.ts';
import { fullOnly } from '../../support/full-run.ts';
import { schemaText } from '../../support/schema-text.ts';

interface Context {
  readonly database: TestDatabase;
  readonly client: Client;
  readonly known: readonly Migration[];
}

const test = anyTest as TestFn<Context>;

test.beforeEach(async (t) => {
  const database = await openTestDatabase();
  const client = new Client({ connectionString: database.url.reveal() });
  await client.connect();
  t.context = { database, client, known: await readMigrations() };
});
test.afterEach.always(async (t) => {
  await t.context.client.end();
  await t.context.database[Symbol.asyncDispose]();
});

/** The text of each column that holds data of its own. */
type Row = Readonly<Record<string, string | null>>;
type Contents = ReadonlyMap<string, readonly Row[]>;

const asText = { getTypeParser: () => (value: string | Buffer) => value.toString() };

/** The contents of all tables but the one that the migrations write themselves. */
const readContents = async (client: Client): Promise<Contents> => {
  const contents = new Map<string, Row[]>();
  for (const table of (await tableNames(client)).filter((name) => name !== 'migrations')) {
    const columns = await client.query<{ name: string }>(
      `select attname as name from pg_attribute
        where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
      [table],
    );
    const text = `select ${columns.rows.map(({ name }) => name).join(', ')} from ${table}`;
    const { rows } = await client.query<Row>({ text, types: asText });
    // a row that is written again may stand elsewhere in its table
    contents.set(
      table,
      rows.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)),
    );
  }
  return contents;
};

/** The rows of those tables and columns that `pattern` has as well, but for the tables `without`, as sorted lines. */
const likeIn = (contents: Contents, pattern: Contents, without: readonly string[] = []): string[] =>
  [...contents]
    .filter(([table]) => pattern.has(table) && !without.includes(table))
    .flatMap(([table, rows]) => {
      const columns = Object.keys(pattern.get(table)?.[0] ?? {});
      return rows.map((row) => `${table}: ${JSON.stringify(columns.filter((name) => name in row).map((name) => [name, row[name]]))}`);
    })
    .toSorted();

const upTo = (client: Client, known: readonly Migration[], version: number): Promise<Migration[]> =>
  migrateUp(
    client,
    known.filter((migration) => migration.version <= version),
  );

fullOnly(test)('each step down keeps all that the older schema can hold, and the way up again loses none of it', async (t) => {
  const { client, known } = t.context;
  await fillDatabase(client);
  for (const { version } of known.toReversed()) {
    const newer = await readContents(client);
    await migrateDown(client, known, version - 1);
    const older = await readContents(client);
    // what it has instead of others: it holds something, and the way up and down again leaves it as it is
    const instead = [...older.keys()].filter((table) => !newer.has(table));
    for (const table of instead) t.not(older.get(table)?.length, 0, table);
    t.deepEqual(likeIn(older, older, instead), likeIn(newer, older), `down from ${version}`);
    await upTo(client, known, version);
    t.deepEqual(likeIn(await readContents(client), older), likeIn(older, older, instead), `up to ${version}`);
    await migrateDown(client, known, version - 1);
    t.deepEqual(await readContents(client), older, `down from ${version} once more`);
  }
  t.deepEqual(await readApplied(client), []);
  t.deepEqual(await tableNames(client), ['migrations']);
});

test('going down leaves the very schema that going up made, at each version', async (t) => {
  const { client, known } = t.context;
  await migrateDown(client, known, 0);
  const made = new Map([[0, await schemaText(client)]]);
  for (const { version } of known) {
    await upTo(client, known, version);
    made.set(version, await schemaText(client));
  }
  await fillDatabase(client);
  for (const { version } of known.toReversed()) {
    t.deepEqual(await schemaText(client), made.get(version), `version ${version}`);
    await migrateDown(client, known, version - 1);
  }
  t.deepEqual(await schemaText(client), made.get(0));
});

test('a filled database goes down by several steps and up again', async (t) => {
  const { client, known } = t.context;
  await fillDatabase(client);
  const before = await readContents(client);
  const schema = await schemaText(client);
  t.is((await migrateDown(client, known, 2)).length, known.length - 2);
  await migrateUp(client, known);
  t.deepEqual(await schemaText(client), schema);
  const after = await readContents(client);
  for (const table of ['users', 'documents', 'document_pages', 'events']) t.is(after.get(table)?.length, before.get(table)?.length, table);
});

fullOnly(test)('a schema in its own right is made beside the one in use, and goes with the transaction', async (t) => {
  const { client, known } = t.context;
  await fillDatabase(client);
  const contents = await readContents(client);
  const schema = await schemaText(client);
  await client.query('begin');
  await client.query('create schema beside');
  await client.query('set local search_path = beside, public');
  t.deepEqual(await readApplied(client), []);
  await migrateWithin(client, known, 3);
  t.is((await readApplied(client)).length, 3);
  await migrateWithin(client, known, 2);
  await migrateWithin(client, known, Number.POSITIVE_INFINITY);
  t.deepEqual(await schemaText(client), schema);
  await client.query('set local search_path = public');
  t.deepEqual(await readContents(client), contents);
  t.deepEqual(await schemaText(client), schema);
  await client.query('rollback');
  t.deepEqual(await readContents(client), contents);
});

test('migrations within a transaction of somebody else happen as a whole or not at all', async (t) => {
  const { client, known } = t.context;
  await client.query('begin');
  await migrateWithin(client, known, 1);
  t.is((await readApplied(client)).length, 1);
  await client.query('rollback');
  t.is((await readApplied(client)).length, known.length);
});

test('a newer schema, and one that was applied in another form, are refused up and down', async (t) => {
  const { client, known } = t.context;
  const older = known.slice(0, -1);
  await client.query('update migrations set compatible_from = version');
  const edited = known.map((migration) => (migration.version === 2 ? { ...migration, up: `${migration.up}\n-- changed` } : migration));
  for (const work of [migrateUp, (...[on, list]: Parameters<typeof migrateUp>) => migrateDown(on, list, 0)]) {
    const unknown = await t.throwsAsync(work(client, older), { instanceOf: FatalError });
    t.like(unknown?.problem, { code: 'migration_unknown', details: { version: String(known.at(-1)?.version) } });
    const changed = await t.throwsAsync(work(client, edited), { instanceOf: FatalError });
    t.like(changed?.problem, { code: 'migration_changed', details: { version: '2' } });
  }
  t.is((await readApplied(client)).length, known.length);
});

test('a newer schema that older code works with is left by its way up, and refused by its way down', async (t) => {
  const { client, known } = t.context;
  const newest = known.at(-1)?.version ?? 0;
  const later = { version: newest + 2, name: 'later', compatibleFrom: newest, up: 'create table later ()', down: 'drop table later' };
  t.deepEqual(await migrateUp(client, [...known, later]), [later]);
  t.deepEqual(await migrateUp(client, known), []);
  t.like(await t.throwsAsync(migrateDown(client, known, 1), { instanceOf: FatalError }), { exitCode: 78 });
  t.like(await t.throwsAsync(migrateUp(client, known.slice(0, -1)), { instanceOf: FatalError }), { exitCode: 78 });
  t.is((await readApplied(client)).at(-1)?.compatibleFrom, newest);
});

test('a table of migrations that an older version made gets what it lacks', async (t) => {
  const { client, known } = t.context;
  await client.query('alter table migrations drop column compatible_from');
  t.true((await readApplied(client)).every(({ version, compatibleFrom }) => version === compatibleFrom));
  t.deepEqual(await migrateUp(client, known), []);
  const { rows } = await client.query('select compatible_from from migrations');
  t.deepEqual(
    rows,
    known.map(() => ({ compatible_from: null })),
  );
});

test('two who migrate at the same time both end well, and each migration is applied once', async (t) => {
  const { database, client, known } = t.context;
  await migrateDown(client, known, 0);
  const second = new Client({ connectionString: database.url.reveal() });
  await second.connect();
  try {
    const done = await Promise.all([migrateUp(client, known), migrateUp(second, known)]);
    t.deepEqual(
      done.flat().map(({ version }) => version),
      known.map(({ version }) => version),
    );
    const undone = await Promise.all([migrateDown(client, known, 0), migrateDown(second, known, 0)]);
    t.is(undone.flat().length, known.length);
  } finally {
    await second.end();
  }
});
