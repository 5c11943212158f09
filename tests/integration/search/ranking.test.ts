import { savePages } from '@sheaf/documents/pages';
import { foldTermStatistics, indexDocument, type Query, searchByQuery } from '@sheaf/search';
import { givenDocument, givenUser, openTestDatabase, principalOf } from '@sheaf/testkit';
import test from 'ava';

const K1 = 1.2;
const B = 0.75;
/** A vector keeps so many positions of a word. */
const MAX_POSITIONS = 255;

test('the score is BM25, with word counts as they are up to what a vector keeps of a word', async (t) => {
  await using database = await openTestDatabase();
  const { db } = database;
  const owner = await givenUser(db, { role: 'admin' });
  const counts = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 50, 100, 200, 254, 255, 300];
  const lengths: number[] = [];
  const put = async (title: string, words: readonly string[]): Promise<void> => {
    const document = await givenDocument(db, { ownerId: owner.id, title, filename: 'scan' });
    await savePages(db, document.id, [{ page: 1, content: words.join(' '), confidence: 1, origin: 'text' }]);
    await indexDocument(db, document.id);
    // title and file name are a word each, and no stop words are used
    lengths.push(
      2 + Math.min(MAX_POSITIONS, words.filter((word) => word === 'zebra').length) + words.filter((word) => word !== 'zebra').length,
    );
  };
  for (const count of counts)
    await put(`n${count}`, [...Array.from({ length: count }, () => 'zebra'), ...Array.from({ length: count % 7 }, (_, i) => `word${i}`)]);
  for (let i = 0; i < 5; i += 1) await put(`other${i}`, ['nothing']);
  await foldTermStatistics(db);

  const query: Query = { must: [], should: [[{ text: 'zebra', prefix: false }]], mustNot: [] };
  const { results } = await searchByQuery(db, principalOf(owner), {
    query,
    filters: {},
    page: 1,
    perPage: 100,
    highlight: false,
    fuzzy: false,
    titleWeight: 0,
  });
  const average = lengths.reduce((a, b) => a + b, 0) / lengths.length;
  const idf = Math.log(1 + (lengths.length - counts.length + 0.5) / (counts.length + 0.5));
  t.is(results.length, counts.length);
  for (const [i, count] of counts.entries()) {
    const tf = Math.min(count, MAX_POSITIONS);
    const expected = (idf * tf * (K1 + 1)) / (tf + K1 * (1 - B + (B * (lengths[i] ?? 0)) / average));
    const score = results.find((hit) => hit.title === `n${count}`)?.score ?? 0;
    t.true(Math.abs(score - expected) < 1e-9, `${count} times: ${score} instead of ${expected}`);
  }
});
