import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BackupReader, openBackup } from '@sheaf/backup';
import { Secret } from '@sheaf/contract';
import { makeProblem } from '@sheaf/contract/operations';
import { ReplicaLock } from '@sheaf/db';
import { latestVersion, migrateDown, readApplied, readMigrations, readSchemaState } from '@sheaf/db/migrations';
import type { Document } from '@sheaf/db/schema';
import { FatalError, silentLogger } from '@sheaf/process';
import { documentKey, previewKey } from '@sheaf/storage';
import { givenUser } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { Client } from 'pg';
import { FILLED, fillDatabase } from '../../support/filled-database.ts';
import { fullOnly } from '../../support/full-run.ts';
import { moveFileToTrash, moveFileToVersion } from '../../support/kept-elsewhere.ts';
import { openS3Server } from '../../support/s3-server.ts';
import { givenS3 } from '../storage/s3-fixture.ts';
import { type BackedUpLibrary, hashOf, openBackedUpLibrary, WORD, writeOver } from './library.ts';
import { beforePut, openRestoreTarget, type RestoreTarget } from './restore-target.ts';

interface Context {
  readonly library: BackedUpLibrary;
  readonly target: RestoreTarget;
  readonly resources: AsyncDisposableStack;
}

const test = anyTest as TestFn<Context>;

test.beforeEach(async (t) => {
  const resources = new AsyncDisposableStack();
  const library = resources.use(await openBackedUpLibrary());
  t.context = { library, target: resources.use(await openRestoreTarget()), resources };
});
test.afterEach.always((t) => t.context.resources.disposeAsync());

const PDF = 'what LibreOffice made of it';

const addDocuments = async ({ library }: Context): Promise<Document[]> => [
  await library.add('one'),
  await library.add(Buffer.alloc(300_000, 7)),
  await library.add('an office file', { mimeType: WORD, preview: PDF }),
];

const backUp = async ({ library, resources }: Context, options: Parameters<BackedUpLibrary['backup']>[0] = {}): Promise<BackupReader> =>
  resources.use(await openBackup((await library.backup(options)).path));

const countOf = async ({ database: { pool } }: Pick<RestoreTarget, 'database'>, table: string): Promise<number> =>
  (await pool.query<{ count: number }>(`select count(*)::int as count from ${table}`)).rows[0]?.count ?? -1;

