import { savePages } from '@sheaf/documents/pages';
import { indexDocument } from '@sheaf/search';
import { type Answer, type ApiClient, givenDocument } from '@sheaf/testkit';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

const detailsOf = ({ body }: Answer) => (body['error'] as { details: Record<string, unknown> }).details;
const idOf = async (client: ApiClient): Promise<string> => String((await client.get('/api/auth/me')).body['id']);
const fieldOf = async ({ admin }: RunningApi, name: string, type: string, more = {}): Promise<string> =>
  String((await admin.post('/api/fields', { name, type, ...more })).body['id']);
const givenText = async ({ admin, database: { db } }: RunningApi, content: string): Promise<string> => {
  const { id } = await givenDocument(db, { ownerId: await idOf(admin), status: 'completed' });
  await savePages(db, id, [{ page: 1, content, confidence: 1, origin: 'text' }]);
  await indexDocument(db, id);
  return id;
};

test('a rule sets owner and custom field, says so with the document, and is undone', async (t) => {
  const { admin } = t.context;
  const ann = await admin.register('rules-owner-ann', 'viewer');
  const annId = await idOf(ann);
  const price = await fieldOf(t.context, 'Rule price', 'amount');
  const id = await givenText(t.context, 'narwhal');
  const actions = [
    { set: 'owner', id: annId },
    { set: 'field', id: price, value: '12.5 EUR' },
  ];
  const created = await admin.post('/api/rules', { name: 'Narwhal', query: 'narwhal', actions });
  t.deepEqual([created.status, created.body['actions']], [201, actions]);
  const path = `/api/rules/${String(created.body['id'])}`;
  t.like((await admin.post(`${path}/dry-run`, {})).body, { matched: 1, would_change: 1 });
  t.deepEqual((await admin.post(`${path}/apply`, {})).body, { matched: 1, changed: 1, remaining: 0 });
  const value = { amount: '12.50', currency: 'EUR' };
  t.like((await admin.get(`/api/documents/${id}`)).body, { owner_id: annId, fields: { 'Rule price': value } });
  const { body } = await ann.get(`/api/documents/${id}/rule-changes`);
  const changes = (body['changes'] as { field: string; to: unknown }[]).toSorted((a, b) => (a.field < b.field ? -1 : 1));
  t.like(changes[0], { field: 'field', from: null, to: { id: price, name: 'Rule price', value } });
  t.like(changes[1], { field: 'owner', from: { id: await idOf(admin), name: 'admin' }, to: { id: annId, name: 'rules-owner-ann' } });
  t.deepEqual((await admin.post(`${path}/undo`, {})).body, { undone: 2, kept: 0, remaining: 0 });
  t.like((await admin.get(`/api/documents/${id}`)).body, { owner_id: await idOf(admin), fields: {} });
});

test('a value that a user set or removed with PATCH is not set by a rule', async (t) => {
  const { admin } = t.context;
  const note = await fieldOf(t.context, 'Rule note', 'text');
  const [set, removed, same] = [
    await givenText(t.context, 'manatee'),
    await givenText(t.context, 'manatee'),
    await givenText(t.context, 'manatee'),
  ];
  const patch = (id: string, value: string | null) => admin.send('PATCH', `/api/documents/${id}`, { fields: { 'Rule note': value } });
  const valueOf = async (id: string) => ((await admin.get(`/api/documents/${id}`)).body['fields'] as Record<string, unknown>)['Rule note'];
  await patch(set, 'mine');
  await patch(removed, null);
  const actions = (value: string) => [{ set: 'field', id: note, value }];
  const { body } = await admin.post('/api/rules', { name: 'Manatee', query: 'manatee', actions: actions('one') });
  const path = `/api/rules/${String(body['id'])}`;
  t.like((await admin.post(`${path}/apply`, {})).body, { matched: 3, changed: 1 });
  t.deepEqual([await valueOf(set), await valueOf(removed), await valueOf(same)], ['mine', undefined, 'one']);
  t.is((await patch(same, 'one')).status, 200, 'a user confirms what the rule has set');
  await admin.send('PATCH', path, { actions: actions('two') });
  t.like((await admin.post(`${path}/apply`, {})).body, { matched: 3, changed: 0 });
  t.deepEqual((await admin.post(`${path}/undo`, {})).body, { undone: 0, kept: 1, remaining: 0 });
  t.is(await valueOf(same), 'one');
});

test('a value has to fit its field, and links are not set by rules', async (t) => {
  const { admin } = t.context;
  const count = await fieldOf(t.context, 'Rule count', 'number');
  const state = await fieldOf(t.context, 'Rule state', 'choice', { choices: ['open', 'done'] });
  const link = await fieldOf(t.context, 'Rule link', 'document');
  const id = await givenText(t.context, 'dugong');
  for (const [field, value, code] of [
    [count, 'many', 'wrong_type'],
    [state, 'lost', 'not_one_of'],
    [link, id, 'not_for_field_type'],
  ]) {
    const actions = [
      { set: 'field', id: field === count ? state : count, value: field === count ? 'open' : 1 },
      { set: 'field', id: field, value },
    ];
    for (const answer of [
      await admin.post('/api/rules', { name: 'Dugong', query: 'dugong', actions }),
      await admin.post('/api/rules/dry-run', { query: 'dugong', actions }),
    ]) {
      t.is(answer.status, 400);
      t.like((detailsOf(answer)['issues'] as unknown[])[0], { path: 'actions.1.value', code });
    }
  }
});

test('only who may give documents of anybody to others writes a rule that sets the owner', async (t) => {
  const { admin, anyone } = t.context;
  const editor = await admin.register('rules-owner-editor', 'editor');
  const rule = { name: 'Beluga', query: 'beluga', actions: [{ set: 'owner', id: await idOf(editor) }] };
  const refused = await editor.post('/api/rules', rule);
  t.deepEqual([refused.status, detailsOf(refused)], [403, { reason: 'permission_needed', permission: 'users.delete' }]);
  t.is((await editor.post('/api/rules/dry-run', { query: 'beluga', actions: rule.actions })).status, 403);
  const { body } = await admin.post('/api/rules', rule);
  const send = async (scope: readonly string[], method: string, path: string, sent: unknown) => {
    const { body: made } = await admin.post('/api/keys', { name: 'rules', scope });
    const headers = { 'x-api-key': String(made['key']), 'content-type': 'application/json' };
    return (await anyone.request(path, { method, headers, body: JSON.stringify(sent) })).status;
  };
  const weak = ['documents.read', 'documents.update', 'labels.read'];
  const path = `/api/rules/${String(body['id'])}`;
  t.is(await send(weak, 'POST', '/api/rules', rule), 403);
  t.is(await send(weak, 'PATCH', path, { query: 'beluga OR orca' }), 403, 'nor changes what it does to others');
  t.is(await send([...weak, 'users.delete'], 'PATCH', path, { query: 'beluga' }), 200);
  t.is(await send([...weak, 'users.delete'], 'POST', '/api/rules', rule), 201);
});
