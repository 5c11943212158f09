import { migrateDown, migrateUp, readMigrations } from '@sheaf/db/migrations';
import { openTestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { Client } from 'pg';

const BEFORE = 3;

test('the migration of the library counts what is there already, and can be taken back and applied again', async (t) => {
  await using database = await openTestDatabase({ empty: true });
  const client = new Client({ connectionString: database.url.reveal() });
  await client.connect();
  try {
    const known = await readMigrations();
    await migrateUp(
      client,
      known.filter(({ version }) => version <= BEFORE),
    );
    await client.query(`
      insert into users (id, username, email, role) values ('00000000-0000-7000-8000-000000000001', 'ann', 'ann@example.org', 'viewer');
      insert into labels (id, name, color) values ('00000000-0000-7000-9000-000000000001', 'Bills', '#808080');
      insert into documents (id, owner_id, title, filename, mime_type, size_bytes, sha256, file_path, ocr_language, source, created_at)
      select ('00000000-0000-7000-a000-00000000000' || i)::uuid, '00000000-0000-7000-8000-000000000001', 'a', 'a', 'text/plain', 1,
        lpad(i::text, 64, '0'), '/nowhere', 'eng', 'upload', timestamptz '2026-01-15' + i * interval '20 days' from generate_series(1, 3) as i;
      insert into document_labels select id, '00000000-0000-7000-9000-000000000001' from documents order by id limit 2`);
    const tallies = async () =>
      (
        await client.query<{ line: string }>(
          `select concat_ws(' ', coalesce(label_id::text, 'any'), coalesce(month::text, 'all'), documents) as line from document_tallies order by 1`,
        )
      ).rows.map(({ line }) => line);
    const expected = [
      '00000000-0000-7000-9000-000000000001 2026-02-01 2',
      '00000000-0000-7000-9000-000000000001 all 2',
      'any 2026-02-01 2',
      'any 2026-03-01 1',
      'any all 3',
    ];
    await migrateUp(client, known);
    t.deepEqual(await tallies(), expected);
    await migrateDown(client, known, BEFORE);
    await migrateUp(client, known);
    t.deepEqual(await tallies(), expected);
  } finally {
    await client.end();
  }
});
