import { listDocuments } from '@sheaf/documents';
import { givenUser, openTestDatabase, principalOf } from '@sheaf/testkit';
import test from 'ava';
import { sql } from 'drizzle-orm';

const LABELS = ['00000000-0000-7000-9000-000000000001', '00000000-0000-7000-9000-000000000002'];

test('the pages of a list of labels follow each other from the first to the last, near and far', async (t) => {
  await using database = await openTestDatabase();
  const { db } = database;
  const user = await givenUser(db);
  const other = await givenUser(db);
  for (const [index, id] of LABELS.entries())
    await db.execute(sql`insert into labels (id, name, color) values (${id}::uuid, ${`label ${index}`}, '#808080')`);
  await db.execute(sql`
    insert into documents (id, owner_id, title, filename, mime_type, size_bytes, sha256, file_path, ocr_language, source)
    select gen_random_uuid(), case when i % 7 = 0 then ${other.id}::uuid else ${user.id}::uuid end, 'Title ' || i % 90, 'a.txt', 'text/plain', i,
      lpad(i::text, 64, '0'), '/nowhere', 'eng', 'upload' from generate_series(1, 2500) as i`);
  await db.execute(sql`insert into document_labels select id, ${LABELS[0]}::uuid from documents where size_bytes % 10 <> 0`);
  await db.execute(sql`insert into document_labels select id, ${LABELS[1]}::uuid from documents where size_bytes % 3 <> 0`);
  for (const [permission, labelIds] of [
    ['documents.read', LABELS.slice(0, 1)],
    ['documents.read', LABELS],
    ['documents.read.own', LABELS],
  ] as const) {
    const { rows: expected } = await db.execute<{ id: string }>(sql`
      select id from documents where (${permission === 'documents.read'} or owner_id = ${user.id}::uuid)
        and (select count(*) from document_labels where document_id = documents.id and label_id = any(${sql.param([...labelIds])}::uuid[])) = ${labelIds.length}
      order by title_key desc, id desc`);
    const found: string[] = [];
    for (let page = 1; found.length < expected.length; page += 1) {
      const { rows, total } = await listDocuments(db, principalOf(user, [permission]), {
        page,
        perPage: 100,
        sort: 'title',
        order: 'desc',
        labelIds,
        labelMatch: 'all',
      });
      t.is(total, expected.length);
      if (rows.length === 0) break;
      found.push(...rows.map(({ id }) => id));
    }
    t.true(found.length > 1_200);
    t.deepEqual(
      found,
      expected.map(({ id }) => id),
    );
  }
});
