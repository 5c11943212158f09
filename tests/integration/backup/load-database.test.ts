import { type BackupReader, compareTables, loadDatabase, openBackup } from '@sheaf/backup';
import { migrateDown, migrateWithin, readApplied, readMigrations } from '@sheaf/db/migrations';
import type { FatalError } from '@sheaf/process';
import { openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { Client } from 'pg';
import { fillDatabase, tableNames } from '../../support/filled-database.ts';
import { fullOnly } from '../../support/full-run.ts';
import { schemaText } from '../../support/schema-text.ts';
import { type BackedUpLibrary, openBackedUpLibrary } from './library.ts';

interface Context {
  readonly library: BackedUpLibrary;
  /** On the database that was backed up. */
  readonly source: Client;
  readonly connect: (database: TestDatabase) => Promise<Client>;
  readonly resources: AsyncDisposableStack;
}

const test = anyTest as TestFn<Context>;

test.beforeEach(async (t) => {
  const resources = new AsyncDisposableStack();
  const library = resources.use(await openBackedUpLibrary());
  const connect = async (database: TestDatabase): Promise<Client> => {
    const client = new Client({ connectionString: database.url.reveal() });
    client.on('error', () => {});
    await client.connect();
    resources.defer(() => client.end());
    return client;
  };
  t.context = { library, source: await connect(library.database), connect, resources };
});
test.afterEach.always((t) => t.context.resources.disposeAsync());

const openNew = async ({ library, resources }: Context): Promise<BackupReader> =>
  resources.use(await openBackup((await library.backup()).path));

const { signal } = new AbortController();

const inTransaction = async <T>(client: Client, end: 'commit' | 'rollback', work: () => Promise<T>): Promise<T> => {
  await client.query('begin');
  const result = await work();
  await client.query(end);
  return result;
};

const sequencesOf = async (client: Client): Promise<string[]> => {
  const { rows } = await client.query<{ line: string }>(
    `select concat_ws(' ', sequencename, coalesce(last_value, 0)) as line from pg_sequences where schemaname = current_schema() order by 1`,
  );
  return rows.map(({ line }) => line);
};

test('a backup is loaded into an empty database: all rows, sequences, keys, indexes and triggers are as they were', async (t) => {
  const { source, connect, resources } = t.context;
  await fillDatabase(source);
  const backup = await openNew(t.context);
  const target = await connect(resources.use(await openTestDatabase({ empty: true })));
  const loaded = await inTransaction(target, 'commit', () => loadDatabase(target, backup, { signal }));
  t.deepEqual(loaded.foreignTables, []);
  t.is(loaded.tables, backup.manifest.database.tables.length);
  t.deepEqual(await compareTables(target, backup.manifest.database.tables, signal), []);
  t.deepEqual(await schemaText(target), await schemaText(source));
  t.deepEqual(await sequencesOf(target), await sequencesOf(source));
  t.deepEqual(await readApplied(target), await readApplied(source));
  await target.query(`update documents set status = 'failed', error_code = 'x' where status = 'completed'`);
  const { rows } = await target.query('select from document_tally_deltas');
  t.true(rows.length > backup.manifest.database.tables.find(({ name }) => name === 'document_tally_deltas')!.rows); // triggers are awake
});

fullOnly(test)('what was there goes with the transaction or stays with it', async (t) => {
  const { source, library } = t.context;
  await fillDatabase(source);
  const backup = await openNew(t.context);
  await library.add('later');
  await source.query(`delete from labels; update users set display_name = 'changed'`);
  const isAsInBackup = async (): Promise<boolean> => (await compareTables(source, backup.manifest.database.tables, signal)).length === 0;
  const load = () => loadDatabase(source, backup, { signal });
  await inTransaction(source, 'rollback', load);
  t.is((await source.query(`select from users where display_name = 'changed'`)).rowCount, 3);
  t.is((await source.query('select from labels')).rowCount, 0);
  await inTransaction(source, 'commit', load);
  t.true(await isAsInBackup());
});

test('a scratch schema gets all of it beside the database in use, and nothing of it stays', async (t) => {
  const { source } = t.context;
  await fillDatabase(source);
  const backup = await openNew(t.context);
  await source.query(`update users set display_name = 'changed'`);
  const schema = await schemaText(source);
  await inTransaction(source, 'rollback', async () => {
    await loadDatabase(source, backup, { schema: 'scratch', signal });
    t.deepEqual(await compareTables(source, backup.manifest.database.tables, signal), []);
    t.deepEqual(await schemaText(source), schema);
    t.is((await source.query(`select from public.users where display_name = 'changed'`)).rowCount, 3);
  });
  t.deepEqual(await schemaText(source), schema);
  t.is((await source.query(`select from pg_namespace where nspname = 'scratch'`)).rowCount, 0);
});

fullOnly(test)('a scratch schema can be filled in a database that has nothing yet, extensions included', async (t) => {
  const { source, connect, resources } = t.context;
  await fillDatabase(source);
  const backup = await openNew(t.context);
  const target = await connect(resources.use(await openTestDatabase({ empty: true })));
  await inTransaction(target, 'rollback', () => loadDatabase(target, backup, { schema: 'scratch', signal }));
  t.deepEqual(await tableNames(target), []);
});

test('a backup of an older schema is loaded as it is, and its migrations bring it up', async (t) => {
  const { library, source, connect, resources } = t.context;
  const known = await readMigrations();
  await fillDatabase(source);
  await migrateDown(source, known, 8);
  const backup = await openNew(t.context);
  t.is(backup.manifest.schema_version, 8);
  const target = await connect(resources.use(await openTestDatabase()));
  await fillDatabase(target);
  const schema = await schemaText(target);
  await inTransaction(target, 'commit', async () => {
    await loadDatabase(target, backup, { signal });
    t.is((await readApplied(target)).length, 8);
    await migrateWithin(target, known, Number.POSITIVE_INFINITY);
  });
  t.deepEqual(await schemaText(target), schema);
  t.is((await target.query('select from documents')).rowCount, (await library.database.pool.query('select from documents')).rowCount);
  t.is((await target.query('select from sources')).rowCount, 0);
});

test('a backup of a newer schema is refused by the version of the service that can read it', async (t) => {
  const { source } = t.context;
  const backup = await openNew(t.context);
  const { manifest } = backup;
  const newer = { table: (name: string) => backup.table(name), manifest: { ...manifest, schema_version: 9_999, service_version: '9.9.9' } };
  const refusal = await t.throwsAsync<FatalError>(loadDatabase(source, newer, { signal }));
  t.like(refusal?.problem, { code: 'backup_newer', details: { version: 9_999, service_version: '9.9.9' } });
});

fullOnly(test)('tables of somebody else in the same schema are left alone', async (t) => {
  const { source } = t.context;
  await fillDatabase(source);
  await source.query(`create table guests (name text); insert into guests values ('in the backup')`);
  const backup = await openNew(t.context);
  await source.query(`update guests set name = 'now'`);
  const { foreignTables } = await inTransaction(source, 'commit', () => loadDatabase(source, backup, { signal }));
  t.deepEqual(foreignTables, ['guests']);
  t.deepEqual((await source.query('select name from guests')).rows, [{ name: 'now' }]);
});

fullOnly(test)('a backup without one of the tables is damaged, and so is one with other rows than it says', async (t) => {
  const { source, connect, library } = t.context;
  await fillDatabase(source);
  const backup = await openNew(t.context);
  const { manifest } = backup;
  const withTables = (change: (tables: typeof manifest.database.tables) => typeof manifest.database.tables) => ({
    table: (name: string) => backup.table(name),
    manifest: { ...manifest, database: { ...manifest.database, tables: change(manifest.database.tables) } },
  });
  const broken = [
    withTables((tables) => tables.filter(({ name }) => name !== 'labels')),
    withTables((tables) => tables.map((entry) => (entry.name === 'labels' ? { ...entry, rows: entry.rows + 1 } : entry))),
  ];
  for (const changed of broken) {
    const client = await connect(library.database);
    await t.throwsAsync(
      inTransaction(client, 'commit', () => loadDatabase(client, changed, { signal })),
      { code: 'BACKUP_DAMAGED' },
    );
    await client.end();
  }
  t.is((await source.query('select from labels')).rowCount, 2);
});

test('a schema that somebody has changed by hand is refused with the way out, and stays as it is', async (t) => {
  const { source } = t.context;
  await fillDatabase(source);
  const backup = await openNew(t.context);
  await source.query('drop table stored_file_checks');
  await source.query('begin');
  await t.throwsAsync(loadDatabase(source, backup, { signal }), { message: /incomplete .*; restore into an empty database instead/ });
  await source.query('rollback');
  t.true(((await source.query('select from documents')).rowCount ?? 0) > 0);
});
