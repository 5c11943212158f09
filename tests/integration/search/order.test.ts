import { openLibrary, testWithDatabases } from './library.ts';

const test = testWithDatabases();

test('more often, in a shorter text, in the title: each of them ranks higher', async (t) => {
  const { put, titles } = await openLibrary(t.context.db);
  const filler = 'nothing of interest here '.repeat(30);
  await put({ title: 'once', pages: [`zebra ${filler}`] });
  await put({ title: 'often', pages: [`zebra zebra zebra ${filler}`] });
  await put({ title: 'once, short', pages: ['zebra and little else'] });
  await put({ title: 'zebra', pages: [filler] });
  for (let i = 0; i < 10; i += 1) await put({ title: 'other', pages: [filler] });
  const found = await titles('zebra');
  t.is(found[0], 'zebra');
  t.true(found.indexOf('often') < found.indexOf('once'));
  t.true(found.indexOf('once, short') < found.indexOf('once'));
});

test('a rare word weighs more than a common one', async (t) => {
  const { put, titles } = await openLibrary(t.context.db);
  for (let i = 0; i < 9; i += 1) await put({ title: 'common', pages: ['apple apple fruit'] });
  await put({ title: 'rare', pages: ['quince apple fruit'] });
  t.is((await titles('apple OR quince'))[0], 'rare');
});

test('equals stand newest first, and pages neither repeat nor miss any of them', async (t) => {
  const { put, ask } = await openLibrary(t.context.db);
  const ids: string[] = [];
  for (let i = 0; i < 25; i += 1) ids.push(await put({ title: 'alike', pages: ['alike'] }));
  await t.context.pool.query(`update documents set created_at = '2024-01-01Z' where id = $1`, [ids[3]]);
  const pages = await Promise.all([1, 2, 3, 4].map((page) => ask('alike', { page, perPage: 10 })));
  const seen = pages.flatMap((body) => body.results.map((hit) => hit.document_id));
  t.deepEqual(seen.toSorted(), ids.toSorted());
  t.is(seen.at(-1), ids[3]);
  t.true(pages.every((body) => body.total === 25 && body.total_is_lower_bound === undefined));
});
