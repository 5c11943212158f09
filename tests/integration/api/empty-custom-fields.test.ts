// Custom fields that documents have without a value.
import { savePages } from '@sheaf/documents/pages';
import { indexDocument } from '@sheaf/search';
import { type ApiClient, givenDocument } from '@sheaf/testkit';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ FEATURE_API_V2: 'true' });

let count = 0;
const givenField = async (client: ApiClient, fields: Record<string, unknown> = {}): Promise<{ id: string; name: string }> => {
  count += 1;
  const { status, body } = await client.post('/api/fields', { name: `empty ${count}`, type: 'text', ...fields });
  if (status !== 201) throw new Error(`making a field answered ${status} ${JSON.stringify(body)}`);
  return { id: String(body['id']), name: String(body['name']) };
};

const givenFiled = async ({ admin, database }: RunningApi, update: Record<string, unknown>): Promise<string> => {
  const { id } = await givenDocument(database.db, { ownerId: String((await admin.get('/api/auth/me')).body['id']) });
  const answer = await admin.send('PATCH', `/api/documents/${id}`, update);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return id;
};

const stateOf = async (client: ApiClient, id: string): Promise<unknown> => {
  const { body } = await client.get(`/api/documents/${id}`);
  return [body['fields'], body['empty_fields']];
};

const changesOf = async ({ database }: RunningApi, id: string): Promise<unknown[]> =>
  (
    await database.pool.query<{ data: { changes: unknown } }>(
      "select data from events where document_id = $1 and type = 'document_updated' order by id",
      [id],
    )
  ).rows.map(({ data }) => data.changes);

const TYPES = ['text', 'long_text', 'number', 'integer', 'amount', 'date', 'boolean', 'url', 'choice', 'document'] as const;

test('a document has a field of each type without a value, in lists of both versions too, and a value fills it', async (t) => {
  const { admin } = t.context;
  const names: string[] = [];
  for (const type of TYPES) names.push((await givenField(admin, { type, ...(type === 'choice' ? { choices: ['a'] } : {}) })).name);
  const id = await givenFiled(t.context, { empty_fields: names });
  const sorted = names.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  t.deepEqual(await stateOf(admin, id), [{}, sorted]);
  for (const path of ['/api/documents?per_page=100', '/api/v2/documents?limit=100']) {
    const rows = (await admin.get(path)).body['data'] as Record<string, unknown>[];
    t.like(
      rows.find((row) => row['id'] === id),
      { fields: {}, empty_fields: sorted },
    );
  }
  const { body } = await admin.get(`/api/documents/${id}`);
  t.is((await admin.send('PUT', `/api/documents/${id}`, body)).status, 200, 'what GET gave is put back');
  const [text = '', , number = ''] = names;
  t.is((await admin.send('PUT', `/api/documents/${id}`, { ...body, fields: { [number]: 0, [text]: 'x' } })).status, 200);
  const rest = sorted.filter((name) => name !== number && name !== text);
  t.deepEqual(await stateOf(admin, id), [{ [text]: 'x', [number]: 0 }, rest]);
  t.deepEqual(await changesOf(t.context, id), [
    { fields: Object.fromEntries(names.map((name) => [name, null])), empty_fields: sorted },
    { fields: { [text]: 'x', [number]: 0 } },
  ]);
});

test('null takes a field away with its value, and leaves it empty where it is named as such', async (t) => {
  const { admin } = t.context;
  const [a, b] = [await givenField(admin), await givenField(admin, { type: 'number' })];
  const id = await givenFiled(t.context, { fields: { [a.name]: 'x', [b.name]: 1 } });
  const patch = (body: Record<string, unknown>) => admin.send('PATCH', `/api/documents/${id}`, body);
  await patch({ empty_fields: [a.name.toUpperCase()] });
  t.deepEqual(await stateOf(admin, id), [{ [a.name]: 'x', [b.name]: 1 }, []], 'a value stays');
  await patch({ fields: { [a.name]: null, [b.name]: null }, empty_fields: [a.name] });
  t.deepEqual(await stateOf(admin, id), [{}, [a.name]]);
  await patch({ fields: { [a.name]: null } });
  t.deepEqual(await stateOf(admin, id), [{}, []]);
  t.deepEqual((await changesOf(t.context, id)).slice(1), [
    { fields: { [a.name]: null, [b.name]: null }, empty_fields: [a.name] },
    { fields: { [a.name]: null } },
  ]);
  const confirmed = await t.context.database.pool.query('select confirmed_fields from documents where id = $1', [id]);
  t.is((confirmed.rows[0] as { confirmed_fields: string[] }).confirmed_fields.length, 2);
  const wrong = await patch({ empty_fields: ['no such field', a.name, a.name] });
  t.is(wrong.status, 400);
  t.deepEqual(
    (wrong.body['error'] as { details: { issues: { path: string; code: string }[] } }).details.issues.map(({ path, code }) => [path, code]),
    [
      ['empty_fields.no such field', 'unknown_field'],
      [`empty_fields.${a.name}`, 'field_twice'],
    ],
  );
});

