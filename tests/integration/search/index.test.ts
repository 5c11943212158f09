import type { Db } from '@sheaf/db';
import { documentSearch } from '@sheaf/db/schema';
import { deleteDocument } from '@sheaf/documents';
import { savePages } from '@sheaf/documents/pages';
import { foldTermStatistics, indexDocument, removeFromIndex, search } from '@sheaf/search';
import { givenDocument, givenUser, openTestDatabase, principalOf } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { eq, sql } from 'drizzle-orm';

const test = anyTest as TestFn<Awaited<ReturnType<typeof openTestDatabase>>>;

// A database for each test: word statistics are one for all documents in it.
test.beforeEach(async (t) => {
  t.context = await openTestDatabase();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const givenText = async (db: Db, title: string, pages: readonly string[], ocrLanguage = 'eng') => {
  const owner = await givenUser(db, { role: 'admin' });
  const document = await givenDocument(db, { ownerId: owner.id, title, filename: `${title}.pdf`, ocrLanguage });
  await savePages(
    db,
    document.id,
    pages.map((content, i) => ({ page: i + 1, content, confidence: 1, origin: 'text' as const })),
  );
  await db.transaction((tx) => indexDocument(tx, document.id));
  return { id: document.id, principal: principalOf(owner) };
};

interface Statistics {
  readonly terms: Readonly<Record<string, number>>;
  /** By owner and word. */
  readonly ownerTerms: Readonly<Record<string, number>>;
  /** By owner and configuration: documents and words. */
  readonly ownerTotals: Readonly<Record<string, readonly number[]>>;
  readonly totals: Readonly<Record<string, { documents: number; length: number }>>;
}

/** Kept, and counted anew from the vectors. */
const readStatistics = async (db: Db): Promise<{ kept: Statistics; counted: Statistics }> => {
  const { rows } = await db.execute<{ kept: Statistics; counted: Statistics }>(sql`
    select json_build_object(
      'terms', (select json_object_agg(lexeme, documents order by lexeme) from (
        select lexeme, sum(documents) as documents from (
          select lexeme collate "C" as lexeme, documents from search_terms
          union all select unnest(tsvector_to_array(lexemes)), sign from search_deltas
        ) as parts group by lexeme having sum(documents) <> 0) as t),
      'ownerTerms', (select json_object_agg(concat_ws(' ', owner_id, lexeme), documents order by owner_id, lexeme) from (
        select owner_id, lexeme, sum(documents) as documents from (
          select owner_id, lexeme collate "C" as lexeme, documents from search_owner_terms
          union all select owner_id, unnest(tsvector_to_array(lexemes)), sign from search_deltas
        ) as parts group by owner_id, lexeme having sum(documents) <> 0) as t),
      'totals', (select json_object_agg(configuration, json_build_object('documents', documents, 'length', length)) from (
        select configuration, sum(documents) as documents, sum(length) as length from (
          select configuration, documents, length from search_totals
          union all select configuration, sign, sign * length from search_deltas
        ) as parts group by configuration having sum(documents) <> 0) as t),
      'ownerTotals', (select json_object_agg(concat_ws(' ', owner_id, configuration), array[documents, length]) from (
        select owner_id, configuration, sum(documents) as documents, sum(length) as length from (
          select owner_id, configuration, documents, length from search_owner_totals
          union all select owner_id, configuration, sign, sign * length from search_deltas
        ) as parts group by owner_id, configuration having sum(documents) <> 0 order by owner_id, configuration) as t)) as kept,
    json_build_object(
      'terms', (select json_object_agg(lexeme, documents order by lexeme) from (
        select lexeme, count(*) as documents from document_search, unnest(tsvector_to_array(words)) as lexeme group by lexeme) as t),
      'ownerTerms', (select json_object_agg(concat_ws(' ', owner_id, lexeme), documents order by owner_id, lexeme) from (
        select owner_id, lexeme collate "C" as lexeme, count(*) as documents
        from document_search, unnest(tsvector_to_array(words)) as lexeme group by owner_id, lexeme) as t),
      'totals', (select json_object_agg(configuration, json_build_object('documents', documents, 'length', length)) from (
        select configuration, count(*) as documents, sum(length) as length from document_search group by configuration) as t),
      'ownerTotals', (select json_object_agg(concat_ws(' ', owner_id, configuration), array[documents, length]) from (
        select owner_id, configuration, count(*) as documents, sum(length) as length from document_search
        group by owner_id, configuration order by owner_id, configuration) as t)) as counted`);
  const [row] = rows;
  if (row === undefined) throw new Error('no statistics');
  return row;
};

test('word statistics are right after writing, rewriting, removing and deleting, folded or not', async (t) => {
  const { db } = t.context;
  const check = async (): Promise<void> => {
    const { kept, counted } = await readStatistics(db);
    t.deepEqual(kept, counted);
  };
  const a = await givenText(db, 'first', ['the house and the garden']);
  const b = await givenText(db, 'second', ['the house', 'a tree'], 'deu');
  const c = await givenText(db, 'third', ['garden tree']);
  await check();
  t.is(await foldTermStatistics(db), 3);
  await check();
  await savePages(db, a.id, [{ page: 1, content: 'only a cellar', confidence: 1, origin: 'text' }]);
  await indexDocument(db, a.id);
  await removeFromIndex(db, b.id);
  await deleteDocument(db, c.id);
  await check();
  await foldTermStatistics(db);
  await check();
  const { rows } = await db.execute<{ lexeme: string }>(sql`
    select lexeme from search_terms where documents <= 0 or lexeme = 'garden'
    union all select lexeme from search_owner_terms where documents <= 0 or lexeme = 'garden'`);
  t.deepEqual(rows, [], 'a word that no document has any more is forgotten');
});

test('statistics are rolled back with the transaction that wrote them', async (t) => {
  const { db } = t.context;
  const { id } = await givenText(db, 'kept', ['house']);
  await t.throwsAsync(
    db.transaction(async (tx) => {
      await removeFromIndex(tx, id);
      throw new Error('changed my mind');
    }),
  );
  const { kept, counted } = await readStatistics(db);
  t.deepEqual(kept, counted);
  t.is(kept.terms.hous, 1);
});

test('many writers and many folders at once neither wait for ever nor miscount', async (t) => {
  const { db } = t.context;
  const owner = await givenUser(db, { role: 'admin' });
  const write = async (n: number): Promise<void> => {
    const document = await givenDocument(db, { ownerId: owner.id, title: `number ${n}` });
    await savePages(db, document.id, [{ page: 1, content: `common words and word${n % 7}`, confidence: 1, origin: 'text' }]);
    await db.transaction((tx) => indexDocument(tx, document.id));
    if (n % 3 === 0) await deleteDocument(db, document.id);
  };
  await Promise.all(Array.from({ length: 60 }, (_, n) => (n % 4 === 3 ? foldTermStatistics(db) : write(n))));
  await foldTermStatistics(db);
  const { kept, counted } = await readStatistics(db);
  t.deepEqual(kept, counted);
});

test('a document that is gone is not indexed, and indexing again changes nothing', async (t) => {
  const { db } = t.context;
  await indexDocument(db, '01900000-0000-7000-8000-000000000000');
  t.deepEqual(await db.select().from(documentSearch), []);
  const { id } = await givenText(db, 'same', ['one', 'two']);
  const before = await db.select().from(documentSearch).where(eq(documentSearch.documentId, id));
  await indexDocument(db, id);
  t.deepEqual(await db.select().from(documentSearch).where(eq(documentSearch.documentId, id)), before);
});

test('a failed document without pages is found by its title and file name', async (t) => {
  const { db } = t.context;
  const { id, principal } = await givenText(db, 'broken_scan', []);
  const { results } = await search(db, principal, {
    q: 'broken scan pdf',
    filters: {},
    page: 1,
    perPage: 10,
    highlight: true,
    fuzzy: false,
  });
  t.is(results[0]?.document_id, id);
  t.is(results[0]?.page, null);
});

test('the copies of owner, type and date follow the document', async (t) => {
  const { db, pool } = t.context;
  const { id } = await givenText(db, 'moved', ['text']);
  const heir = await givenUser(db);
  await pool.query(`update documents set owner_id = $1, mime_type = 'text/plain', created_at = '2020-01-01Z' where id = $2`, [heir.id, id]);
  const [row] = await db.select().from(documentSearch).where(eq(documentSearch.documentId, id));
  t.is(row?.ownerId, heir.id);
  t.is(row?.mimeType, 'text/plain');
  t.is(row?.createdAt.getUTCFullYear(), 2020);
});
