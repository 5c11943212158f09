import { type Answer, type ApiClient, givenDocument } from '@sheaf/testkit';
import { conditionOf } from '../../support/error-condition.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ FEATURE_API_V2: 'true' });

let count = 0;
const unique = (): string => {
  count += 1;
  return `field ${count} of ${process.pid}`;
};

const codeOf = ({ status, body }: Answer): [number, unknown] => [status, conditionOf(body)];
const detailsOf = ({ body }: Answer) => (body['error'] as { details: Record<string, unknown> }).details;
const issuesOf = (answer: Answer): unknown[] =>
  (detailsOf(answer)['issues'] as { path: string; code: string }[]).map(({ path, code }) => [path, code]);

const givenField = async (client: ApiClient, fields: Record<string, unknown> = {}): Promise<{ id: string; name: string }> => {
  const { status, body } = await client.post('/api/fields', { name: unique(), type: 'text', ...fields });
  if (status !== 201) throw new Error(`making a field answered ${status} ${JSON.stringify(body)}`);
  return { id: String(body['id']), name: String(body['name']) };
};

const givenFiled = async ({ admin, database }: RunningApi, fields: Record<string, unknown>): Promise<string> => {
  const { id } = await givenDocument(database.db, { ownerId: String((await admin.get('/api/auth/me')).body['id']) });
  const answer = await admin.send('PATCH', `/api/documents/${id}`, { fields });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return id;
};

const fieldsOf = async (client: ApiClient, id: string): Promise<unknown> => (await client.get(`/api/documents/${id}`)).body['fields'];

const lastChange = async ({ database }: RunningApi, id: string): Promise<unknown> =>
  (
    await database.pool.query<{ data: { changes: unknown } }>(
      "select data from events where document_id = $1 and type = 'document_updated' order by id desc limit 1",
      [id],
    )
  ).rows[0]?.data.changes;

test('a field with values is deleted with the number of these alone, and its documents tell', async (t) => {
  const { admin } = t.context;
  const { id, name } = await givenField(admin);
  const documents = [await givenFiled(t.context, { [name]: 'a' }), await givenFiled(t.context, { [name]: 'b' })];
  for (const confirm of ['', '?confirm=1', '?confirm=3']) {
    const refused = await admin.delete(`/api/fields/${id}${confirm}`);
    t.deepEqual([codeOf(refused), detailsOf(refused)['document_count']], [[409, 'FIELD_IN_USE'], 2], confirm);
  }
  t.is((await admin.delete(`/api/fields/${id}?confirm=x`)).status, 400);
  t.is((await admin.delete(`/api/fields/${id}?confirm=2`)).status, 204);
  for (const document of documents) {
    t.deepEqual(await fieldsOf(admin, document), {});
    t.deepEqual(await lastChange(t.context, document), { fields: { [name]: null } });
  }
});

test('the type stays while documents have values, and a new name is an event of each of them', async (t) => {
  const { admin } = t.context;
  const { id, name } = await givenField(admin);
  const document = await givenFiled(t.context, { [name]: 'a' });
  const refused = await admin.send('PATCH', `/api/fields/${id}`, { type: 'date' });
  t.deepEqual([codeOf(refused), detailsOf(refused)['document_count']], [[409, 'FIELD_HAS_VALUES'], 1]);
  const renamed = unique();
  t.is((await admin.send('PATCH', `/api/fields/${id}`, { name: renamed })).status, 200);
  t.deepEqual(await fieldsOf(admin, document), { [renamed]: 'a' });
  t.deepEqual(await lastChange(t.context, document), { fields: { [name]: null, [renamed]: 'a' } });
  await admin.send('PATCH', `/api/documents/${document}`, { fields: { [renamed]: null } });
  t.is((await admin.send('PATCH', `/api/fields/${id}`, { type: 'date' })).status, 200);
});

