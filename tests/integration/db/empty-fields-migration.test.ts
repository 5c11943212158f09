import { migrateDown, migrateUp, readMigrations } from '@sheaf/db/migrations';
import { givenDocument, givenUser, openTestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { Client } from 'pg';

const BEFORE = 61;
/** The last one whose trash has its rows in a table of their own. */
const WITH_TRASHED_ROWS = 63;

test('the way back takes custom fields without a value off documents, also off those in the trash, and keeps all values', async (t) => {
  await using database = await openTestDatabase();
  const { id: ownerId } = await givenUser(database.db, { username: 'ann' });
  const { id } = await givenDocument(database.db, { ownerId });
  const client = new Client({ connectionString: database.url.reveal() });
  await client.connect();
  try {
    const known = await readMigrations();
    await client.query(
      `insert into custom_fields (id, name, type) select gen_random_uuid(), name, 'text' from unnest(array['full', 'empty']) as name`,
    );
    await client.query(
      `insert into document_fields (document_id, field_id, text_value)
       select $1, id, case name when 'full' then 'x' end from custom_fields`,
      [id],
    );
    await migrateDown(client, known, WITH_TRASHED_ROWS);
    await client.query(
      `insert into trashed_documents (id, owner_id, title, filename, mime_type, size_bytes, sha256, source, created_at, reason)
       values ('00000000-0000-7000-a000-000000000009', $1, 'a', 'a', 'text/plain', 1, repeat('a', 64), 'upload', now(), 'deleted')`,
      [ownerId],
    );
    await client.query(
      `insert into trashed_rows (document_id, table_name, content)
       select '00000000-0000-7000-a000-000000000009'::uuid, 'document_fields', to_jsonb(document_fields) from document_fields
       union all
       select '00000000-0000-7000-a000-000000000009'::uuid, 'documents', to_jsonb(documents) from documents`,
    );
    await client.query(
      `insert into saved_searches (id, owner_id, name, query, filters, sort, sort_order)
       values (gen_random_uuid(), $1, 'To fill', '', $2, 'created_at', 'desc')`,
      [ownerId, JSON.stringify({ conditions: [{ kind: 'fields', query: { kind: 'valued', field_id: id, is_given: false } }] })],
    );
    await migrateDown(client, known, BEFORE);
    const lines = async (query: string) => (await client.query<{ line: string }>(query)).rows.map(({ line }) => line);
    t.deepEqual(await lines('select text_value as line from document_fields'), ['x']);
    t.deepEqual(await lines("select content ->> 'text_value' as line from trashed_rows where table_name = 'document_fields'"), ['x']);
    t.deepEqual(await lines("select filters #>> '{conditions,0,query,kind}' as line from saved_searches"), ['given']);
    await migrateUp(client, known);
    t.deepEqual(await lines('select text_value as line from document_fields'), ['x']);
  } finally {
    await client.end();
  }
});
