import { randomUUID } from 'node:crypto';
import type { ApiClient } from '@sheaf/testkit';
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ FEATURE_API_V2: 'true' });

const upload = async (admin: ApiClient, name: string, bird = 'kestrel'): Promise<string> => {
  const { status, body } = await admin.upload({ name: `${name}.txt`, bytes: new TextEncoder().encode(`A ${bird}, number ${name}`) });
  if (status !== 201) throw new Error(JSON.stringify(body));
  await admin.send('PUT', `/api/documents/${String(body['id'])}`, { title: `${bird} ${name}` });
  return String(body['id']);
};

const titlesOf = (hits: unknown): string => (hits as { title: string }[]).map(({ title }) => title.slice('kestrel '.length)).join('');

test('search knows correspondents, types, dates and archive numbers, in both versions', async (t) => {
  const { admin, database } = t.context;
  const [a, b] = [await upload(admin, 'a'), await upload(admin, 'b')];
  await upload(admin, 'c');
  const [acme, invoice] = [randomUUID(), randomUUID()];
  await database.pool.query(`insert into correspondents (id, name, aliases) values ($1, 'ACME Ltd', '{Brightwater}')`, [acme]);
  await database.pool.query(`insert into document_types (id, name) values ($1, 'Invoice')`, [invoice]);
  await admin.send('PATCH', `/api/documents/${a}`, { document_date: '2024-03-05', archive_number: 4_711 });
  await admin.send('PATCH', `/api/documents/${b}`, { document_date: '2023-12-31' });
  await database.pool.query('update documents set correspondent_id = $1, document_type_id = $2 where id = $3', [acme, invoice, a]);

  t.is((await admin.post('/api/fields', { name: 'Price', type: 'number' })).status, 201);
  await admin.send('PATCH', `/api/documents/${b}`, { fields: { Price: 10 } });

  const ask = async (query: Record<string, string>): Promise<[string, string]> => {
    const old = await admin.get(`/api/search?${new URLSearchParams(query)}`);
    const cut = await admin.get(`/api/v2/search?${new URLSearchParams(query)}`);
    t.deepEqual([old.status, cut.status], [200, 200], JSON.stringify([query, old.body, cut.body]));
    t.deepEqual(cut.body['facets'], old.body['facets']);
    return [titlesOf(old.body['results']), titlesOf(cut.body['data'])];
  };
  for (const [q, expected] of [
    ['from:brightwater', 'a'],
    ['kestrel from:none date:2023', 'b'],
    ['type:invoice asn:4711', 'a'],
    ['kestrel date:none', 'c'],
  ] as const)
    t.deepEqual(await ask({ q }), [expected, expected], q);
  for (const [filters, expected] of [
    [{ document_date_from: '2023-12-31', document_date_to: '2024-01-01' }, 'b'],
    [{ correspondent_ids: [acme], document_type_ids: [invoice] }, 'a'],
    [{ archive_number: 4_711 }, 'a'],
    [{ fields: { price: { gt: 9 } } }, 'b'],
  ] as const)
    t.deepEqual(await ask({ q: 'kestrel', filters: JSON.stringify(filters) }), [expected, expected], JSON.stringify(filters));
  t.deepEqual(await ask({ q: 'kestrel', sort: 'document_date', order: 'desc' }), ['abc', 'abc']);

  t.deepEqual(await ask({ q: 'field.price:<=10' }), ['b', 'b']);
  const unknown = await admin.get(`/api/search?q=kestrel&filters=${encodeURIComponent('{"fields":{"Colour":{"eq":"red"}}}')}`);
  t.is(unknown.status, 400);
  t.like(unknown.body['error'], { details: { issues: [{ path: 'filters.fields.Colour', code: 'unknown_field' }] } });

  const { body } = await admin.get('/api/search?q=kestrel&sort=document_date');
  t.like(body['facets'], {
    document_years: { 2024: 1, 2023: 1 },
    correspondents: [{ id: acme, name: 'ACME Ltd', count: 1 }],
    document_types: [{ id: invoice, name: 'Invoice', count: 1 }],
  });
  t.like((body['results'] as unknown[])[0], {
    document_date: '2024-03-05',
    correspondent: { id: acme, name: 'ACME Ltd' },
    document_type: { id: invoice },
  });

  const question = {
    query: { must: [{ field: 'correspondent', value: 'acme', type: 'match' }] },
    filters: { document_date_from: '2024-01-01' },
    sort: [{ field: 'correspondent', order: 'asc' }],
  };
  t.is(titlesOf((await admin.post('/api/search/advanced', question)).body['results']), 'a');
  t.is(titlesOf((await admin.post('/api/v2/search/advanced', question)).body['data']), 'a');
});

test('filters by facts are refused where they make no sense', async (t) => {
  const { admin } = t.context;
  for (const filters of [
    { document_date_from: '2024-02-30' },
    { document_date_to: 'yesterday' },
    { correspondent_ids: ['acme'] },
    { document_type_ids: Array.from({ length: 101 }, () => randomUUID()) },
    { archive_number: 0 },
    { has_correspondent: 'no' },
  ])
    t.is(
      (await admin.get(`/api/search?${new URLSearchParams({ q: 'a', filters: JSON.stringify(filters) })}`)).status,
      400,
      JSON.stringify(filters),
    );
});

test('a note is found from when it is added until it is deleted', async (t) => {
  const { admin } = t.context;
  const id = await upload(admin, 'noted', 'falcon');
  const find = async (q: string) =>
    (await admin.get(`/api/search?q=${encodeURIComponent(q)}`)).body['results'] as Record<string, unknown>[];
  t.is((await find('osprey')).length, 0);
  const note = await admin.post(`/api/documents/${id}/notes`, { text: 'Rather an osprey' });
  const [hit] = await find('osprey');
  t.like(hit, { document_id: id, highlights: [{ field: 'note', snippet: 'Rather an <mark>osprey</mark>' }] });
  t.is((await find('note:osprey')).length, 1);
  t.is((await admin.delete(`/api/documents/${id}/notes/${String(note.body['id'])}`)).status, 204);
  t.is((await find('osprey')).length, 0);
});
