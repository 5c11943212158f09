import { migrateDown, migrateUp, readMigrations } from '@sheaf/db/migrations';
import { listDocuments, listDocumentsAfter } from '@sheaf/documents';
import { listLabels } from '@sheaf/documents/labels';
import { givenUser, openTestDatabase, principalOf } from '@sheaf/testkit';
import test from 'ava';
import { sql } from 'drizzle-orm';
import { Client } from 'pg';

const DOCUMENTS = 5_000;
const MIGRATION = 23;

const givenTitles = (db: Awaited<ReturnType<typeof openTestDatabase>>['db'], ownerId: string, titles: readonly string[]) =>
  db.execute(sql`
    insert into documents (id, owner_id, title, filename, mime_type, size_bytes, sha256, file_path, ocr_language, source)
    select gen_random_uuid(), ${ownerId}::uuid, title, 'a.txt', 'text/plain', i, lpad(i::text, 64, '0'), '/nowhere', 'eng', 'upload'
    from unnest(${sql.param([...titles])}::text[]) with ordinality as given (title, i)`);

test('numbers in titles and labels are sorted by their value, in pages and behind a position', async (t) => {
  await using database = await openTestDatabase();
  const { db } = database;
  const user = await givenUser(db);
  const principal = principalOf(user, ['*']);
  const ordered = ['1', '2', '10', '100', 'Invoice 2', 'invoice 10 b', 'Invoice 010 c', 'Invoice 100', 'Über 9', 'Über 11', 'Zebra'];
  await givenTitles(db, user.id, ordered.toReversed());
  const order = { sort: 'title', order: 'asc' } as const;
  const { rows } = await listDocuments(db, principal, { ...order, page: 1, perPage: 20 });
  t.deepEqual(
    rows.map(({ title }) => title),
    ordered,
  );
  const walked: string[] = [];
  let after: Awaited<ReturnType<typeof listDocumentsAfter>>['next'];
  do {
    const cut = await listDocumentsAfter(db, principal, { ...order, after, limit: 2 });
    walked.push(...cut.rows.map(({ title }) => title));
    after = cut.next;
  } while (after !== undefined);
  t.deepEqual(walked, ordered);
  for (const name of ['Box 10', 'Box 2', 'Box 1'])
    await db.execute(sql`insert into labels (id, name, color) values (gen_random_uuid(), ${name}, '#808080')`);
  const labels = await listLabels(db, principal, { sort: 'name', order: 'asc', page: 1, perPage: 20 });
  t.deepEqual(
    labels.rows.map(({ name }) => name),
    ['Box 1', 'Box 2', 'Box 10'],
  );
});

test('a page in natural order comes from the index, without sorting, and the way there and back keeps all rows', async (t) => {
  await using database = await openTestDatabase();
  const { db } = database;
  const user = await givenUser(db);
  await givenTitles(
    db,
    user.id,
    Array.from({ length: DOCUMENTS }, (_, i) => `Scan ${(i * 7_919) % DOCUMENTS}`),
  );
  await db.execute(sql`vacuum analyze documents`);
  const { rows } = await db.execute<{ 'QUERY PLAN': string }>(
    sql`explain select id from documents where owner_id = ${user.id}::uuid order by title_key, id limit 20 offset 2000`,
  );
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  t.regex(plan, /Index Only Scan using documents_(?:own_)?by_title_idx/);
  t.notRegex(plan, /Sort/);
  const client = new Client({ connectionString: database.url.reveal() });
  await client.connect();
  try {
    const known = await readMigrations();
    const first = async () =>
      (await client.query<{ title: string }>('select title from documents order by title_key limit 3')).rows.map(({ title }) => title);
    t.deepEqual(await first(), ['Scan 0', 'Scan 1', 'Scan 2']);
    await migrateDown(client, known, MIGRATION - 1);
    t.deepEqual(await first(), ['Scan 0', 'Scan 1', 'Scan 10']);
    await migrateUp(client, known);
    t.deepEqual(await first(), ['Scan 0', 'Scan 1', 'Scan 2']);
  } finally {
    await client.end();
  }
});
