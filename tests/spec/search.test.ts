// The rows of the specification on search. A title names its table and row.
import { savePages } from '@sheaf/documents/pages';
import { indexDocument } from '@sheaf/search';
import { z } from 'zod';
import { type RunningApi, testWithApi } from '../support/running-api.ts';

const test = testWithApi();

/** An uploaded file as it is once it was read. */
const put = async ({ admin, database: { db } }: RunningApi, title: string, text: string): Promise<string> => {
  const { body } = await admin.upload({ name: `${title}.txt`, bytes: new TextEncoder().encode(text) }, { title });
  const id = z.uuid().parse(body['id']);
  await savePages(db, id, [{ page: 1, content: text, confidence: 0.9, origin: 'text' }]);
  await db.execute(`update documents set ocr_confidence = 0.9 where id = '${id}'`);
  await indexDocument(db, id);
  return id;
};

const counts = z.record(z.string(), z.int().min(1));
const answer = z.looseObject({
  results: z.array(
    z.looseObject({
      document_id: z.uuid(),
      title: z.string(),
      score: z.number(),
      highlights: z.array(z.strictObject({ field: z.string(), snippet: z.string() })),
    }),
  ),
  total: z.int(),
  facets: z.looseObject({ mime_types: counts, labels: counts }),
});

const get = async ({ admin }: RunningApi, query: Record<string, string>) => {
  const { status, body } = await admin.get(`/api/search?${new URLSearchParams(query).toString()}`);
  return { status, body };
};

test('Endpoints: the search query takes q, page, per_page, filters, highlight and fuzzy', async (t) => {
  const id = await put(t.context, 'Zebras', 'One zebra <b>beside</b> another zebra & more');
  const filters = JSON.stringify({ mime_types: ['text/plain'], min_confidence: 0.5 });
  const { status, body } = await get(t.context, { q: 'zebra', page: '1', per_page: '5', filters, highlight: 'true', fuzzy: 'true' });
  t.is(status, 200);
  const found = answer.parse(body);
  t.deepEqual([found.total, found.results[0]?.document_id, found.facets.mime_types], [1, id, { 'text/plain': 1 }]);
  t.deepEqual(found.results[0]?.highlights, [
    { field: 'title', snippet: '<mark>Zebras</mark>' },
    { field: 'content', snippet: 'One <mark>zebra</mark> &lt;b&gt;beside&lt;/b&gt; another <mark>zebra</mark> &amp; more' },
  ]);
  const plain = await get(t.context, { q: 'zebra', highlight: 'false' });
  t.deepEqual(answer.parse(plain.body).results[0]?.highlights, []);
});

test('Endpoints: the search query needs q', async (t) => {
  t.is((await get(t.context, {})).status, 400);
  t.is((await get(t.context, { q: '' })).status, 400);
  t.is((await get(t.context, { q: 'a', other: '1' })).status, 400);
});

test('Pagination: sort takes a field and order asc or desc', async (t) => {
  await put(t.context, 'Giraffe B', 'giraffe one');
  await put(t.context, 'Giraffe A', 'giraffe two');
  const titles = async (order: string) =>
    answer.parse((await get(t.context, { q: 'giraffe', sort: 'title', order })).body).results.map((hit) => hit.title);
  t.deepEqual(await titles('asc'), ['Giraffe A', 'Giraffe B']);
  t.deepEqual(await titles('desc'), ['Giraffe B', 'Giraffe A']);
  t.is((await get(t.context, { q: 'giraffe', sort: 'owner' })).status, 400);
  t.is((await get(t.context, { q: 'giraffe', order: 'up' })).status, 400);
});

test('Endpoints: an advanced search takes {query: {must, should, must_not}, filters: {date_range, mime_types, min_confidence}, sort, page, per_page}', async (t) => {
  const id = await put(t.context, 'Okapi', 'the okapi eats leaves');
  await put(t.context, 'Another okapi', 'the okapi sleeps');
  const { status, body } = await t.context.admin.post('/api/search/advanced', {
    query: {
      must: [{ field: 'content', value: 'okapi', type: 'match' }],
      should: [{ field: 'title', value: 'kap', type: 'contains' }],
      must_not: [{ field: 'title', value: 'another okapi', type: 'exact' }],
    },
    filters: { date_range: { from: '2020-01-01', to: '2100-01-01T00:00:00Z' }, mime_types: ['text/plain'], min_confidence: 0.5 },
    sort: [{ field: 'created_at', order: 'desc' }],
    page: 1,
    per_page: 20,
  });
  t.is(status, 200);
  const found = answer.parse(body);
  t.deepEqual([found.total, found.results[0]?.document_id], [1, id]);
});

test('Limits: at most 1,000 search results are reachable, more is 400 with the reason', async (t) => {
  const { admin } = t.context;
  t.is((await get(t.context, { q: 'a', page: '10', per_page: '100' })).status, 200);
  t.is((await get(t.context, { q: 'a', page: '50' })).status, 200);
  const beyond = [
    await get(t.context, { q: 'a', page: '11', per_page: '100' }),
    await get(t.context, { q: 'a', page: '51' }),
    await admin.post('/api/search/advanced', { query: {}, page: 11, per_page: 100 }),
    await admin.post('/api/search/advanced', { query: {}, page: 51 }),
  ];
  for (const { status, body } of beyond) {
    t.is(status, 400);
    t.regex(JSON.stringify(body), /first 1000 results/);
  }
  t.is((await admin.post('/api/search/advanced', { query: {}, page: 10, per_page: 100 })).status, 200);
});

test('Endpoints: suggestions answer {suggestions: [{text, type, document_id}]}', async (t) => {
  const id = await put(t.context, 'Platypus', 'x');
  const { status, body } = await t.context.admin.get('/api/search/suggest?q=platy');
  t.deepEqual([status, body], [200, { suggestions: [{ text: 'Platypus', type: 'title', document_id: id }] }]);
  t.is((await t.context.admin.get('/api/search/suggest?q=')).status, 200);
  t.is((await t.context.admin.get(`/api/search/suggest?q=${'a'.repeat(201)}`)).status, 400);
});
