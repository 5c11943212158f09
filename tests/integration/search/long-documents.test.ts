import type { Db } from '@sheaf/db';
import { savePages } from '@sheaf/documents/pages';
import { indexDocument, search } from '@sheaf/search';
import { givenDocument, givenUser, openTestDatabase, principalOf } from '@sheaf/testkit';
import test from 'ava';
import { sql } from 'drizzle-orm';
import { fullOnly } from '../../support/full-run.ts';

const PAGES_A_BATCH = 1_000;

const givenText = async (db: Db, pages: readonly string[]) => {
  const owner = await givenUser(db, { role: 'admin' });
  const document = await givenDocument(db, { ownerId: owner.id, title: 'A very long document' });
  for (let from = 0; from < pages.length; from += PAGES_A_BATCH)
    await savePages(
      db,
      document.id,
      pages
        .slice(from, from + PAGES_A_BATCH)
        .map((content, i) => ({ page: from + i + 1, content, confidence: 1, origin: 'text' as const })),
    );
  await db.transaction((tx) => indexDocument(tx, document.id));
  // of an own user: the tests of a file share a database
  const principal = principalOf(owner, ['documents.read.own', 'search.query']);
  const find = async (q: string) =>
    (await search(db, principal, { q, filters: {}, page: 1, perPage: 10, highlight: true, fuzzy: false })).results[0];
  const entry = async () =>
    (
      await db.execute<{ is_long: boolean; is_truncated: boolean; length: number }>(
        sql`select is_long, is_truncated, length from document_search where document_id = ${document.id}`,
      )
    ).rows[0];
  return { find, entry };
};

fullOnly(test)('12,000 pages are found by words, and by phrases on their last page, over its border and on no page', async (t) => {
  await using database = await openTestDatabase();
  const pages = Array.from(
    { length: 12_000 },
    (_, i) => `Page number ${i + 1} tells about word${i % 500} and much else that is said on every page.`,
  );
  pages[11_998] += ' At its end stands the beginning of';
  pages[11_999] = 'a strange phrase. Here the purple elephant sleeps.';
  const { find, entry } = await givenText(database.db, pages);
  t.like(await entry(), { is_long: true, is_truncated: false });
  t.is((await find('elephant'))?.page, 12_000);
  t.is((await find('"purple elephant"'))?.page, 12_000);
  t.true(
    (await find('"purple elephant"'))?.highlights.some(({ snippet }) => snippet.includes('<mark>purple</mark> <mark>elephant</mark>')),
  );
  t.truthy(await find('"beginning of a strange phrase"'));
  t.is(await find('"elephant purple"'), undefined);
  t.is(await find('strange -"purple elephant"'), undefined);
  t.truthy(await find('strange -"elephant purple"'));
  t.is(await find('title:elephant'), undefined);
  t.truthy(await find('title:long elephant'));
});

test('200,000 different words: the first ones are found, as many as PostgreSQL can hold', async (t) => {
  await using database = await openTestDatabase();
  const words = Array.from({ length: 200_000 }, (_, i) => `wort${i.toString(36)}x`);
  const pages = Array.from({ length: 200 }, (_, i) => words.slice(i * 1_000, (i + 1) * 1_000).join(' '));
  const { find, entry } = await givenText(database.db, pages);
  t.like(await entry(), { is_long: true, is_truncated: true });
  t.is((await find(words[0] ?? ''))?.page, 1);
  t.is((await find(words[60_000] ?? ''))?.page, 61);
});

test('one word of 1.5 MB is left out, the words around it are found', async (t) => {
  await using database = await openTestDatabase();
  const { find } = await givenText(database.db, [`sunrise ${'x'.repeat(1_500_000)} sunset`]);
  t.truthy(await find('sunrise'));
  t.truthy(await find('sunset'));
});

fullOnly(test)('a page of half a million different short words does not break the entry', async (t) => {
  await using database = await openTestDatabase();
  const words = Array.from({ length: 500_000 }, (_, i) => i.toString(36));
  const { find, entry } = await givenText(database.db, [words.join(' ')]);
  t.like(await entry(), { is_truncated: true });
  t.truthy(await find('abc'));
});

test('letters outside the basic plane, one a word, do not break the entry', async (t) => {
  await using database = await openTestDatabase();
  const words = Array.from({ length: 100_000 }, (_, i) =>
    String.fromCodePoint(0x1_0400 + (i % 70), 0x1_0400 + (Math.floor(i / 70) % 70), 0x1_0400 + Math.floor(i / 4_900)),
  );
  const { find } = await givenText(database.db, ['first page', words.join(' ')]);
  t.truthy(await find('first'));
});
