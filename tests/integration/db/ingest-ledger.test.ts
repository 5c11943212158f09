import { ledgerReason } from '@sheaf/contract/imports';
import type { Db } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import { findLedgerEntries, type LedgerListRequest, listLedger, markMoved, recordLedger } from '@sheaf/ingest';
import { givenUser, openTestDatabase, principalOf, type TestDatabase } from '@sheaf/testkit';
import { LEDGER_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import anyTest, { type TestFn } from 'ava';
import { drizzle } from 'drizzle-orm/node-postgres';

interface Library {
  readonly database: TestDatabase;
  readonly user: User;
  readonly admin: User;
}

const test = anyTest as TestFn<Library>;
const FILES = 200_000;

/** Every tenth file is the user's and every tenth nobody's; the others are the administrator's. */
const openLibrary = async (): Promise<Library> => {
  const database = await openTestDatabase();
  const user = await givenUser(database.db);
  const admin = await givenUser(database.db, { role: 'admin' });
  await database.pool.query(
    `insert into ingest_ledger (id, route, path, owner_id, size_bytes, state, reason, created_at, updated_at)
     select gen_random_uuid(), (array['watch', 'user_watch', 'upload'])[1 + i % 3], 'folder ' || i % 300 || '/Scan_' || i || '.pdf',
       case i % 10 when 0 then $1::uuid when 1 then null else $2::uuid end, nullif(i % 5000, 0),
       (array['ingested', 'duplicate', 'ignored'])[1 + i % 7 % 3], case when i % 7 > 1 then 'matches none of the patterns' end,
       now() - make_interval(secs => i), now() - make_interval(secs => i / 4)
     from generate_series(1, ${FILES}) i`,
    [user.id, admin.id],
  );
  await database.pool.query('vacuum analyze ingest_ledger');
  return { database, user, admin };
};

let library: Library | undefined;
test.before(async () => {
  library = await openLibrary();
});
test.beforeEach((t) => {
  if (library === undefined) throw new Error('there is no library');
  t.context = library;
});
test.after.always(() => library?.database[Symbol.asyncDispose]());

const DEFAULTS = { page: 1, perPage: 20, sort: 'updated_at', order: 'desc' } as const;

const listAs = (user: User, { database }: Library, request: Partial<LedgerListRequest> = {}) =>
  listLedger(database.db, principalOf(user), { ...DEFAULTS, ...request });

/** How PostgreSQL means to answer each question of one request. */
const plansOf = async (user: User, { database: { pool } }: Library, request: Partial<LedgerListRequest>): Promise<string[]> => {
  const asked: { text: string; values: unknown[] }[] = [];
  const db = drizzle(pool, { logger: { logQuery: (text, values) => asked.push({ text, values }) } }) as unknown as Db;
  await listLedger(db, principalOf(user), { ...DEFAULTS, ...request });
  const plans = asked.map(({ text, values }) => pool.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values));
  return (await Promise.all(plans)).map(({ rows }) => rows.map((row) => row['QUERY PLAN']).join('\n'));
};

test('a page of 200,000 files comes out of the index of its order, near and far', async (t) => {
  for (const request of [{}, { page: 200 }, { order: 'asc' }, { from: new Date(Date.now() - 3_600_000) }] as const) {
    const [all = ''] = await plansOf(t.context.admin, t.context, request);
    t.regex(all, /Index Scan (Backward )?using ingest_ledger_updated_at_idx/, JSON.stringify(request));
    const [own = ''] = await plansOf(t.context.user, t.context, request);
    t.regex(own, /Index Scan (Backward )?using ingest_ledger_(owner|updated_at)_idx/, JSON.stringify(request));
    t.notRegex(own, /Sort/);
  }
});

test('what belongs to one document is found by its index', async (t) => {
  for (const plan of await plansOf(t.context.admin, t.context, { documentId: '00000000-0000-7000-8000-000000000000' }))
    t.regex(plan, /ingest_ledger_document_id_idx/);
});

