// What lies in the trash keeps everything on the way to the version before its rows stayed where they are, and back.
import { migrateDown, migrateUp, readMigrations } from '@sheaf/db/migrations';
import { moveToTrash, restoreDocument } from '@sheaf/ingest/trash';
import { openTestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { Client } from 'pg';
import { fillDatabase, tableNames } from '../../support/filled-database.ts';

const BEFORE = 63;
const FULL = '00000000-0000-7000-a000-000000000001';
const PROCESSING = '00000000-0000-7000-a000-000000000002';
/** It is there in no other way than as the row in the trash that `fillDatabase` makes. */
const BARE = '00000000-0000-7000-a000-000000000009';

/** What is counted anew, and the entries of what lies in the trash, which are made anew when it is restored. */
const REMADE = new Set(['migrations', 'search_deltas', 'document_tally_deltas', 'document_search_parts']);

const readAll = async (client: Client): Promise<Record<string, string[]>> => {
  const all: Record<string, string[]> = {};
  for (const name of await tableNames(client)) {
    if (REMADE.has(name)) continue;
    const which = name === 'document_search' ? 'where not is_trashed' : '';
    const { rows } = await client.query<{ line: string }>(
      `select (to_jsonb(one) - (case when $1 = 'trashed_references' then 'id' else '' end))::text as line from ${name} as one ${which} order by 1`,
      [name],
    );
    all[name] = rows.map(({ line }) => line);
  }
  return all;
};

const openFilled = async () => {
  const database = await openTestDatabase();
  const client = new Client({ connectionString: database.url.reveal() });
  await client.connect();
  await fillDatabase(client);
  return {
    client,
    database,
    known: await readMigrations(),
    [Symbol.asyncDispose]: async () => {
      await client.end();
      await database[Symbol.asyncDispose]();
    },
  };
};

test('documents in the trash keep all of their rows on the way down and up again, and are restored then', async (t) => {
  await using filled = await openFilled();
  const { client, database, known } = filled;
  await client.query('update document_fields set document_value = $1 where document_id = $2 and document_value is not null', [
    FULL,
    PROCESSING,
  ]);
  const { rows } = await client.query('select id, title, owner_id as "ownerId", sha256 from documents where id = any($1) order by id', [
    [FULL, PROCESSING],
  ]);
  await database.db.transaction((tx) => moveToTrash(tx, rows, { reason: 'deleted' }));
  const before = await readAll(client);
  const lines = async (query: string) => (await client.query<{ line: string }>(query)).rows.map(({ line }) => line);
  await migrateDown(client, known, BEFORE);
  t.deepEqual(
    await lines(`select table_name as line from trashed_rows where document_id = '${FULL}' and content ->> 'document_id' is null`),
    ['documents'],
  );
  t.deepEqual(await lines(`select document_id::text as line from document_pages where document_id = '${FULL}'`), []);
  await migrateUp(client, known);
  const after = await readAll(client);
  for (const [name, all] of Object.entries(before)) t.deepEqual(after[name], all, name);
  for (const id of [FULL, PROCESSING]) await database.db.transaction((tx) => restoreDocument(tx, id));
  t.deepEqual(await lines('select id::text as line from trashed_documents'), [BARE]);
  t.deepEqual(await lines(`select is_trashed::text as line from document_search where document_id = '${FULL}'`), ['false']);
});

test('what an older version has moved to the trash comes over as far as what it refers to is still there, with new columns as in a new row', async (t) => {
  await using filled = await openFilled();
  const { client, database, known } = filled;
  const { rows } = await client.query('select id, title, owner_id as "ownerId", sha256 from documents where id = $1', [FULL]);
  await database.db.transaction((tx) => moveToTrash(tx, rows, { reason: 'deleted' }));
  await migrateDown(client, known, BEFORE);
  await client.query(`update trashed_rows set content = content - 'is_signed' - 'is_task_acknowledged' || '{"gone_column": 1}'
      where table_name = 'documents'`);
  await client.query('delete from labels');
  await client.query('delete from correspondents');
  await client.query("delete from custom_fields where name = 'State'");
  await migrateUp(client, known);
  await database.db.transaction((tx) => restoreDocument(tx, FULL));
  const { rows: restored } = await client.query(
    `select is_signed, is_task_acknowledged, correspondent_id, (select count(*)::int from document_labels where document_id = documents.id) as labels,
        (select count(*)::int from document_fields where document_id = documents.id) as fields,
        (select count(*)::int from document_facts where document_id = documents.id and document_facts.correspondent_id is null) as facts from documents where id = $1`,
    [FULL],
  );
  t.deepEqual(restored, [{ is_signed: false, is_task_acknowledged: false, correspondent_id: null, labels: 0, fields: 5, facts: 2 }]);
});

test('a document in the trash whose rows are missing stops the migration, and is named', async (t) => {
  await using filled = await openFilled();
  const { client, known } = filled;
  await migrateDown(client, known, BEFORE);
  await client.query("delete from trashed_rows where table_name = 'documents'");
  await t.throwsAsync(migrateUp(client, known), { message: new RegExp(BARE) });
  t.is((await client.query('select from trashed_documents')).rowCount, 1);
});
