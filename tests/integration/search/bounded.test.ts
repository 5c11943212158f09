import { savePages } from '@sheaf/documents/pages';
import { foldTermStatistics, indexDocument, parseQuery, type SearchOptions, searchByQuery } from '@sheaf/search';
import { givenDocument, givenUser, openTestDatabase, principalOf } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { sql } from 'drizzle-orm';

const DOCUMENTS = 300;
const LIMIT = 40;

type Body = Awaited<ReturnType<typeof searchByQuery>>;
interface Context {
  readonly database: Awaited<ReturnType<typeof openTestDatabase>>;
  readonly ids: string[];
  readonly owners: readonly Awaited<ReturnType<typeof givenUser>>[];
  readonly ask: (q: string, options?: Partial<SearchOptions> & { exactLimit?: number; as?: number }) => Promise<Body>;
}

const test = anyTest as TestFn<Context>;

const times = (word: string, count: number): string => Array.from({ length: count }, () => word).join(' ');

test.before(async (t) => {
  const database = await openTestDatabase();
  const { db } = database;
  const owners = [await givenUser(db, { role: 'admin' }), await givenUser(db, { role: 'viewer' })];
  const ids: string[] = [];
  for (let n = 0; n < DOCUMENTS; n += 1) {
    const document = await givenDocument(db, {
      ownerId: owners[n % 3 === 0 ? 1 : 0]?.id ?? '',
      title: n % 40 === 7 ? `Harbour ${n}` : `Paper ${n}`,
      filename: `${n}.pdf`,
      mimeType: n % 4 === 0 ? 'text/plain' : 'application/pdf',
    });
    const content = `${times('harbour', 1 + ((n * 7) % 11))} ${times('lantern', n % 5)} ${times(`filling${n}`, 20 + ((n * 13) % 200))}`;
    await savePages(db, document.id, [{ page: 1, content, confidence: 1, origin: 'text' }]);
    await indexDocument(db, document.id);
    ids.push(document.id);
  }
  // two words that both stand there some times count more together than one that stands there often
  for (let n = 0; n < 60; n += 1) {
    const [anchors, beacons] = n % 3 === 0 ? [3, 3] : [n % 3 === 1 ? 12 : 1, n % 3 === 1 ? 1 : 12];
    const document = await givenDocument(db, { ownerId: owners[0]?.id ?? '', title: `Leaf ${n}`, filename: `leaf-${n}.pdf` });
    const content = `${times('anchor', anchors)} ${times('beacon', beacons)} ${times(`rest${n}`, 85)}`;
    await savePages(db, document.id, [{ page: 1, content, confidence: 1, origin: 'text' }]);
    await indexDocument(db, document.id);
  }
  await foldTermStatistics(db);
  Object.assign(t.context, {
    database,
    ids,
    owners,
    ask: (q: string, { as = 0, ...options }: Partial<SearchOptions> & { exactLimit?: number; as?: number } = {}) => {
      const user = owners[as];
      if (user === undefined) throw new Error('there are two users');
      const principal = principalOf(user);
      return searchByQuery(db, as === 0 ? principal : { ...principal, permissions: ['documents.read.own', 'search.query'] }, {
        query: parseQuery(q),
        filters: {},
        page: 1,
        perPage: 10,
        highlight: true,
        fuzzy: false,
        exactLimit: LIMIT,
        ...options,
      });
    },
  });
});
test.after.always((t) => t.context.database[Symbol.asyncDispose]());

const EXACT = { exactLimit: 1_000_000 };

for (const q of ['harbour', 'harbour lantern', 'harbour OR lantern', 'harbour -filling5'])
  test(`the pages of "${q}" are those of the exact ranking, in its order`, async (t) => {
    for (const page of [1, 2, 3]) {
      const [bounded, exact] = [await t.context.ask(q, { page }), await t.context.ask(q, { page, ...EXACT })];
      t.deepEqual(bounded.results, exact.results);
      t.true(bounded.total_is_lower_bound);
      t.true(bounded.facets_are_lower_bounds);
      t.true(bounded.total >= LIMIT && bounded.total <= exact.total);
      for (const [kind, count] of Object.entries(bounded.facets.mime_types)) t.true(count <= (exact.facets.mime_types[kind] ?? 0), kind);
    }
  });