const withClient = async <T>(database: RestoreTarget['database'], work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({ connectionString: database.url.reveal() });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

test('an empty instance gets every row and every file, each with the hash that it had', async (t) => {
  const { library, target } = t.context;
  const documents = await addDocuments(t.context);
  const backup = await backUp(t.context);
  const { files, database, missing } = await target.restore(backup);
  t.deepEqual(files, { stored: 4, present: 0, replaced: 0 });
  t.deepEqual(missing, []);
  t.is(database.tables, backup.manifest.database.tables.length);
  const { rows } = await target.database.pool.query<Record<string, unknown>>('select * from documents order by id');
  t.is(rows.length, documents.length);
  const before = await library.database.pool.query<Record<string, unknown>>('select * from documents order by id');
  t.deepEqual(
    rows,
    before.rows.map((row) => ({ ...row, file_path: target.storage.pathOf(documentKey(String(row['sha256']))) })),
  );
  for (const { sha256, filePath } of documents) {
    t.is(await target.storedHash(sha256), sha256);
    t.false((await stat(filePath)).ino === (await stat(target.storage.pathOf(documentKey(sha256)))).ino);
    t.is((await stat(target.storage.pathOf(documentKey(sha256)))).nlink, 1, 'is no link to a file of the backup');
  }
  const { stream } = await target.storage.open(previewKey(documents[2]!.sha256));
  t.is(Buffer.concat(await stream.toArray()).toString('utf8'), PDF);
});

fullOnly(test)('files of earlier versions and of documents in the trash come back, and their rows say where they are', async (t) => {
  const { library, target } = t.context;
  const [newest, earlier, trashed] = await addDocuments(t.context);
  await moveFileToVersion(library.database, String(earlier?.id), String(newest?.id));
  await moveFileToTrash(library.database, String(trashed?.id));
  const { files } = await target.restore(await backUp(t.context));
  t.deepEqual(files, { stored: 4, present: 0, replaced: 0 });
  const { rows } = await target.database.pool.query<{ sha256: string; path: string }>('select sha256, file_path as path from kept_files');
  t.is(rows.length, 3);
  for (const { sha256, path } of rows) {
    t.is(path, target.storage.pathOf(documentKey(sha256)));
    t.is(await target.storedHash(sha256), sha256);
  }
});

fullOnly(test)('a database without any table gets them all', async (t) => {
  const target = t.context.resources.use(await openRestoreTarget({ isEmpty: true }));
  await addDocuments(t.context);
  await target.restore(await backUp(t.context));
  t.is((await readSchemaState(target.database.db, 0)).version, await latestVersion());
  t.is(await countOf(target, 'documents'), 3);
});

fullOnly(test)(
  'what was under way when the backup was made is ended: sessions, tokens, jobs that were read, mail that waited',
  async (t) => {
    const { library, target } = t.context;
    await withClient(library.database, fillDatabase);
    const { database } = await target.restore(await backUp(t.context));
    for (const table of ['sessions', 'one_time_tokens', 'stored_file_checks', 'backup_runs', 'processes'])
      t.is(await countOf(target, table), 0, table);
    for (const table of ['api_keys', 'login_failures', 'sync_runs', 'events']) t.true((await countOf(target, table)) > 0, table);
    const { rows: jobs } = await target.database.pool.query(
      `select ocr_jobs.status, lease_by, attempts, fence, documents.status as document
      from ocr_jobs join documents on documents.id = document_id where sha256 = $1`,
      [FILLED.sha256(2)],
    );
    t.deepEqual(jobs, [{ status: 'pending', lease_by: null, attempts: 0, fence: '8', document: 'pending' }]);
    t.is((await target.database.pool.query(`select from audit_log where action = 'backup.restored'`)).rowCount, 1);
    // mail that waited then may have left since
    const { rows: deliveries } = await target.database.pool.query('select state, last_error from deliveries order by state');
    t.true(deliveries.some(({ last_error }) => /A backup was restored/.test(String(last_error))));
    t.deepEqual(
      deliveries.filter(({ state }) => state === 'pending' || state === 'sending'),
      [],
    );
    t.deepEqual(database.sealed, { secondFactors: 1, sourcePasswords: 1 });
  },
);

fullOnly(test)('files that were lost when the backup was made are named, unless the storage here has them', async (t) => {
  const { library, target } = t.context;
  const [lost, known] = await addDocuments(t.context);
  for (const { filePath } of [lost!, known!]) await writeOver(filePath, 'x');
  const backup = await backUp(t.context);
  await target.storage.put(documentKey(known!.sha256), Buffer.alloc(300_000, 7));
  const { missing } = await target.restore(backup);
  t.deepEqual(
    missing.map(({ document_ids }) => document_ids),
    [[lost!.id]],
  );
  t.is(await countOf({ database: library.database }, 'documents'), await countOf(target, 'documents'));
});

test('documents or users in the way are told and stay; with force their rows are replaced and their files left', async (t) => {
  const { target } = t.context;
  await addDocuments(t.context);
  const backup = await backUp(t.context);
  const user = await givenUser(target.database.db, { username: 'earlier' });
  await target.storage.put(documentKey(hashOf('earlier')), Buffer.from('earlier'));
  const refused = await t.throwsAsync(target.restore(backup), { instanceOf: FatalError });
  t.deepEqual(refused.problem, makeProblem('database_not_empty', { rows: 1, table: 'users' }));
  t.is(await countOf(target, 'users'), 1);
  t.is(await target.storedHash(hashOf('one')), undefined);
  await target.restore(backup, { isForced: true });
  t.is((await target.database.pool.query('select from users where id = $1', [user.id])).rowCount, 0);
  t.is(await countOf(target, 'documents'), 3);
  t.is(await target.storedHash(hashOf('earlier')), hashOf('earlier'));
});

fullOnly(test)('a file that is there and right stays, a damaged one of the same length is replaced', async (t) => {
  const { target } = t.context;
  const [right, damaged, office] = await addDocuments(t.context);
  const backup = await backUp(t.context);
  await target.storage.put(documentKey(right!.sha256), Buffer.from('one'));
  const { ino } = await stat(target.storage.pathOf(documentKey(right!.sha256)));
  await target.storage.put(documentKey(damaged!.sha256), Buffer.alloc(300_000, 8));
  await target.storage.put(previewKey(office!.sha256), Buffer.from('x'.repeat(PDF.length)));
  const { files } = await target.restore(backup);
  t.deepEqual(files, { stored: 1, present: 1, replaced: 2 });
  t.is((await stat(target.storage.pathOf(documentKey(right!.sha256)))).ino, ino);
  t.is(await target.storedHash(damaged!.sha256), damaged!.sha256);
  t.is(await readFile(target.storage.pathOf(previewKey(office!.sha256)), 'utf8'), PDF);
});

test('a damaged backup is refused before anything is changed, and what is wrong with it is named', async (t) => {
  const { target } = t.context;
  const [first] = await addDocuments(t.context);
  const backup = await backUp(t.context);
  const name = `files/${first!.sha256.slice(0, 2)}/${first!.sha256.slice(2, 4)}/${first!.sha256}`;
  await writeOver(join(backup.folder, name), 'two');
  const refusal = await t.throwsAsync<FatalError>(target.restore(backup));
  t.is(refusal?.problem?.code, 'backup_not_intact');
  t.regex(String(refusal?.problem?.details['findings']), new RegExp(first!.sha256));
  t.is(await countOf(target, 'users'), 0);
  for await (const object of target.storage.list('documents/')) t.fail(object.key);
});

fullOnly(test)('a backup whose rows refer to files that it does not have changes no row', async (t) => {
  const { target } = t.context;
  const [first] = await addDocuments(t.context);
  const backup = await backUp(t.context);
  const incomplete: BackupReader = {
    ...backup,
    listFiles: async function* () {
      for await (const file of backup.listFiles()) if (file.sha256 !== first!.sha256) yield file;
    },
  };
  await t.throwsAsync(target.restore(incomplete), { code: 'BACKUP_DAMAGED', message: new RegExp(first!.sha256) });
  t.is(await countOf(target, 'users'), 0);
});

test('while a process of the service runs nothing is restored, and it is named', async (t) => {
  const { target } = t.context;
  await addDocuments(t.context);
  const backup = await backUp(t.context);
  for (const processName of ['api', 'watcher', 'sync']) {
    const lock = new ReplicaLock({ url: target.database.url, processName, log: silentLogger(), onLost: () => {} });
    await lock.start();
    const error = await t.throwsAsync(target.restore(backup), { instanceOf: FatalError });
    t.is(error.exitCode, 69);
    t.like(error.problem, { code: 'another_instance_runs', details: { process: processName, restore: true } });
    await lock.stop();
  }
  t.is(await countOf(target, 'users'), 0);
});

const BEAT = `insert into processes (id, name, pid, host, version, config_hash, status, memory_bytes, started_at, seen_at) values
  ('00000000-0000-7000-8000-000000000001', 'ocr-worker', 4711, 'here', '1', 'x', 'healthy', 1, now(), $1)
  on conflict (id) do update set seen_at = excluded.seen_at`;

fullOnly(test)('a reader of documents that still beats is named; one that has fallen silent is waited for', async (t) => {
  const { target } = t.context;
  await addDocuments(t.context);
  const backup = await backUp(t.context);
  await target.database.pool.query(BEAT, [new Date()]);
  const beating = setInterval(() => void target.database.pool.query(BEAT, [new Date()]).catch(() => {}), 200);
  const error = await t.throwsAsync(target.restore(backup), { instanceOf: FatalError });
  clearInterval(beating);
  t.is(error.exitCode, 69);
  t.deepEqual(error.problem, makeProblem('service_running', { process: 'ocr-worker', pid: '4711', host: 'here' }));
  await target.database.pool.query(BEAT, [new Date(Date.now() - 13_000)]);
  await target.restore(backup);
  t.is(await countOf(target, 'documents'), 3);
});

test('no process of the service starts while a backup is restored, and no second restore and no backup', async (t) => {
  const { target, library } = t.context;
  await addDocuments(t.context);
  const backup = await backUp(t.context);
  const seen: unknown[] = [];
  const begin = async (): Promise<void> => {
    const lock = new ReplicaLock({ url: target.database.url, processName: 'api', log: silentLogger(), onLost: () => {} });
    seen.push(await t.throwsAsync(lock.start()), await t.throwsAsync(target.restore(backup)));
  };
  let begun: Promise<void> | undefined;
  const slow = beforePut(target.storage, () => (begun ??= begin()));
  await target.restore(backup, { storage: slow });
  t.deepEqual(
    seen.map((error) => (error as FatalError).exitCode),
    [69, 69],
  );
  const [start, restore] = seen.map((error) => (error as FatalError).problem?.code);
  t.is(start, 'restore_running');
  t.true(restore === 'restore_running' || restore === 'backup_running', restore);
  t.is(await countOf(target, 'documents'), await countOf(library, 'documents'));
});

fullOnly(test)('stopped after its files have come it leaves the database as it was, and the next run finishes', async (t) => {
  const { target } = t.context;
  await addDocuments(t.context);
  const backup = await backUp(t.context);
  await givenUser(target.database.db, { username: 'earlier' });
  const stop = new AbortController();
  const report = {
    begin: () => {},
    advance: () => {
      if (phase === 'database') stop.abort(new FatalError(makeProblem('backup_interrupted')));
    },
  };
  let phase = '';
  await t.throwsAsync(
    target.restore(backup, { isForced: true, signal: stop.signal, report: { ...report, begin: (name: string) => void (phase = name) } }),
    { message: makeProblem('backup_interrupted').message },
  );
  t.is((await target.database.pool.query(`select from users where username = 'earlier'`)).rowCount, 1);
  t.is(await countOf(target, 'documents'), 0);
  const { files } = await target.restore(backup, { isForced: true });
  t.deepEqual(files, { stored: 0, present: 4, replaced: 0 });
  t.is(await countOf(target, 'documents'), 3);
});

fullOnly(test)('somebody who keeps a table in use is told, and nothing has changed', async (t) => {
  const { target } = t.context;
  await addDocuments(t.context);
  const backup = await backUp(t.context);
  await withClient(target.database, async (other) => {
    await other.query('begin; lock table documents in access share mode');
    t.is((await t.throwsAsync<FatalError>(target.restore(backup)))?.problem?.code, 'database_tables_in_use');
  });
  t.is(await countOf(target, 'users'), 0);
});

test('a backup of an older version is restored and brought up to this one', async (t) => {
  const { library, target } = t.context;
  await withClient(library.database, async (client) => {
    await fillDatabase(client);
    await migrateDown(client, await readMigrations(), 8);
  });
  const backup = await backUp(t.context);
  t.is(backup.manifest.schema_version, 8);
  await withClient(target.database, fillDatabase);
  await target.restore(backup, { isForced: true });
  t.is((await readSchemaState(target.database.db, 0)).version, await latestVersion());
  t.is(await countOf(target, 'documents'), FILLED.documents);
  t.is(await countOf(target, 'sources'), 0);
});

fullOnly(test)('a backup of a newer version, and a database that a newer version made, are refused', async (t) => {
  const { target } = t.context;
  const backup = await backUp(t.context);
  const newer: BackupReader = { ...backup, manifest: { ...backup.manifest, schema_version: 9_999 } };
  t.like(await t.throwsAsync<FatalError>(target.restore(newer)), { problem: { code: 'backup_newer', details: { version: 9_999 } } });
  await target.database.pool.query(`insert into migrations values (9999, 'later', 'hash')`);
  t.like(await t.throwsAsync<FatalError>(target.restore(backup, { isForced: true })), { problem: { code: 'restore_schema_newer' } });
  t.is((await withClient(target.database, readApplied)).at(-1)?.version, 9_999);
});

fullOnly(test)('an archive is restored as a directory is', async (t) => {
  const { target, library } = t.context;
  const documents = await addDocuments(t.context);
  await target.restore(await backUp(t.context, { isArchive: true }));
  for (const { sha256 } of documents) t.is(await target.storedHash(sha256), sha256);
  t.is(await countOf(target, 'documents'), await countOf(library, 'documents'));
});

fullOnly(test)('a backup of a folder is restored into S3, and the rows tell so', async (t) => {
  const { resources } = t.context;
  const server = resources.use(await openS3Server());
  const documents = await addDocuments(t.context);
  const temp = resources.use(await openRestoreTarget());
  const storage = givenS3({ tempPath: join(temp.folder, 'temp'), endpointUrl: server.url });
  resources.defer(() => storage.close());
  const target = resources.use(await openRestoreTarget({ storage }));
  await target.restore(await backUp(t.context));
  for (const { sha256 } of documents) t.is(await target.storedHash(sha256), sha256);
  const { rows } = await target.database.pool.query<{ file_path: string; sha256: string }>('select file_path, sha256 from documents');
  t.deepEqual(
    rows.map(({ file_path }) => file_path),
    rows.map(({ sha256 }) => `s3://documents/${documentKey(sha256)}`),
  );
});

fullOnly(test)('no rights of a superuser are needed, where somebody else has made the extensions', async (t) => {
  const target = t.context.resources.use(await openRestoreTarget({ isEmpty: true }));
  const { pool, name, url } = target.database;
  await pool.query(`create extension pg_trgm; create extension unaccent; create extension btree_gin;
    create role ${name} login password 'secret'; alter schema public owner to ${name}; grant temporary on database ${name} to ${name}`);
  const own = new URL(url.reveal());
  own.username = name;
  own.password = 'secret';
  const databaseUrl = new Secret(own.href);
  await addDocuments(t.context);
  const backup = await backUp(t.context);
  try {
    await target.restore(backup, { databaseUrl });
    await target.restore(backup, { databaseUrl, isForced: true });
    t.is(await countOf(target, 'documents'), 3);
  } finally {
    await pool.query(`reassign owned by ${name} to current_user; drop owned by ${name}; drop role ${name}`);
  }
});

test('a storage that cannot be used is told before anything is read', async (t) => {
  const { target } = t.context;
  const backup = await backUp(t.context);
  await writeFile(join(target.folder, 'uploads'), 'a file in the place of the folder');
  await t.throwsAsync(target.restore(backup), { message: /uploads.*is not a folder/ });
});