test('a choice that documents have is removed with their number alone, and keeps its values where its letters change', async (t) => {
  const { admin } = t.context;
  const { id, name } = await givenField(admin, { type: 'choice', choices: ['open', 'paid', 'lost'] });
  const [open, paid] = [await givenFiled(t.context, { [name]: 'open' }), await givenFiled(t.context, { [name]: 'paid' })];
  const choose = (choices: readonly string[], confirm?: number) =>
    admin.send('PATCH', `/api/fields/${id}`, { choices, ...(confirm === undefined ? {} : { confirm }) });
  t.is((await choose(['paid', 'open'])).status, 200, 'what nobody chose may go');
  const refused = await choose(['Paid']);
  t.deepEqual(
    [codeOf(refused), detailsOf(refused)['document_count'], detailsOf(refused)['choices']],
    [[409, 'FIELD_CHOICE_IN_USE'], 1, ['open']],
  );
  t.deepEqual(await fieldsOf(admin, paid), { [name]: 'paid' });
  t.deepEqual((await choose(['Paid'], 1)).body['choices'], ['Paid']);
  t.deepEqual([await fieldsOf(admin, open), await fieldsOf(admin, paid)], [{}, { [name]: 'Paid' }]);
  t.deepEqual(await lastChange(t.context, open), { fields: { [name]: null }, empty_fields: [name] });
  t.deepEqual(await lastChange(t.context, paid), { fields: { [name]: 'Paid' } });
});

test('fields of one type are merged, and the values of the one that remains win', async (t) => {
  const { admin } = t.context;
  const gone = await givenField(admin, { type: 'choice', choices: ['PAID', 'late'] });
  const into = await givenField(admin, { type: 'choice', choices: ['paid', 'open'] });
  const other = await givenField(admin, { type: 'text' });
  const [both, one] = [
    await givenFiled(t.context, { [gone.name]: 'late', [into.name]: 'open' }),
    await givenFiled(t.context, { [gone.name]: 'PAID' }),
  ];
  const merge = (target: string) => admin.post(`/api/fields/${gone.id}/merge`, { into: target });
  t.deepEqual(codeOf(await merge(other.id)), [409, 'FIELD_TYPES_DIFFER']);
  t.deepEqual(issuesOf(await merge(gone.id)), [['into', 'same_field']]);
  t.deepEqual(codeOf(await merge('019eb1f0-0000-7000-8000-000000000000')), [404, 'FIELD_NOT_FOUND']);
  const merged = await merge(into.id);
  t.like(merged.body, { id: into.id, document_count: 2 });
  t.deepEqual(merged.body['choices'], ['paid', 'open', 'late']);
  t.deepEqual([await fieldsOf(admin, both), await fieldsOf(admin, one)], [{ [into.name]: 'open' }, { [into.name]: 'paid' }]);
  t.deepEqual(await lastChange(t.context, one), { fields: { [gone.name]: null, [into.name]: 'paid' } });
  t.is((await admin.get(`/api/fields/${gone.id}`)).status, 404);
});

