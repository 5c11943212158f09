import { randomUUID } from 'node:crypto';
import type { SearchFilters } from '@sheaf/contract/search';
import { givenUser, principalOf } from '@sheaf/testkit';
import { givenLabel, openLibrary, testWithDatabases } from './library.ts';

const test = testWithDatabases();

test('filters, each by itself', async (t) => {
  const { put, titles } = await openLibrary(t.context.db);
  const [first, second] = [await givenLabel(t.context.db, 'first'), await givenLabel(t.context.db, 'second')];
  const other = await givenUser(t.context.db);
  const source = randomUUID();
  const a = await put({ title: 'a', pages: ['word'], mimeType: 'image/png', labels: [first, second], sizeBytes: 10 });
  await put({ title: 'b', pages: ['word'], labels: [first], ownerId: other.id, sizeBytes: 20 });
  await t.context.pool.query(
    `update documents set created_at = '2024-03-05T12:00:00Z', ocr_confidence = 0.5, source_id = $2, status = 'completed' where id = $1`,
    [a, source],
  );
  const cases: [SearchFilters, string[]][] = [
    [{}, ['a', 'b']],
    [{ mime_types: ['image/png', 'image/jpeg'] }, ['a']],
    [{ label_ids: [first] }, ['a', 'b']],
    [{ label_ids: [first, second] }, ['a', 'b']],
    [{ label_ids: [first, second], label_match: 'all' }, ['a']],
    [{ label_ids: [second], label_match: 'all' }, ['a']],
    [{ has_labels: true }, ['a', 'b']],
    [{ has_labels: false }, []],
    [{ owner_id: other.id }, ['b']],
    [{ source_id: source }, ['a']],
    [{ status: 'completed' }, ['a']],
    [{ status: 'pending' }, ['b']],
    [{ date_to: '2024-03-05' }, ['a']],
    [{ date_to: '2024-03-04' }, []],
    [{ date_from: '2024-03-05', date_to: '2024-03-05' }, ['a']],
    [{ date_from: '2024-03-06' }, ['b']],
    [{ date_from: '2024-03-05T14:00:00+02:00', date_to: '2024-03-05T12:00:00Z' }, ['a']],
    [{ min_confidence: 0.5 }, ['a']],
    [{ min_confidence: 0.6 }, []],
    [{ min_size: 15 }, ['b']],
    [{ max_size: 15, mime_types: ['image/png'] }, ['a']],
  ];
  for (const [filters, expected] of cases) t.deepEqual((await titles('word', { filters })).toSorted(), expected, JSON.stringify(filters));
});

test('facets count all matches by type, label, source and year', async (t) => {
  const { put, ask } = await openLibrary(t.context.db);
  const label = await givenLabel(t.context.db, 'paid');
  for (let i = 0; i < 3; i += 1) await put({ pages: ['word'], labels: i === 0 ? [label] : [] });
  await put({ pages: ['word'], mimeType: 'image/png', labels: [label] });
  await put({ pages: ['something else'], labels: [label] });
  const { facets, total } = await ask('word', { perPage: 1 });
  t.deepEqual(facets, {
    mime_types: { 'application/pdf': 3, 'image/png': 1 },
    labels: { paid: 2 },
    sources: { upload: 4 },
    years: { [String(new Date().getUTCFullYear())]: 4 },
    languages: {},
    document_years: {},
    correspondents: [],
    document_types: [],
  });
  t.is(total, 4);
});

test('hits, totals and facets tell only of what one may read', async (t) => {
  const { put, ask } = await openLibrary(t.context.db);
  const label = await givenLabel(t.context.db, 'secret');
  const reader = await givenUser(t.context.db);
  await put({ title: 'not his', pages: ['word'], mimeType: 'image/png', labels: [label] });
  await put({ title: 'his', pages: ['word'], ownerId: reader.id });
  const own = await ask('word', { as: principalOf(reader, ['documents.read.own', 'search.query']) });
  t.deepEqual(
    own.results.map((hit) => hit.title),
    ['his'],
  );
  t.is(own.total, 1);
  t.deepEqual([own.facets.mime_types, own.facets.labels, own.facets.sources], [{ 'application/pdf': 1 }, {}, { upload: 1 }]);
  t.is((await ask('label:secret', { as: principalOf(reader, ['documents.read.own', 'search.query']) })).total, 0);
  t.is((await ask('word', { as: principalOf(reader, ['documents.read', 'search.query']) })).total, 2);
  t.deepEqual(await ask('word', { as: principalOf(reader, ['search.query']) }), {
    results: [],
    total: 0,
    facets: {
      mime_types: {},
      labels: {},
      sources: {},
      years: {},
      languages: {},
      document_years: {},
      correspondents: [],
      document_types: [],
    },
  });
});
