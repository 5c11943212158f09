import { openBackup, verifyDatabase } from '@sheaf/backup';
import { makeProblem } from '@sheaf/contract/operations';
import { FatalError } from '@sheaf/process';
import test from 'ava';
import { type BackedUpLibrary, openBackedUpLibrary } from './library.ts';

const schemas = async ({ database }: BackedUpLibrary): Promise<number> =>
  (await database.pool.query(`select from pg_namespace where nspname like 'sheaf%'`)).rowCount ?? 0;

test('a backup whose database can be restored has no findings, and nothing of the trial stays', async (t) => {
  await using library = await openBackedUpLibrary();
  await library.add('a note');
  const { path, manifest } = await library.backup();
  await using backup = await openBackup(path);
  const told: string[] = [];
  const onTable = ({ name }: { name: string }): unknown => told.push(name);
  const findings = await verifyDatabase(backup, { databaseUrl: library.database.url, signal: new AbortController().signal, onTable });
  t.deepEqual(findings, []);
  t.is(told.length, manifest.database.tables.length);
  t.is(await schemas(library), 0);
  const { rows } = await library.database.pool.query<{ documents: string }>('select count(*) as documents from documents');
  t.is(rows[0]?.documents, '1');
});

test('a trial that is stopped in the middle of a table ends with what it was stopped by', async (t) => {
  await using library = await openBackedUpLibrary();
  await library.add('a note');
  const { path } = await library.backup();
  await using backup = await openBackup(path);
  const stop = new AbortController();
  const onTable = (): void => stop.abort(new FatalError(makeProblem('backup_interrupted')));
  const error = await t.throwsAsync(verifyDatabase(backup, { databaseUrl: library.database.url, signal: stop.signal, onTable }), {
    instanceOf: FatalError,
  });
  t.is(error.message, makeProblem('backup_interrupted').message);
  t.is(await schemas(library), 0);
});