test('lists and actions on many are filtered by values, each type as it compares', async (t) => {
  const { admin } = t.context;
  for (const type of ['text', 'number', 'amount', 'date', 'boolean', 'url'] as const) await givenField(admin, { name: `by ${type}`, type });
  const first = await givenFiled(t.context, {
    'by text': 'Straße 50% _x_',
    'by number': 9,
    'by amount': '100 EUR',
    'by date': '2024-01-31',
    'by boolean': true,
    'by url': 'https://example.org/One',
  });
  const second = await givenFiled(t.context, {
    'by text': 'other',
    'by number': 10.5,
    'by amount': '100.01 USD',
    'by date': '2024-02-01',
    'by boolean': false,
  });
  const list = async (fields: unknown, path = '/api/documents'): Promise<string[]> => {
    const { status, body } = await admin.get(`${path}?sort=created_at&order=asc&fields=${encodeURIComponent(JSON.stringify(fields))}`);
    if (status !== 200) throw new Error(JSON.stringify(body));
    return (body['data'] as { id: string }[]).map(({ id }) => id);
  };
  for (const [fields, expected] of [
    [{ 'by text': { eq: 'straße 50% _X_' } }, [first]],
    [{ 'BY TEXT': { contains: '50% _x' } }, [first]],
    [{ 'by text': { contains: 't' } }, [first, second]],
    [{ 'by number': { gt: 9 } }, [second]],
    [{ 'by number': { gte: 9, lt: '10.5' } }, [first]],
    [{ 'by number': { eq: 10.5 } }, [second]],
    [{ 'by amount': { gt: 99.5 } }, [first, second]],
    [{ 'by amount': { gt: '99.5 EUR' } }, [first]],
    [{ 'by amount': { lte: { amount: '100.01', currency: 'USD' } } }, [second]],
    [{ 'by date': { gt: '2024-01-31' } }, [second]],
    [{ 'by date': { lte: '2024-01-31' }, 'by number': { gt: 9 } }, []],
    [{ 'by boolean': { eq: false } }, [second]],
    [{ 'by url': { contains: 'ORG/one' } }, [first]],
  ] as const) {
    t.deepEqual(await list(fields), expected, JSON.stringify(fields));
    t.deepEqual(await list(fields, '/api/v2/documents'), expected, JSON.stringify(fields));
  }
  const filter = { fields: { 'by number': { gt: 9 } } };
  t.like((await admin.post('/api/documents/bulk', { action: 'delete', filter, confirm: 1 })).body, { done: 1 });
  t.deepEqual(await list({ 'by number': { gte: 0 } }), [first]);
  t.is((await admin.get('/api/documents?fields=%7B%7D')).status, 200);
  t.like((await admin.get(`/api/documents?fields=${encodeURIComponent('{"by number":{"gt":0}}')}`)).body['pagination'], { total: 1 });
});

test('filters that cannot be compared are refused with their place', async (t) => {
  const { admin } = t.context;
  await givenField(admin, { name: 'odd text', type: 'text' });
  await givenField(admin, { name: 'odd number', type: 'number' });
  await givenField(admin, { name: 'odd document', type: 'document' });
  const ask = (fields: string) => admin.get(`/api/documents?fields=${encodeURIComponent(fields)}`);
  for (const [fields, issue] of [
    ['{', ['fields', 'not_json']],
    ['[]', ['fields', 'wrong_type']],
    ['{"none": {"eq": 1}}', ['fields.none', 'unknown_field']],
    ['{"a\\u0000b": {"eq": 1}}', ['fields.a\0b', 'unknown_field']],
    ['{"odd number": {}}', ['fields.odd number', 'too_few']],
    ['{"odd number": {"like": 1}}', ['fields.odd number', 'unknown_keys']],
    ['{"odd number": {"gt": "x"}}', ['fields.odd number.gt', 'wrong_type']],
    ['{"odd number": {"contains": "1"}}', ['fields.odd number.contains', 'not_for_field_type']],
    ['{"odd text": {"gt": "a"}}', ['fields.odd text.gt', 'not_for_field_type']],
    ['{"odd text": {"eq": 1}}', ['fields.odd text.eq', 'wrong_type']],
    ['{"odd document": {"eq": "x"}}', ['fields.odd document.eq', 'not_id']],
    [JSON.stringify(Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`f${i}`, { eq: 1 }]))), ['fields', 'too_many']],
    ['{"__proto__": {"eq": 1}}', ['fields.__proto__', 'unknown_field']],
  ] as const) {
    const answer = await ask(fields);
    t.is(answer.status, 400, fields);
    t.deepEqual(issuesOf(answer)[0], issue, fields);
  }
  const bulk = await admin.post('/api/documents/bulk', { action: 'delete', filter: { fields: { none: { eq: 1 } } }, confirm: 0 });
  t.deepEqual(issuesOf(bulk), [['filter.fields.none', 'unknown_field']]);
});
