import * as fc from 'fast-check';
import { fullOnly } from '../../support/full-run.ts';
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ FEATURE_API_V2: 'true' });

const IN_TIME_MS = 3_000;

const odd = [
  '"',
  "'",
  '\\',
  '&',
  '|',
  '!',
  '<->',
  ':*',
  '(',
  ')',
  '-',
  '*',
  'OR',
  'AND',
  'title:',
  'label:"',
  '\0',
  '\ud800',
  '\u202eabc',
  '％',
  '人',
  'the',
];
const typed = fc
  .array(fc.oneof(fc.constantFrom(...odd, ' ', 'word'), fc.string({ unit: 'binary', maxLength: 30 })), { maxLength: 60 })
  .map((pieces) => pieces.join(''));

/** `URLSearchParams` makes whole characters of half ones; these go out as they are. */
const raw = fc.uint8Array({ maxLength: 40 }).map((bytes) => [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''));

test('whatever is typed into a search is answered 200 or 400, in time', async (t) => {
  const check = async (path: string): Promise<void> => {
    const started = performance.now();
    const { status } = await t.context.admin.get(path);
    t.true(status === 200 || status === 400, `${status}: ${path}`);
    t.true(performance.now() - started < IN_TIME_MS, path);
  };
  const encoded = fc.oneof(
    typed.map((text) => encodeURIComponent(text.toWellFormed())),
    raw,
  );
  await fc.assert(
    fc.asyncProperty(encoded, fc.boolean(), async (q, fuzzy) => {
      await check(`/api/search?q=${q}&fuzzy=${fuzzy}`);
      await check(`/api/search/suggest?q=${q}`);
    }),
    { numRuns: 100 },
  );
  for (const q of [
    '%00',
    '%ff',
    '%',
    'a&q=b',
    'a&q[]=b',
    '&filters=[',
    'a&filters=null',
    'a&filters=%22',
    `a&filters=${'['.repeat(9_000)}`,
    'a&page=0',
    'a&page=1e9',
  ])
    await check(`/api/search?q=${q}`);
});

test('a megabyte of any of it is refused as too long', async (t) => {
  for (const piece of ['a', '"', '-', '%22', '%20OR%20']) {
    const started = performance.now();
    const response = await t.context.admin.request(`/api/search?q=${piece.repeat(1_000_000)}`);
    t.is(response.status, 400);
    t.regex(await response.text(), /VALIDATION_ERROR.*too long/);
    t.true(performance.now() - started < IN_TIME_MS);
  }
  const body = JSON.stringify({ query: { must: [{ value: 'a'.repeat(1_100_000) }] } });
  const response = await t.context.admin.request('/api/search/advanced', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  t.is(response.status, 400);
  t.is((await t.context.admin.get(`/api/search?q=${'a'.repeat(2_001)}`)).status, 400);
});

const post = async (api: { admin: { request(path: string, init: RequestInit): Promise<Response> } }, body: string): Promise<number> => {
  const started = performance.now();
  const response = await api.admin.request('/api/search/advanced', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  await response.arrayBuffer();
  if (performance.now() - started > IN_TIME_MS) throw new Error(`took too long: ${body.slice(0, 200)}`);
  return response.status;
};

fullOnly(test)('any JSON as an advanced search is answered 200 or 400, in time', async (t) => {
  const clause = fc.record(
    {
      field: fc.oneof(fc.constantFrom('any', 'title', 'content', 'label', 'mime_type', 'metadata.x', 'metadata.', 'owner'), typed),
      value: fc.oneof(typed, fc.jsonValue({ maxDepth: 1 })),
      type: fc.constantFrom('match', 'contains', 'exact', 'fuzzy'),
      other: fc.jsonValue(),
    },
    { requiredKeys: ['value'] },
  );
  const clauses = fc.oneof(fc.array(clause, { maxLength: 70 }), fc.jsonValue({ maxDepth: 2 }));
  const near = fc.record(
    {
      query: fc.record({ must: clauses, should: clauses, must_not: clauses, other: fc.jsonValue() }, { requiredKeys: [] }),
      filters: fc.oneof(
        fc.jsonValue(),
        fc.record(
          { date_range: fc.record({ from: fc.string(), to: fc.constant('2024-01-01') }), mime_types: fc.array(typed) },
          { requiredKeys: [] },
        ),
      ),
      sort: fc.array(fc.record({ field: fc.constantFrom('title', 'size', 'x'), order: fc.constantFrom('asc', 'up') }), { maxLength: 5 }),
      page: fc.oneof(fc.integer(), fc.double(), fc.string()),
      fuzzy: fc.boolean(),
    },
    { requiredKeys: ['query'] },
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.jsonValue(), near), async (body) => {
      t.true([200, 400].includes(await post(t.context, JSON.stringify(body))));
    }),
    { numRuns: 200 },
  );
});

