import { type Answer, ApiClient, givenDocument } from '@sheaf/testkit';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { conditionOf } from '../../support/error-condition.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ FEATURE_API_V2: 'true' });

const ABSENT = '019eb1f0-0000-7000-8000-000000000000';
let count = 0;
const unique = (): string => {
  count += 1;
  return `field ${count} of ${process.pid}`;
};

const codeOf = ({ status, body }: Answer): [number, unknown] => [status, conditionOf(body)];
const detailsOf = ({ body }: Answer) => (body['error'] as { details: Record<string, unknown> }).details;
const issuesOf = (answer: Answer): unknown[] =>
  (detailsOf(answer)['issues'] as { path: string; code: string }[]).map(({ path, code }) => [path, code]);
const idOf = async (client: ApiClient): Promise<string> => String((await client.get('/api/auth/me')).body['id']);

const givenField = async (client: ApiClient, fields: Record<string, unknown> = {}): Promise<{ id: string; name: string }> => {
  const { status, body } = await client.post('/api/fields', { name: unique(), type: 'text', ...fields });
  if (status !== 201) throw new Error(`making a field answered ${status} ${JSON.stringify(body)}`);
  return { id: String(body['id']), name: String(body['name']) };
};

/** A document of the administrator with these values. */
const givenFiled = async ({ admin, database }: RunningApi, fields: Record<string, unknown>): Promise<string> => {
  const { id } = await givenDocument(database.db, { ownerId: await idOf(admin) });
  const answer = await admin.send('PATCH', `/api/documents/${id}`, { fields });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return id;
};

const fieldsOf = async (client: ApiClient, id: string): Promise<unknown> => (await client.get(`/api/documents/${id}`)).body['fields'];

const changesOf = async ({ database }: RunningApi, id: string): Promise<unknown[]> =>
  (
    await database.pool.query<{ data: { changes: unknown } }>(
      "select data from events where document_id = $1 and type = 'document_updated' order by id",
      [id],
    )
  ).rows.map(({ data }) => data.changes);

test('a field is made, listed, changed and deleted, and each is in the audit log', async (t) => {
  const { admin } = t.context;
  const made = await admin.post('/api/fields', { name: '  Betrag ä ', type: 'choice', choices: ['one', 'two'] });
  t.is(made.status, 201);
  t.like(made.body, { name: 'Betrag ä', type: 'choice', document_type_id: null, document_count: 0, created_by: 'admin' });
  const path = `/api/fields/${String(made.body['id'])}`;
  t.deepEqual((await admin.get(path)).body, made.body);
  t.deepEqual(((await admin.get('/api/fields?q=BETRAG')).body['data'] as unknown[])[0], made.body);
  t.deepEqual(((await admin.get('/api/v2/fields?q=BETRAG&limit=1')).body['data'] as unknown[])[0], made.body);
  t.is((await admin.send('PUT', path, made.body)).status, 200, 'what GET gave can be put');
  t.like((await admin.send('PATCH', path, { name: 'Sum', type: 'amount' })).body, { name: 'Sum', type: 'amount' });
  t.deepEqual((await admin.get(path)).body['choices'], []);
  t.is((await admin.delete(path)).status, 204);
  t.deepEqual(codeOf(await admin.get(path)), [404, 'FIELD_NOT_FOUND']);
  const { body } = await admin.get('/api/audit?per_page=100&sort=created_at&order=asc');
  const entries = (body['data'] as { action: string; subject: { id: string } | null }[]).filter(({ action }) =>
    action.startsWith('field.'),
  );
  t.deepEqual([...new Set(entries.map(({ action }) => action))].toSorted(), ['field.created', 'field.deleted', 'field.updated']);
});

