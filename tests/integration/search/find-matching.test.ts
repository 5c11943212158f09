import { findMatching } from '@sheaf/search';
import { givenUser, principalOf } from '@sheaf/testkit';
import { givenLabel, openLibrary, testWithDatabases } from './library.ts';

const test = testWithDatabases();

test('what matches is found in the order of ids, in parts, and among given documents', async (t) => {
  const { db } = t.context;
  const { owner, put } = await openLibrary(db);
  const principal = principalOf(owner);
  const paid = await givenLabel(db, 'paid');
  const ids: string[] = [];
  for (let i = 0; i < 5; i += 1) ids.push(await put({ pages: ['invoice'], labels: i === 0 ? [paid] : [] }));
  const letter = await put({ pages: ['a letter of ours'] });
  ids.sort();
  const find = (query: string, more: Partial<Parameters<typeof findMatching>[2]> = {}) =>
    findMatching(db, principal, { query, filters: {}, limit: 100, ...more });
  t.deepEqual(await find('invoice'), ids);
  t.deepEqual(await find('invoice', { limit: 2 }), ids.slice(0, 2));
  t.deepEqual(await find('invoice', { after: ids[1] ?? '', limit: 2 }), ids.slice(2, 4));
  t.deepEqual(await find('invoice', { documentIds: [letter, ids[3] ?? ''] }), [ids[3]]);
  t.deepEqual(await find('"letter of ours"'), [letter]);
  t.is((await find('', { filters: { label_ids: [paid] } })).length, 1);
  t.is((await find('', { filters: { status: 'pending' } })).length, 6);
  t.is((await find('  ')).length, 6);
});

test('a query that asks for nothing finds nothing, whatever is typed, and nobody finds what they may not read', async (t) => {
  const { db } = t.context;
  const { put } = await openLibrary(db);
  await put({ pages: ['invoice'] });
  const reader = await givenUser(db);
  const as = (permissions: readonly string[], query: string) =>
    findMatching(db, principalOf(reader, permissions), { query, filters: {}, limit: 100 });
  for (const query of ['-invoice', '!!!', '"', '()', "'; drop table documents; --", '\u0000', ':*', '('.repeat(1_000), 'OR', '*'])
    t.deepEqual(await as(['documents.read'], query), [], JSON.stringify(query));
  t.is((await as(['documents.read'], 'invoice')).length, 1);
  t.deepEqual(await as(['documents.read.own'], 'invoice'), []);
  t.deepEqual(await as([], 'invoice'), []);
});