test('a field without a value counts where fields are counted, and keeps no type', async (t) => {
  const { admin } = t.context;
  const { id, name } = await givenField(admin, { type: 'choice', choices: ['open', 'paid'] });
  const [open] = [await givenFiled(t.context, { fields: { [name]: 'open' } }), await givenFiled(t.context, { empty_fields: [name] })];
  t.like((await admin.get(`/api/fields/${id}`)).body, { document_count: 2, empty_count: 1 });
  t.like((await admin.get('/api/fields?sort=empty_count&order=desc')).body['data'], [{ id }]);
  t.is((await admin.send('PATCH', `/api/fields/${id}`, { choices: ['paid'], confirm: 1 })).status, 200);
  t.deepEqual(await stateOf(admin, open), [{}, [name]], 'the field remains where its choice went');
  t.deepEqual((await changesOf(t.context, open)).at(-1), { fields: { [name]: null }, empty_fields: [name] });
  t.is((await admin.send('PATCH', `/api/fields/${id}`, { type: 'amount', name: 'Renamed' })).status, 200);
  t.deepEqual((await changesOf(t.context, open)).at(-1), { fields: { [name]: null, Renamed: null }, empty_fields: ['Renamed'] });
  t.is((await admin.delete(`/api/fields/${id}?confirm=1`)).status, 409);
  t.is((await admin.delete(`/api/fields/${id}?confirm=2`)).status, 204);
  t.deepEqual((await changesOf(t.context, open)).at(-1), { fields: { Renamed: null } });
});

test('merging fills what is empty', async (t) => {
  const { admin } = t.context;
  const [gone, into] = [await givenField(admin, { type: 'number' }), await givenField(admin, { type: 'number' })];
  const filled = await givenFiled(t.context, { fields: { [gone.name]: 7 }, empty_fields: [into.name] });
  const kept = await givenFiled(t.context, { fields: { [into.name]: 8 }, empty_fields: [gone.name] });
  const empty = await givenFiled(t.context, { empty_fields: [gone.name] });
  t.like((await admin.post(`/api/fields/${gone.id}/merge`, { into: into.id })).body, { document_count: 3, empty_count: 1 });
  t.deepEqual(await stateOf(admin, filled), [{ [into.name]: 7 }, []]);
  t.deepEqual(await stateOf(admin, kept), [{ [into.name]: 8 }, []]);
  t.deepEqual(await stateOf(admin, empty), [{}, [into.name]]);
  t.deepEqual((await changesOf(t.context, empty)).at(-1), {
    fields: { [gone.name]: null, [into.name]: null },
    empty_fields: [into.name],
  });
});

test('a field without a value is on a document that comes back from the trash', async (t) => {
  const { admin } = t.context;
  const { name } = await givenField(admin, { type: 'amount' });
  const id = await givenFiled(t.context, { empty_fields: [name] });
  t.is((await admin.delete(`/api/documents/${id}`)).status, 204);
  t.is((await admin.post(`/api/trash/${id}/restore`, {})).status, 200);
  t.deepEqual(await stateOf(admin, id), [{}, [name]]);
});

test('what has no value passes no comparison, and is searched as missing', async (t) => {
  const { admin } = t.context;
  const names: Record<string, string> = {};
  for (const type of TYPES)
    names[type] = (await givenField(admin, { name: `find-${type}`, type, ...(type === 'choice' ? { choices: ['a'] } : {}) })).name;
  const id = await givenFiled(t.context, { empty_fields: Object.values(names) });
  const { db } = t.context.database;
  await savePages(db, id, [{ page: 1, content: 'a letter', confidence: 1, origin: 'text' }]);
  await db.transaction((tx) => indexDocument(tx, id));
  for (const fields of [
    { 'find-number': { lte: 0 } },
    { 'find-integer': { eq: 0 } },
    { 'find-amount': { gte: -1 } },
    { 'find-date': { lt: '2100-01-01' } },
    { 'find-boolean': { eq: false } },
    { 'find-text': { contains: 'a' } },
    { 'find-document': { eq: id } },
  ])
    t.deepEqual(
      (await admin.get(`/api/documents?fields=${encodeURIComponent(JSON.stringify(fields))}`)).body['data'],
      [],
      JSON.stringify(fields),
    );
  const found = async (q: string): Promise<string[]> =>
    ((await admin.get(`/api/search?q=${encodeURIComponent(q)}`)).body['results'] as { document_id: string }[]).map(
      (one) => one.document_id,
    );
  for (const type of TYPES.filter((one) => one !== 'document')) {
    t.false((await found(`field.find-${type}:*`)).includes(id), type);
    t.true((await found(`field.find-${type}:none`)).includes(id), type);
    t.false((await found(`field.find-${type}:0`)).includes(id), type);
  }
});
