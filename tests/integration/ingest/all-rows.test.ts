// What goes to the trash comes back as it was, table by table; and every table that refers to documents is known to the trash.
import { deleteDocument } from '@sheaf/documents';
import { moveRowsOfBytes } from '@sheaf/ingest/integrity';
import { findTrashedBytes, moveToTrash, restoreDocument } from '@sheaf/ingest/trash';
import { findOrphanEntries, findStatisticsDifferences, indexDocument, rebuildStatistics } from '@sheaf/search';
import { openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { FILLED, fillDatabase, tableNames } from '../../support/filled-database.ts';

interface Context {
  readonly database: TestDatabase;
  readonly query: (statement: string, ...values: readonly unknown[]) => Promise<Record<string, unknown>[]>;
}

const test = anyTest as TestFn<Context>;

test.beforeEach(async (t) => {
  const database = await openTestDatabase();
  const client = await database.pool.connect();
  try {
    await fillDatabase(client);
  } finally {
    client.release();
  }
  t.context = { database, query: async (statement, ...values) => (await database.pool.query(statement, [...values])).rows };
});
test.afterEach.always((t) => t.context.database[Symbol.asyncDispose]());

const FULL = '00000000-0000-7000-a000-000000000001';
const PROCESSING = '00000000-0000-7000-a000-000000000002';
const PENDING = '00000000-0000-7000-a000-000000000003';

/** What is reported of a change, and what is counted anew or written when a document comes and goes. */
const WRITTEN_BY_CHANGES = new Set([
  'audit_log',
  'events',
  'document_tally_deltas',
  'search_deltas',
  'trashed_documents',
  'trashed_references',
]);

/** All rows of all tables, as text; without what may differ. */
const readAll = async (
  { query, database }: Context,
  without: Readonly<Record<string, readonly string[]>>,
): Promise<Record<string, unknown[]>> => {
  const client = await database.pool.connect();
  try {
    const all: Record<string, unknown[]> = {};
    for (const name of await tableNames(client)) {
      if (WRITTEN_BY_CHANGES.has(name)) continue;
      const rows = await query(`select (to_jsonb(one) - $1::text[])::text as row from ${name} as one order by 1`, without[name] ?? []);
      all[name] = rows.map(({ row }) => row);
    }
    return all;
  } finally {
    client.release();
  }
};

const trash = async ({ database: { db }, query }: Context, ...ids: readonly string[]): Promise<void> => {
  const rows = await query('select id, title, owner_id as "ownerId", sha256 from documents where id = any($1) order by id', ids);
  await db.transaction((tx) => moveToTrash(tx, rows as never, { reason: 'deleted' }));
};

const restore = ({ database: { db } }: Context, id: string) => db.transaction((tx) => restoreDocument(tx, id));

test('all rows of a document come back as they were, in every table', async (t) => {
  const { database, query } = t.context;
  await database.db.transaction((tx) => indexDocument(tx, FULL));
  const without = {
    documents: ['updated_at'],
    ingest_ledger: ['updated_at'],
    source_files: ['updated_at'],
    minhash_signatures: ['is_compared'],
  };
  const before = await readAll(t.context, without);
  await trash(t.context, FULL);
  t.deepEqual(await query('select from documents where id = $1', FULL), []);
  t.deepEqual(await query('select sha256, version from kept_files where document_id = $1 order by version', FULL), [
    { sha256: FILLED.sha256(1), version: 1 },
    { sha256: FILLED.sha256(1), version: 2 },
  ]);
  t.deepEqual(await restore(t.context, FULL), { id: FULL, lostArchiveNumber: undefined });
  const after = await readAll(t.context, without);
  for (const [name, rows] of Object.entries(before)) t.deepEqual(after[name], rows, name);
  t.deepEqual(await query('select from trashed_documents where id = $1', FULL), []);
  const tallies = `select coalesce(sum(documents), 0)::int as n from (
    select documents, owner_id, label_id from document_tally_deltas) as all_of where label_id is null`;
  t.is((await query(tallies))[0]?.['n'], FILLED.documents);
});

/** Each foreign key that names a document, as table, column, target and what becomes of the row. */
const KEYS = `
  select conrelid::regclass::text || '.' || attname || ' ' || confrelid::regclass::text || ' ' || confdeltype::text as key
  from pg_constraint join pg_attribute on attrelid = conrelid and attnum = any(conkey)
  where contype = 'f' and confrelid in ('documents'::regclass, 'document_ids'::regclass) order by 1`;

test('what hangs on a document refers to its id and stays; what refers to its row is known to the trash', async (t) => {
  const { query } = t.context;
  const keys = (await query(KEYS)).map(({ key }) => String(key));
  // moveToTrash keeps each of these, and restoreDocument writes it again
  t.deepEqual(
    keys.filter((key) => key.includes(' documents ')),
    [
      'document_fields.document_value documents c',
      'ingest_ledger.document_id documents n',
      'ocr_jobs.document_id documents c',
      'source_files.document_id documents n',
    ],
  );
  t.true(keys.filter((key) => key.includes(' document_ids ')).every((key) => key.endsWith(' c')));
  // and those that name a document without saying so to the database
  const named = await query(`select distinct table_name as name from information_schema.columns
    where table_schema = current_schema() and column_name = 'document_id' and table_name not like 'trashed%' order by 1`);
  const known = new Set([...keys.map((key) => key.split('.')[0]), 'document_version_pages', 'events', 'kept_files']);
  t.deepEqual(
    named.map(({ name }) => String(name)).filter((name) => !known.has(name)),
    [],
  );
});

test('a document that is there already leaves no id', async (t) => {
  const { query } = t.context;
  const ids = await query('select id from document_ids order by id');
  await query(`insert into documents (id, owner_id, title, filename, mime_type, size_bytes, sha256, file_path, ocr_language, source)
    select gen_random_uuid(), owner_id, title, filename, mime_type, size_bytes, sha256, file_path, ocr_language, source from documents
    on conflict (owner_id, sha256) do nothing`);
  t.deepEqual(await query('select id from document_ids order by id'), ids);
});

test('an id goes with the document that has it, in the library or in the trash, and takes along what hangs on it', async (t) => {
  const { database, query } = t.context;
  const hanging = 'select document_id from document_pages where document_id = any($1) group by 1';
  await trash(t.context, FULL);
  t.is((await query(hanging, [FULL])).length, 1);
  await query('delete from trashed_documents where id = $1', FULL);
  await deleteDocument(database.db, PENDING);
  t.deepEqual(await query('select from document_ids where id = any($1)', [FULL, PENDING]), []);
  t.deepEqual(await query(hanging, [FULL, PENDING]), []);
  await t.throwsAsync(
    query("insert into document_pages (document_id, page, content, confidence, origin) values ($1, 9, '', 1, 'text')", FULL),
    {
      message: /document_pages_document_id_fkey/,
    },
  );
});

test('what was being processed, or waited for it, is queued again, and whoever processed it has lost it', async (t) => {
  const { query } = t.context;
  await trash(t.context, PROCESSING, PENDING);
  t.is((await query('select from ocr_jobs where document_id = any($1)', [PROCESSING, PENDING])).length, 0);
  for (const id of [PROCESSING, PENDING]) {
    await restore(t.context, id);
    t.like((await query('select status, fence::int, lease_by, attempts from ocr_jobs where document_id = $1', id))[0], {
      status: 'pending',
      fence: id === PROCESSING ? 8 : 7,
      lease_by: null,
    });
    t.is((await query('select status from documents where id = $1', id))[0]?.['status'], 'pending');
  }
});

test('what a row referred to and is gone since is left out or forgotten; a number that was given away stays with its new document', async (t) => {
  const { query } = t.context;
  await trash(t.context, FULL);
  await query(`delete from labels where id = $1`, FILLED.label);
  await query(`delete from custom_fields where name = 'State'`);
  await query('delete from correspondents');
  await query('update documents set archive_number = 7 where id = $1', PENDING);
  t.deepEqual(await restore(t.context, FULL), { id: FULL, lostArchiveNumber: 7 });
  t.deepEqual(await query('select from document_labels where document_id = $1', FULL), []);
  t.is((await query('select from document_fields where document_id = $1', FULL)).length, 5);
  t.like((await query('select correspondent_id, correspondent_key, archive_number, title from documents where id = $1', FULL))[0], {
    correspondent_id: null,
    correspondent_key: null,
    archive_number: null,
  });
  t.is(
    (await query(`select correspondent_id from document_facts where document_id = $1 and kind = 'sender'`, FULL))[0]?.['correspondent_id'],
    null,
  );
});

test('a link between two documents in the trash is there again once both are back, whichever comes first', async (t) => {
  const { query } = t.context;
  const link = 'select document_value from document_fields where document_id = $1 and document_value is not null';
  await query('update document_fields set document_value = $2 where document_id = $1 and document_value is not null', FULL, PENDING);
  for (const order of [
    [FULL, PENDING],
    [PENDING, FULL],
  ]) {
    await trash(t.context, ...order);
    for (const id of order) await restore(t.context, id);
    t.deepEqual(await query(link, FULL), [{ document_value: PENDING }]);
  }
  // and where only the other one went
  await trash(t.context, PENDING);
  t.deepEqual(await query(link, FULL), []);
  await restore(t.context, PENDING);
  t.deepEqual(await query(link, FULL), [{ document_value: PENDING }]);
});

test('the ledger points to the document again, unless its path has another file since', async (t) => {
  const { query } = t.context;
  await trash(t.context, FULL, PENDING);
  await query(`update ingest_ledger set sha256 = 'other' where sha256 = $1`, FILLED.sha256(3));
  for (const id of [FULL, PENDING]) await restore(t.context, id);
  t.is((await query('select from ingest_ledger where document_id = $1', FULL)).length, 1);
  t.is((await query('select from ingest_ledger where document_id = $1', PENDING)).length, 0);
});

test('a document whose owner has the same content again is not restored, and stays in the trash', async (t) => {
  const { database, query } = t.context;
  await trash(t.context, FULL);
  await query('update documents set sha256 = $2 where id = $1', PENDING, FILLED.sha256(1));
  const error = await t.throwsAsync(restore(t.context, FULL));
  t.like(error, { code: 'DOCUMENT_EXISTS', details: { document_id: PENDING } });
  t.is((await findTrashedBytes(database.db, FILLED.user, FILLED.sha256(1)))?.id, FULL);
  await deleteDocument(database.db, PENDING);
  await restore(t.context, FULL);
  t.is((await query('select from documents where id = $1', FULL)).length, 1);
});

test('files are where migrate_to_s3 has moved them meanwhile', async (t) => {
  const { database, query } = t.context;
  await trash(t.context, FULL);
  await database.db.transaction((tx) => moveRowsOfBytes(tx, FILLED.sha256(1), 'local', 's3://bucket/1'));
  await restore(t.context, FULL);
  for (const table of ['documents where id', 'document_versions where document_id'])
    t.deepEqual(await query(`select file_path from ${table} = $1`, FULL), [{ file_path: 's3://bucket/1' }]);
});

test('an entry of the index that is gone by then is made anew, and shows whose document it is now', async (t) => {
  const { database, query } = t.context;
  const entry = 'select owner_id, is_trashed from document_search where document_id = $1';
  await trash(t.context, FULL);
  t.deepEqual(await query(entry, FULL), [{ owner_id: FILLED.user, is_trashed: true }]);
  await query('update trashed_documents set owner_id = $2 where id = $1', FULL, FILLED.other);
  await restore(t.context, FULL);
  t.deepEqual(await query(entry, FULL), [{ owner_id: FILLED.other, is_trashed: false }]);
  await trash(t.context, FULL);
  await query('delete from document_search where document_id = $1', FULL);
  await restore(t.context, FULL);
  t.deepEqual(await query(entry, FULL), [{ owner_id: FILLED.other, is_trashed: false }]);
  t.deepEqual(await findOrphanEntries(database.db), []);
});

test('the words of what is in the trash are counted by nobody, and counted again when it is back', async (t) => {
  const { database, query } = t.context;
  await database.db.transaction((tx) => rebuildStatistics(tx));
  const isRight = async () => t.deepEqual(await findStatisticsDifferences(database.db), { words: 0, examples: [], configurations: [] });
  await isRight();
  await trash(t.context, FULL);
  await isRight();
  t.is((await query('select coalesce(sum(sign), 0)::int as n from search_deltas'))[0]?.['n'], -1);
  await restore(t.context, FULL);
  await isRight();
});