test('names are unique whatever the case, and definitions whose parts do not fit are refused', async (t) => {
  const { admin } = t.context;
  const { id, name } = await givenField(admin, { name: 'Straße “x” \'y\' "z" 𝄞' });
  const again = await admin.post('/api/fields', { name: name.toUpperCase().replace('STRASSE', 'STRAßE'), type: 'date' });
  t.is(again.status, 409);
  t.like(detailsOf(again), { reason: 'field_exists', field_id: id });
  for (const [body, issue] of [
    [{ name: '__proto__' }, ['name', 'reserved_name']],
    [{ name: 'a\0b' }, ['name', 'control_characters']],
    [{ name: '\ud800' }, ['name', 'control_characters']],
    [{ name: ' ' }, ['name', 'length_between']],
    [{ name: '𝄞'.repeat(101) }, ['name', 'length_between']],
    [{ type: 'blob' }, ['type', 'not_one_of']],
    [{ type: 'choice' }, ['choices', 'too_few']],
    [{ type: 'text', choices: ['a'] }, ['choices', 'not_for_field_type']],
    [{ type: 'choice', choices: ['a', 'A'] }, ['choices', 'choice_twice']],
    [{ type: 'choice', choices: Array.from({ length: 101 }, (_, i) => `c${i}`) }, ['choices', 'too_many']],
    [{ type: 'text', default_currency: 'EUR' }, ['default_currency', 'not_for_field_type']],
    [{ type: 'amount', default_currency: 'euro' }, ['default_currency', 'not_currency']],
    [{ document_type_id: ABSENT }, ['document_type_id', 'no_such_document_type']],
  ] as const) {
    const answer = await admin.post('/api/fields', { name: unique(), type: 'text', ...body });
    t.is(answer.status, 400, JSON.stringify(body));
    t.deepEqual(issuesOf(answer), [issue], JSON.stringify(body));
  }
  t.like((await admin.post('/api/fields', { name: '𝄞'.repeat(100), type: 'text' })).body, { name: '𝄞'.repeat(100) });
});

test('values of each type come back as they were given, in the document and in lists of both versions', async (t) => {
  const { admin, database } = t.context;
  const linked = (await givenDocument(database.db, { ownerId: await idOf(admin) })).id;
  const given: Record<string, [type: string, value: unknown, kept?: unknown]> = {
    'a text': ['text', ' O’Neill "quoted" \\ 𝄞 e\u0301 ', 'O’Neill "quoted" \\ 𝄞 é'],
    constructor: ['text', 'a name that objects have'] as [string, string],
    'a long text': ['long_text', `two\nlines ${'x'.repeat(9_990)}`],
    'a number': ['number', -123_456_789.123456],
    zero: ['number', 0],
    'an integer': ['integer', -123_456_789_012_345],
    'an amount': ['amount', { amount: '12.5', currency: 'EUR' }, { amount: '12.50', currency: 'EUR' }],
    'a written amount': ['amount', '-00012.3456 usd', { amount: '-12.3456', currency: 'USD' }],
    'a whole amount': ['amount', '1200 JPY', { amount: '1200', currency: 'JPY' }],
    'a day': ['date', '2024-02-29'],
    no: ['boolean', false],
    'an address': ['url', 'https://example.org/ä?q=1#x'],
    'a choice': ['choice', 'two words'],
    'a document': ['document', linked],
  };
  for (const [name, [type]] of Object.entries(given))
    await givenField(admin, { name, type, ...(type === 'choice' ? { choices: ['one', 'two words'] } : {}) });
  const values = Object.fromEntries(Object.entries(given).map(([name, [, value]]) => [name, value]));
  const kept = Object.fromEntries(Object.entries(given).map(([name, [, value, stored = value]]) => [name, stored]));
  const id = await givenFiled(t.context, values);
  t.deepEqual(await fieldsOf(admin, id), kept);
  for (const path of ['/api/documents?per_page=100', '/api/v2/documents?limit=100']) {
    const rows = (await admin.get(path)).body['data'] as { id: string; fields: unknown }[];
    t.deepEqual(rows.find((row) => row.id === id)?.fields, kept);
    t.deepEqual(rows.find((row) => row.id === linked)?.fields, {});
  }
  const { body } = await admin.get(`/api/documents/${id}`);
  t.is((await admin.send('PUT', `/api/documents/${id}`, body)).status, 200);
  t.deepEqual(await changesOf(t.context, id), [{ fields: { ...kept, 'a document': true } }], 'and what was given again is no change');
});

