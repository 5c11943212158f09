import { listDocuments, listDocumentsAfter } from '@sheaf/documents';
import { givenUser, openTestDatabase, principalOf } from '@sheaf/testkit';
import { DOCUMENT_SORT_FIELDS, type DocumentSortField } from '@sheaf/vocabulary/sort-fields';
import test from 'ava';
import { sql } from 'drizzle-orm';

const MANY = 2_500;
const PER_PAGE = 20;
const SOURCE = '00000000-0000-7000-9000-0000000000aa';
const LABELS = [1, 2, 3].map((n) => `00000000-0000-7000-9000-00000000000${n}`);

let library: Awaited<ReturnType<typeof openTestDatabase>>;
let user: Awaited<ReturnType<typeof givenUser>>;
test.after.always(() => library[Symbol.asyncDispose]());

/** What matches is at one end of nearly every order: the documents that came first have the lowest ids, dates, titles, sizes and numbers. */
test.before(async () => {
  library = await openTestDatabase();
  const { db } = library;
  user = await givenUser(db);
  await db.execute(sql`
    insert into documents (id, owner_id, title, filename, mime_type, size_bytes, sha256, file_path, ocr_language, source, status, source_id,
      created_at, updated_at, ocr_confidence, document_date)
    select lpad(to_hex(i), 32, '0')::uuid, ${user.id}::uuid, 'Title ' || lpad((i / 3)::text, 5, '0'), 'a.txt', 'text/plain', i,
      lpad(i::text, 64, '0'), '/nowhere', 'eng', 'upload', 'completed', case when i <= 300 then ${SOURCE}::uuid end,
      timestamptz '2026-01-01' + i * interval '1 hour', timestamptz '2026-01-01' + i * interval '1 hour',
      case when i % 4 = 0 then null else i / 5000.0 end, case when i % 5 = 0 then null else date '2026-01-01' + i / 24 end
    from generate_series(1, ${MANY}) as i`);
  for (const [index, id] of LABELS.entries()) {
    await db.execute(sql`insert into labels (id, name, color) values (${id}::uuid, ${`label ${index}`}, '#808080')`);
    await db.execute(sql`
      insert into document_labels select id, ${id}::uuid from documents
      where size_bytes <= ${[1_400, 400, 300][index]} and size_bytes % ${[1, 2, 3][index]} = 0`);
  }
});

const FILTERS = [
  { from: new Date('2026-01-01T00:00:00Z'), before: new Date('2026-01-14T00:00:00Z') },
  { from: new Date('2026-01-03T05:00:00Z'), before: new Date('2026-01-12T03:30:00Z') },
  { sourceId: SOURCE },
  { labelIds: LABELS.slice(0, 1) },
  { labelIds: LABELS.slice(1, 2) },
  { labelIds: LABELS.slice(1, 3), labelMatch: 'any' },
  { labelIds: LABELS, labelMatch: 'any' },
  { labelIds: LABELS, labelMatch: 'all' },
  { labelIds: LABELS.slice(0, 2), labelMatch: 'all', status: 'completed' },
] as const;

const KEYS: Partial<Record<DocumentSortField, string>> = {
  created_at: 'created_at',
  title: 'title_key',
  size: 'size_bytes',
  status: 'status',
  ocr_confidence: 'ocr_confidence',
  document_date: 'document_date',
};

type Filter = (typeof FILTERS)[number];

const expectedIds = async (filter: Filter, sort: DocumentSortField, order: 'asc' | 'desc'): Promise<string[]> => {
  const isIn = (id: string) => sql`exists (select from document_labels where document_id = documents.id and label_id = ${id}::uuid)`;
  const conditions = [
    ...('from' in filter
      ? [sql`created_at >= ${filter.from.toISOString()}::timestamptz and created_at < ${filter.before.toISOString()}::timestamptz`]
      : []),
    ...('sourceId' in filter ? [sql`source_id is not null`] : []),
    ...('labelIds' in filter
      ? [sql`(${sql.join(filter.labelIds.map(isIn), 'labelMatch' in filter && filter.labelMatch === 'all' ? sql` and ` : sql` or `)})`]
      : []),
  ];
  const key = sql.raw(KEYS[sort] ?? '');
  const [direction, nulls] = order === 'asc' ? [sql`asc`, sql`nulls first`] : [sql`desc`, sql`nulls last`];
  const { rows } = await library.db.execute<{ id: string }>(
    sql`select id from documents where ${sql.join(conditions, sql` and `)} order by ${key} ${direction} ${nulls}, id ${direction}`,
  );
  return rows.map(({ id }) => id);
};

for (const sort of DOCUMENT_SORT_FIELDS.filter((field) => KEYS[field] !== undefined))
  for (const order of ['asc', 'desc'] as const)
    test(`by ${sort} ${order}, what matches at one end of the library is listed as in one order of all, by pages and by cursors`, async (t) => {
      const { db } = library;
      const admin = principalOf(user, ['documents.read']);
      const owner = principalOf(user, ['documents.read.own']);
      for (const filter of FILTERS) {
        const expected = await expectedIds(filter, sort, order);
        t.true(expected.length > PER_PAGE);
        for (const [principal, page] of [
          [admin, 1],
          [owner, 1],
          [admin, Math.ceil(expected.length / PER_PAGE)],
          [admin, Math.ceil(expected.length / PER_PAGE) + 1],
        ] as const) {
          const { rows, total } = await listDocuments(db, principal, { ...filter, sort, order, page, perPage: PER_PAGE });
          t.is(total, expected.length);
          t.deepEqual(
            rows.map(({ id }) => id),
            expected.slice((page - 1) * PER_PAGE, page * PER_PAGE),
          );
        }
        const first = await listDocumentsAfter(db, admin, { ...filter, sort, order, after: undefined, limit: PER_PAGE });
        const second = await listDocumentsAfter(db, owner, { ...filter, sort, order, after: first.next, limit: MANY });
        t.deepEqual(
          [...first.rows, ...second.rows].map(({ id }) => id),
          expected,
        );
        t.is(second.next, undefined);
      }
    });
