import type { SearchBody } from '@sheaf/contract';
import { advancedQuery, foldTermStatistics, searchByQuery, suggest } from '@sheaf/search';
import { givenUser, principalOf } from '@sheaf/testkit';
import { givenLabel, openLibrary, test } from './library.ts';

/** All but the scores, which depend on how common a word is among all documents. */
const withoutScores = ({ results, ...body }: SearchBody) => ({ ...body, results: results.map((hit) => ({ ...hit, score: 0 })) });

test('what one user is told does not change with the documents of another whose documents he may not read', async (t) => {
  const { db, pool } = t.context;
  const { put, ask } = await openLibrary(db);
  const reader = await givenUser(db);
  const own = principalOf(reader, ['documents.read.own', 'search.query']);
  const [paid, secret] = [await givenLabel(db, 'paid'), await givenLabel(db, 'secret')];
  await put({ title: 'Invoice of spring', pages: ['electricity for the garden'], labels: [paid], ownerId: reader.id });
  await put({ title: 'Letter', pages: ['a garden party', 'second page of gardens'], ownerId: reader.id });
  await foldTermStatistics(db);

  const questions = [
    'garden',
    'gardn',
    'electrcity',
    'label:secret OR garden',
    'treasure',
    'treasre',
    'gard*',
    '-treasure garden',
    '"garden party"',
  ];
  const tell = async () => ({
    searches: await Promise.all(
      questions.flatMap((q) => [false, true].map(async (fuzzy) => withoutScores(await ask(q, { as: own, fuzzy })))),
    ),
    everything: withoutScores(
      await searchByQuery(db, own, {
        query: advancedQuery({ must: [], should: [], must_not: [{ field: 'any', value: 'treasure', type: 'match' }] }),
        filters: {},
        page: 1,
        perPage: 10,
        highlight: true,
        fuzzy: true,
      }),
    ),
    suggestions: await Promise.all(['gar', 'tre', 'inv', 'let', 'el'].map((q) => suggest(db, own, q))),
  });
  const before = await tell();
  t.is(before.searches[0]?.total, 2);
  t.is(before.searches[3]?.corrected_query, 'garden');
  t.deepEqual(before.everything.facets.labels, { paid: 1 });

  for (let i = 0; i < 5; i += 1)
    await put({
      title: `Treasure garden ${i}`,
      pages: ['gardn gardner gardens treasure electrcity electricities'],
      labels: [secret, paid],
      mimeType: 'image/png',
      language: i === 0 ? 'deu' : 'eng',
    });
  await pool.query(`update documents set created_at = '2001-01-01Z', source = 'webdav' where owner_id <> $1`, [reader.id]);
  t.deepEqual(await tell(), before, 'while the new words wait to be counted');
  await foldTermStatistics(db);
  t.deepEqual(await tell(), before);
  t.is((await ask('garden')).total, 7);
});