test('a field of amounts has a default currency, which goes with another type', async (t) => {
  const { admin } = t.context;
  const { id } = await givenField(admin, { type: 'amount', default_currency: 'CHF' });
  const patch = (body: object) => admin.send('PATCH', `/api/fields/${id}`, body);
  t.like((await admin.get(`/api/fields/${id}`)).body, { default_currency: 'CHF' });
  t.like((await patch({ name: unique() })).body, { default_currency: 'CHF' });
  t.like((await patch({ default_currency: 'USD' })).body, { default_currency: 'USD' });
  t.is((await admin.send('PUT', `/api/fields/${id}`, (await admin.get(`/api/fields/${id}`)).body)).status, 200);
  t.like((await patch({ type: 'integer' })).body, { type: 'integer', default_currency: null });
});

test('values are merged by name, null takes one away, and each change is an event', async (t) => {
  const { admin } = t.context;
  const [a, b] = [await givenField(admin), await givenField(admin, { type: 'number' })];
  const id = await givenFiled(t.context, { [a.name]: 'x', [b.name]: 1 });
  const patch = (fields: Record<string, unknown>) => admin.send('PATCH', `/api/documents/${id}`, { fields });
  t.deepEqual((await patch({ [b.name.toUpperCase()]: 2 })).body['fields'], { [a.name]: 'x', [b.name]: 2 });
  t.deepEqual((await patch({ [a.name]: null })).body['fields'], { [b.name]: 2 });
  t.is((await patch({ [a.name]: null, [b.name]: 2.0 })).status, 200);
  t.deepEqual(await changesOf(t.context, id), [
    { fields: { [a.name]: 'x', [b.name]: 1 } },
    { fields: { [b.name]: 2 } },
    { fields: { [a.name]: null } },
  ]);
});