test('what has several words now and then is found before what has one of them often', async (t) => {
  const [bounded, exact] = [
    await t.context.ask('anchor beacon', { perPage: 5 }),
    await t.context.ask('anchor beacon', { perPage: 5, ...EXACT }),
  ];
  t.true(bounded.facets_are_lower_bounds);
  t.deepEqual(bounded.results, exact.results);
});

test('the total of one word is that of the statistics', async (t) => {
  t.is((await t.context.ask('harbour')).total, (await t.context.ask('harbour', EXACT)).total);
});

test('a word that is asked for twice is one word', async (t) => {
  const [once, twice] = [await t.context.ask('harbour'), await t.context.ask('harbour Harbours')];
  t.is(twice.total, once.total);
  t.deepEqual(twice.facets, once.facets);
  t.deepEqual(
    twice.results.map(({ document_id: id }) => id),
    once.results.map(({ document_id: id }) => id),
  );
});

/** A word in most documents, of which the entries of a small part are compared, and of a large one; and one that is in fewer documents. */
for (const [word, exactLimit] of [
  ['harbour', 40],
  ['harbour', 100],
  ['anchor', 10],
] as const)
  test(`the facets of "${word}" are of a part of the library that chance has chosen, with a limit of ${exactLimit}`, async (t) => {
    const { ask, database } = t.context;
    const [bounded, exact] = [await ask(word, { exactLimit }), await ask(word, EXACT)];
    const slices = Math.ceil((256 * exactLimit) / exact.total);
    const { rows } = await database.db.execute<{ documents: number }>(sql`
      select count(*)::int as documents from document_search where words @@ ${word}::tsquery and uuid_hash(document_id) & 255 < ${slices}`);
    t.true(bounded.facets_are_lower_bounds);
    t.is(
      Object.values(bounded.facets.mime_types).reduce((a, b) => a + b, 0),
      rows[0]?.documents ?? 0,
    );
  });

test('what matches no more than the limit is counted exactly, however common its words are', async (t) => {
  const body = await t.context.ask('harbour filling5');
  t.is(body.total, 1);
  t.is(body.total_is_lower_bound, undefined);
  t.is(body.facets_are_lower_bounds, undefined);
});

test('filters hold for the page, and what they leave is counted exactly up to the limit', async (t) => {
  const filters = { mime_types: ['text/plain'] };
  const [bounded, exact] = [await t.context.ask('harbour', { filters }), await t.context.ask('harbour', { filters, ...EXACT })];
  t.deepEqual(bounded.results, exact.results);
  t.is(bounded.total, LIMIT);
  const few = await t.context.ask('harbour', { filters: { ...filters, date_to: '2001-01-01' } });
  t.is(few.total, 0);
  t.is(few.total_is_lower_bound, undefined);
});

test('whoever reads their own documents alone is answered from these', async (t) => {
  const [bounded, exact] = [await t.context.ask('harbour', { as: 1 }), await t.context.ask('harbour', { as: 1, ...EXACT })];
  t.deepEqual(bounded.results, exact.results);
  t.is(bounded.total, exact.total);
  const { rows } = await t.context.database.db.execute<{ id: string }>(
    sql`select id from documents where owner_id = ${t.context.owners[1]?.id}`,
  );
  const own = new Set(rows.map(({ id }) => id));
  t.true(bounded.results.every(({ document_id: id }) => own.has(id)));
  t.true(Object.values(bounded.facets.mime_types).reduce((a, b) => a + b, 0) <= own.size);
});

test('another order is exact', async (t) => {
  const sort = [{ field: 'title', order: 'asc' }] as const;
  const [bounded, exact] = [await t.context.ask('harbour', { sort }), await t.context.ask('harbour', { sort, ...EXACT })];
  t.deepEqual(bounded.results, exact.results);
  t.is(bounded.facets_are_lower_bounds, undefined);
});

test('a page behind the documents in which the words are strong is that of the exact ranking', async (t) => {
  const [bounded, exact] = [await t.context.ask('harbour', { page: 29 }), await t.context.ask('harbour', { page: 29, ...EXACT })];
  t.deepEqual(bounded.results, exact.results);
});

test.serial('a deleted document is neither found nor counted', async (t) => {
  const { ask, database } = t.context;
  const [first] = (await ask('lantern')).results;
  const before = (await ask('lantern', EXACT)).total;
  await database.db.execute(sql`delete from documents where id = ${first?.document_id}`);
  const after = await ask('lantern');
  t.is(after.total, before - 1);
  t.false(after.results.some(({ document_id: id }) => id === first?.document_id));
});