test('clauses as they should be are answered 200 whatever they say', async (t) => {
  const field = fc.oneof(fc.constantFrom('any', 'title', 'filename', 'content', 'label', 'mime_type'), fc.constant('metadata.x'));
  const value = typed.map((text) => text.slice(0, 500)).filter((text) => text !== '');
  const clauses = fc.array(fc.record({ field, value, type: fc.constantFrom('match', 'contains', 'exact') }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(fc.record({ must: clauses, should: clauses, must_not: clauses }), async (query) => {
      t.is(await post(t.context, JSON.stringify({ query })), 200);
    }),
    { numRuns: 60 },
  );
});

test('JSON that is deep, wide or broken is refused', async (t) => {
  const deep = 10_000;
  const bodies = [
    '['.repeat(deep) + ']'.repeat(deep),
    `{"query":${'{"must":['.repeat(deep)}${']}'.repeat(deep)}}`,
    `{"query":{"must":[{"value":${'['.repeat(deep)}${']'.repeat(deep)}}]}}`,
    `{"query":{},"filters":${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}}`,
    JSON.stringify({ query: { must: Array.from({ length: 65 }, () => ({ value: 'a' })) } }),
    JSON.stringify({
      query: { must: Array.from({ length: 33 }, () => ({ value: 'a' })), must_not: Array.from({ length: 33 }, () => ({ value: 'a' })) },
    }),
    JSON.stringify({ query: {}, sort: Array.from({ length: 4 }, () => ({ field: 'title' })) }),
    JSON.stringify({ query: { must: [{ value: 'a'.repeat(501) }] } }),
    JSON.stringify({ query: { must: [{ value: '' }] } }),
    JSON.stringify({ query: { must: [{ value: 'a', field: 'metadata.' }] } }),
    '{"query":{"__proto__":{"must":[]}}}',
    '{',
    '',
    'null',
  ];
  for (const body of bodies) t.is(await post(t.context, body), 400, body.slice(0, 60));
  t.is(await post(t.context, JSON.stringify({ query: { should: Array.from({ length: 64 }, () => ({ value: 'a b' })) } })), 200);
});

test('what of a query is not understood is in the warnings of each answer that searched for it', async (t) => {
  const { admin } = t.context;
  const q = 'invoice foo:bar date:soon field.Nowhere:1';
  const parts = [
    ['unknown_field', 'foo:bar'],
    ['invalid_value', 'date:soon'],
    ['unknown_custom_field', 'Nowhere'],
  ];
  const warned = (body: Record<string, unknown>) =>
    ((body['warnings'] ?? []) as { code: string; part: string; message: string }[]).map(({ code, part, message }) => {
      t.not(message, '');
      return [code, part];
    });
  for (const path of ['/api/search', '/api/v2/search']) {
    const { body } = await admin.get(`${path}?q=${encodeURIComponent(q)}`);
    t.deepEqual(warned(body), parts, JSON.stringify(body));
    t.false('warnings' in (await admin.get(`${path}?q=invoice`)).body, path);
  }
  t.deepEqual(warned((await admin.get('/api/search?q=-draft')).body), [['only_exclusions', '-draft']]);
  t.deepEqual(warned((await admin.post('/api/search/advanced', { query: { must: [{ value: '?!' }, { value: 'a' }] } })).body), [
    ['no_words', '?!'],
  ]);
  const { body: saved } = await admin.post('/api/saved-searches', { name: 'Odd', query: q });
  t.deepEqual(warned(saved), parts);
  t.deepEqual(warned((await admin.get(`/api/saved-searches/${String(saved['id'])}`)).body), parts);
});