test('what is no field, or does not fit it, is refused with its name, and nothing changes', async (t) => {
  const { admin } = t.context;
  const types = ['text', 'long_text', 'number', 'integer', 'amount', 'date', 'boolean', 'url', 'document'] as const;
  for (const type of types) await givenField(admin, { name: `bad ${type}`, type });
  await givenField(admin, { name: 'bad choice', type: 'choice', choices: ['a'] });
  const id = await givenFiled(t.context, { 'bad text': 'before' });
  for (const [name, value, code] of [
    ['no such field', 1, 'unknown_field'],
    ['no\0field', 1, 'unknown_field'],
    ["'; drop table documents; --", 1, 'unknown_field'],
    ['bad text', 1, 'wrong_type'],
    ['bad text', ' ', 'required'],
    ['bad text', 'a\0b', 'nul'],
    ['bad text', 'x'.repeat(501), 'too_long'],
    ['bad text', ['x'], 'wrong_type'],
    ['bad long_text', 'x'.repeat(10_001), 'too_long'],
    ['bad number', '1', 'wrong_type'],
    ['bad number', 1e15, 'too_many_digits'],
    ['bad number', 0.1234567, 'too_many_digits'],
    ['bad number', 0.1 + 0.2, 'too_many_digits'],
    ['bad integer', 1.5, 'wrong_type'],
    ['bad integer', '1', 'wrong_type'],
    ['bad integer', 1e15, 'too_many_digits'],
    ['bad amount', 12.5, 'not_amount'],
    ['bad amount', '12,50 EUR', 'not_amount'],
    ['bad amount', '12.50', 'not_amount'],
    ['bad amount', { amount: '12.50', currency: 'EURO' }, 'not_amount'],
    ['bad amount', { amount: '0.00001', currency: 'EUR' }, 'too_many_digits'],
    ['bad amount', { amount: '1e3', currency: 'EUR' }, 'not_amount'],
    ['bad date', '2023-02-29', 'not_date'],
    ['bad date', '0999-01-01', 'not_date'],
    ['bad date', '2024-01-01T00:00:00Z', 'not_date'],
    ['bad boolean', 'true', 'wrong_type'],
    ['bad url', 'javascript:alert(1)', 'not_address'],
    ['bad url', 'https://', 'not_address'],
    ['bad url', 'https://a b', 'not_address'],
    ['bad url', `https://example.org/${'x'.repeat(2_000)}`, 'too_long'],
    ['bad choice', 'b', 'not_one_of'],
    ['bad document', 'x', 'not_id'],
    ['bad document', ABSENT, 'no_such_document'],
  ] as const) {
    const answer = await admin.send('PATCH', `/api/documents/${id}`, { title: 'never', fields: { [name]: value } });
    t.is(answer.status, 400, name);
    t.deepEqual(issuesOf(answer), [[`fields.${name}`, code]], `${name} ${JSON.stringify(value).slice(0, 40)}`);
  }
  const hostile = await admin.request(`/api/documents/${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: '{"fields": {"__proto__": {"amount": "1", "currency": "EUR"}}}',
  });
  t.is(hostile.status, 400);
  const twice = await admin.send('PATCH', `/api/documents/${id}`, { fields: { 'bad text': 'a', 'BAD TEXT': 'b' } });
  t.deepEqual(issuesOf(twice), [['fields.BAD TEXT', 'field_twice']]);
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`f${i}`, 1]));
  t.deepEqual(issuesOf(await admin.send('PATCH', `/api/documents/${id}`, { fields: many })), [['fields', 'too_many']]);
  t.deepEqual(await fieldsOf(admin, id), { 'bad text': 'before' });
  t.is((await changesOf(t.context, id)).length, 1);
});

test('a document has at most 50 values', async (t) => {
  const { admin } = t.context;
  const names: string[] = [];
  for (let i = 0; i < 51; i += 1) names.push((await givenField(admin, { type: 'boolean' })).name);
  const id = await givenFiled(t.context, Object.fromEntries(names.slice(0, 50).map((name) => [name, true])));
  const last = String(names.at(-1));
  const refused = await admin.send('PATCH', `/api/documents/${id}`, { fields: { [last]: true } });
  t.is(refused.status, 400);
  t.like(detailsOf(refused), { reason: 'too_many_document_fields' });
  t.is((await admin.send('PATCH', `/api/documents/${id}`, { fields: { [last]: true, [String(names[0])]: null } })).status, 200);
});

test('links to documents that the caller may not read are neither shown nor set, and counts are of what may be read', async (t) => {
  const { admin, database } = t.context;
  const owner = await admin.register('field-owner', 'editor');
  const ownerId = await idOf(owner);
  const { id: field, name } = await givenField(admin, { type: 'document' });
  const { id: secret } = await givenDocument(database.db, { ownerId: await idOf(admin) });
  const [{ id: own }, { id: second }] = [await givenDocument(database.db, { ownerId }), await givenDocument(database.db, { ownerId })];
  await admin.send('PATCH', `/api/documents/${own}`, { fields: { [name]: secret } });
  await givenFiled(t.context, { [name]: secret });

  await using api = await startApiWithPermissions(database, { 'field-owner': ['documents.read.own', 'documents.update.own'] });
  const limited = await new ApiClient(api.url).login('field-owner');
  t.deepEqual(await fieldsOf(limited, own), {});
  t.is((await limited.get(`/api/fields/${field}`)).body['document_count'], 1);
  t.is((await admin.get(`/api/fields/${field}`)).body['document_count'], 2);
  const filter = (id: string) => `/api/documents?fields=${encodeURIComponent(JSON.stringify({ [name]: { eq: id } }))}`;
  t.deepEqual((await limited.get(filter(secret))).body['data'], []);
  t.is(((await admin.get(filter(secret))).body['data'] as unknown[]).length, 2);
  for (const id of [secret, ABSENT])
    t.deepEqual(issuesOf(await limited.send('PATCH', `/api/documents/${second}`, { fields: { [name]: id } })), [
      [`fields.${name}`, 'no_such_document'],
    ]);
  t.is((await limited.send('PATCH', `/api/documents/${own}`, { fields: { [name]: second } })).status, 200);
  t.deepEqual(await fieldsOf(limited, own), { [name]: second });
  t.false(JSON.stringify(await changesOf(t.context, own)).includes(secret));
  t.is((await admin.delete(`/api/documents/${second}`)).status, 204);
  t.deepEqual(await fieldsOf(admin, own), {}, 'a link goes with what it leads to');
});

test('only who may change the settings of the instance defines fields', async (t) => {
  const { admin } = t.context;
  const { id } = await givenField(admin);
  const editor = await admin.register('field-editor', 'editor');
  t.is((await editor.get('/api/fields')).status, 200);
  t.is((await editor.post('/api/fields', { name: unique(), type: 'text' })).status, 403);
  t.is((await editor.send('PATCH', `/api/fields/${id}`, { name: unique() })).status, 403);
  t.is((await editor.delete(`/api/fields/${id}`)).status, 403);
  t.is((await editor.post(`/api/fields/${id}/merge`, { into: id })).status, 403);
});