test('a text is looked for once in each file, for the page and the total', async (t) => {
  const plans = await plansOf(t.context.admin, t.context, { q: 'scan_1999' });
  t.is(plans.filter((plan) => plan.includes('~~')).length, 1);
  t.is(plans.join('\n').split('~~').length - 1, 1);
});

test('the pages of every order follow each other without losing or doubling a file', async (t) => {
  const { user } = t.context;
  for (const sort of LEDGER_SORT_FIELDS) {
    for (const order of ['asc', 'desc'] as const) {
      const request = { sort, order, perPage: 100, q: 'folder 10/' };
      const ids: string[] = [];
      let total = 0;
      for (let page = 1; page === 1 || ids.length < total; page += 1) {
        const found = await listAs(user, t.context, { ...request, page });
        ids.push(...found.rows.map(({ id }) => id));
        total = found.total;
        if (found.rows.length === 0) break;
      }
      t.is(total, 667);
      t.is(new Set(ids).size, 667, `${sort} ${order}`);
    }
  }
});

test('a size that is not known comes below any', async (t) => {
  const bySize = { sort: 'size_bytes', perPage: 1 } as const;
  for (const further of [{}, { q: 'scan' }]) {
    t.is((await listAs(t.context.admin, t.context, { ...bySize, ...further, order: 'asc' })).rows[0]?.sizeBytes, null);
    t.is((await listAs(t.context.admin, t.context, { ...bySize, ...further, order: 'desc' })).rows[0]?.sizeBytes, 4_999);
  }
});

test('a page beyond the last one is empty and tells the total all the same', async (t) => {
  for (const further of [{}, { q: 'scan' }])
    t.deepEqual(await listAs(t.context.user, t.context, { page: 100_000, ...further }), { rows: [], total: FILES / 10 });
});

test('everyone has the total of their own files, an administrator that of all, also of those that nobody owns', async (t) => {
  t.is((await listAs(t.context.user, t.context)).total, FILES / 10);
  t.is((await listAs(t.context.admin, t.context)).total, FILES);
});

test('what the ledger has of a watched path is known by it, and where the file was put until another one comes', async (t) => {
  await using database = await openTestDatabase();
  const { db } = database;
  const file = { route: 'watch', path: 'in/a.txt', sha256: 'a'.repeat(64), state: 'ingested' } as const;
  await recordLedger(db, file);
  await recordLedger(db, { ...file, route: 'user_watch' });
  await markMoved(db, 'watch', 'in/a.txt', 'in/a-1.txt');
  const [moved] = await findLedgerEntries(db, 'watch', ['in/a.txt', 'in/other.txt']);
  t.like(moved, { path: 'in/a.txt', sha256: file.sha256, documentId: null, movedTo: 'in/a-1.txt' });
  t.like((await findLedgerEntries(db, 'user_watch', ['in/a.txt']))[0], { movedTo: null });
  await recordLedger(db, { ...file, sha256: 'b'.repeat(64) });
  t.like((await findLedgerEntries(db, 'watch', ['in/a.txt']))[0], { sha256: 'b'.repeat(64), movedTo: null });
});

test('of a reason and the values that go with it is kept what the database can keep', async (t) => {
  await using database = await openTestDatabase();
  const { db } = database;
  const details = { path: 'in/\0\ud800a.txt', parts: ['\udc00b'], max_bytes: 5 };
  await recordLedger(db, { route: 'watch', path: 'a.txt', state: 'ignored', reason: ledgerReason('moved_from', details) });
  const [entry] = await findLedgerEntries(db, 'watch', ['a.txt']);
  t.true(entry?.reason?.includes('in/\ufffda.txt'), entry?.reason ?? '');
  t.deepEqual(entry?.reasonDetails, { path: 'in/\ufffda.txt', parts: ['\ufffdb'], max_bytes: 5 });
});
