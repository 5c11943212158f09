import { advancedQuery, foldTermStatistics, searchByQuery, suggest } from '@sheaf/search';
import { givenUser, principalOf } from '@sheaf/testkit';
import { givenLabel, openLibrary, testWithDatabases } from './library.ts';

const test = testWithDatabases();

test('what one user is told does not change with the documents of another whose documents they may not read', async (t) => {
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
    searches: await Promise.all(questions.flatMap((q) => [false, true].map((fuzzy) => ask(q, { as: own, fuzzy })))),
    everything: await searchByQuery(db, own, {
      query: advancedQuery({ must: [], should: [], must_not: [{ field: 'any', value: 'treasure', type: 'match' }] }),
      filters: {},
      page: 1,
      perPage: 10,
      highlight: true,
      fuzzy: true,
    }),
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

/** Bytes, as they would go out. */
const bytesOf = async (answers: readonly Promise<unknown>[]): Promise<string> => JSON.stringify(await Promise.all(answers));

test('scores, their order, suggestions and corrections of one user are byte for byte the same with and without the documents of others', async (t) => {
  const { db } = t.context;
  const { put, ask } = await openLibrary(db);
  const reader = await givenUser(db);
  const own = principalOf(reader, ['documents.read.own', 'search.query']);
  // of two words one is made common by others: which document comes first must not change
  await put({ title: 'First', pages: ['walnut walnut table near the chair'], ownerId: reader.id });
  await put({ title: 'Second', pages: ['cherry table and a cherry chair by the window'], ownerId: reader.id });
  await put({ title: 'Third', pages: ['walking walkers walked along a wall of walnuts'], ownerId: reader.id });
  await foldTermStatistics(db);
  const tell = () =>
    bytesOf([
      ...['walnut OR cherry', 'table chair', 'wal*', 'walnt', 'chery', 'tabel', 'wallnut'].map((q) => ask(q, { as: own, fuzzy: true })),
      ...['wa', 'walk', 'ch', 'ta'].map((q) => suggest(db, own, q)),
    ]);
  const before = await tell();
  t.true(before.includes('"corrected_query":"walnut"'));

  // words near to each of theirs, in such numbers that they would crowd out the right ones
  const near = (word: string): string => Array.from({ length: 26 }, (_, i) => `${word}${String.fromCharCode(97 + i)}`).join(' ');
  for (let i = 0; i < 4; i += 1)
    await put({
      title: `Walnut ${i}`,
      pages: [
        `walnut ${'walnut '.repeat(20 * i)}`,
        near('waln'),
        near('walnu'),
        near('walnt'),
        near('cher'),
        near('chery'),
        near('wal'),
        near('tabe'),
      ],
      language: i === 0 ? 'fra' : 'eng',
    });
  t.is(await tell(), before, 'while the new words wait to be counted');
  await foldTermStatistics(db);
  t.is(await tell(), before);
});

test('documents that change their owner take their words along', async (t) => {
  const { db, pool } = t.context;
  const { put, ask, owner } = await openLibrary(db);
  const reader = await givenUser(db);
  const own = principalOf(reader, ['documents.read.own', 'search.query']);
  await put({ title: 'Mine', pages: ['a harbour at night'], ownerId: reader.id });
  await foldTermStatistics(db);
  const before = await bytesOf([ask('harbour', { as: own }), suggest(db, own, 'har')]);
  const given = await put({ title: 'Given', pages: ['harbour harbours harvest'] });
  await pool.query('update documents set owner_id = $1 where id = $2', [reader.id, given]);
  await foldTermStatistics(db);
  t.is((await ask('harvest', { as: own })).total, 1);
  t.true((await suggest(db, own, 'har')).some(({ text }) => text === 'harvest'));
  await pool.query('update documents set owner_id = $1 where id = $2', [owner.id, given]);
  await foldTermStatistics(db);
  t.is(await bytesOf([ask('harbour', { as: own }), suggest(db, own, 'har')]), before);
});
