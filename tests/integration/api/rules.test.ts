import { randomUUID } from 'node:crypto';
import { correspondents } from '@sheaf/db/schema';
import { savePages } from '@sheaf/documents/pages';
import { indexDocument } from '@sheaf/search';
import { type Answer, type ApiClient, givenDocument } from '@sheaf/testkit';
import { MAX_QUERY_CHARACTERS, MAX_RULE_ACTIONS, MAX_RULES } from '@sheaf/vocabulary/limits';
import { conditionOf } from '../../support/error-condition.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ FEATURE_API_V2: 'true' });

const codeOf = ({ status, body }: Answer): [number, unknown] => [status, conditionOf(body)];
const reasonOf = ({ body }: Answer): unknown => (body['error'] as { details: { reason?: unknown } }).details.reason;
const idOf = async (client: ApiClient): Promise<string> => String((await client.get('/api/auth/me')).body['id']);
const labelOf = async (client: ApiClient, name: string): Promise<string> =>
  String((await client.post('/api/labels', { name, color: '#123456' })).body['id']);
const rulesOf = async (client: ApiClient): Promise<Record<string, unknown>[]> =>
  (await client.get('/api/rules')).body['rules'] as Record<string, unknown>[];

const givenText = async ({ database: { db } }: RunningApi, ownerId: string, content: string): Promise<string> => {
  const { id } = await givenDocument(db, { ownerId, status: 'completed' });
  await savePages(db, id, [{ page: 1, content, confidence: 1, origin: 'text' }]);
  await indexDocument(db, id);
  return id;
};

test('a rule is tried, applied and undone, the reason is told with the document, and each step is in the audit log', async (t) => {
  const { admin, database } = t.context;
  const user = await admin.register('rules-whole', 'editor');
  const userId = await idOf(user);
  const label = await labelOf(user, 'rules-whole');
  const correspondent = randomUUID();
  await database.db.insert(correspondents).values({ id: correspondent, name: 'Acme', createdBy: userId });
  const id = await givenText(t.context, userId, 'the walrus invoice');
  const actions = [{ set: 'correspondent', id: correspondent }, { add_label: label }];
  const created = await user.post('/api/rules', { name: ' Walrus ', query: 'walrus', actions });
  t.is(created.status, 201);
  t.like(created.body, { name: 'Walrus', query: 'walrus', filters: {}, actions, position: 1, is_enabled: true });
  const ruleId = String(created.body['id']);
  t.deepEqual((await user.get(`/api/rules/${ruleId}`)).body, created.body);

  const changes = [
    { document_id: id, title: 'A title', field: 'correspondent', from: null, to: { id: correspondent, name: 'Acme' } },
    { document_id: id, title: 'A title', field: 'label', from: null, to: { id: label, name: 'rules-whole' } },
  ];
  await user.send('PATCH', `/api/documents/${id}`, { title: 'A title' });
  const dry = await user.post(`/api/rules/${ruleId}/dry-run`, {});
  t.deepEqual([dry.status, dry.body], [200, { matched: 1, would_change: 1, is_lower_bound: false, changes }]);
  const draft = await user.post('/api/rules/dry-run', { query: 'walrus', actions });
  t.deepEqual(draft.body, dry.body);
  t.deepEqual((await user.get(`/api/documents/${id}`)).body['labels'], []);

  t.deepEqual((await user.post(`/api/rules/${ruleId}/apply`, {})).body, { matched: 1, changed: 1, remaining: 0 });
  t.deepEqual((await user.get(`/api/documents/${id}`)).body['labels'], ['rules-whole']);
  const told = (await user.get(`/api/documents/${id}/rule-changes`)).body['changes'] as Record<string, unknown>[];
  t.is(told.length, 2);
  for (const change of told) t.like(change, { rule_id: ruleId, rule_name: 'Walrus', from: null, undone_at: null });

  t.deepEqual((await user.post(`/api/rules/${ruleId}/undo`, {})).body, { undone: 2, kept: 0, remaining: 0 });
  t.deepEqual((await user.get(`/api/documents/${id}`)).body['labels'], []);
  t.is((await user.delete(`/api/rules/${ruleId}`)).status, 204);
  const after = (await user.get(`/api/documents/${id}/rule-changes`)).body['changes'] as Record<string, unknown>[];
  for (const change of after) t.true(change['rule_id'] === null && change['rule_name'] === 'Walrus' && change['undone_at'] !== null);
  const audit = await database.pool.query<{ action: string }>(
    `select action from audit_log where subject_type = 'rule' and subject_id = $1 order by id`,
    [ruleId],
  );
  t.deepEqual(audit.rows.map(({ action }) => action).toSorted(), ['rule.applied', 'rule.created', 'rule.deleted', 'rule.undone']);
});

test('rules have an order of their own for each user, and move in it', async (t) => {
  const { admin } = t.context;
  const user = await admin.register('rules-order', 'editor');
  const add_label = await labelOf(user, 'rules-order');
  const make = async (name: string, more = {}): Promise<string> =>
    String((await user.post('/api/rules', { name, query: 'x', actions: [{ add_label }], ...more })).body['id']);
  const names = async () => (await rulesOf(user)).map(({ name, position }) => `${String(position)} ${String(name)}`);
  const a = await make('a');
  await make('b');
  const c = await make('c', { position: 1 });
  t.deepEqual(await names(), ['1 c', '2 a', '3 b']);
  t.like((await user.send('PATCH', `/api/rules/${c}`, { position: 3 })).body, { position: 3 });
  t.deepEqual(await names(), ['1 a', '2 b', '3 c']);
  await user.send('PUT', `/api/rules/${c}`, { position: 2, name: 'cc', is_enabled: false });
  t.deepEqual(await names(), ['1 a', '2 cc', '3 b']);
  await user.delete(`/api/rules/${a}`);
  t.deepEqual(await names(), ['1 cc', '2 b']);
  const walked: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await user.get(`/api/v2/rules?limit=1${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
    walked.push(...(body['data'] as Record<string, unknown>[]).map(({ name }) => name));
    cursor = body['next_cursor'] as string | null;
  }
  t.deepEqual(walked, ['cc', 'b']);
});

test('rules of others do not exist, not even for administrators', async (t) => {
  const { admin } = t.context;
  const [ann, bob] = [await admin.register('rules-ann', 'editor'), await admin.register('rules-bob', 'editor')];
  const add_label = await labelOf(ann, 'rules-ann');
  const { body } = await ann.post('/api/rules', { name: 'mine', query: 'x', actions: [{ add_label }] });
  for (const other of [bob, admin]) {
    t.false((await rulesOf(other)).some(({ id }) => id === body['id']));
    t.deepEqual(codeOf(await other.get(`/api/rules/${String(body['id'])}`)), [404, 'RULE_NOT_FOUND']);
    t.deepEqual(codeOf(await other.send('PATCH', `/api/rules/${String(body['id'])}`, { name: 'x' })), [404, 'RULE_NOT_FOUND']);
    for (const act of ['dry-run', 'apply', 'undo'])
      t.deepEqual(codeOf(await other.post(`/api/rules/${String(body['id'])}/${act}`, {})), [404, 'RULE_NOT_FOUND']);
    t.is((await other.delete(`/api/rules/${String(body['id'])}`)).status, 404);
  }
});

test('a rule needs a name, something to match and something to set, and names only what its user can see', async (t) => {
  const { admin } = t.context;
  const add_label = await labelOf(admin, 'rules-bad');
  const good = { name: 'good', query: 'x', actions: [{ add_label }] };
  for (const wrong of [
    { name: '' },
    { name: 'x'.repeat(101) },
    { name: 'a\0b' },
    { query: '', filters: {} },
    { query: ' ', filters: { label_ids: [], label_match: 'all', date_range: {} } },
    { query: 'x'.repeat(MAX_QUERY_CHARACTERS + 1) },
    { query: 'a\0b' },
    { query: 'a\ud800' },
    { filters: { mime_types: ['a\0b'] } },
    { filters: { unknown: 1 } },
    { filters: { owner_id: 'x' } },
    { actions: [] },
    { actions: [{ add_label: 'x' }] },
    { actions: [{ set: 'title', id: add_label }] },
    { actions: [{ set: 'field', id: add_label }] },
    { actions: [{ set: 'field', id: add_label, value: null }] },
    { actions: [{ set: 'owner', id: add_label, value: 'x' }] },
    {
      actions: [
        { set: 'field', id: add_label, value: 'x' },
        { set: 'field', id: add_label, value: 'y' },
      ],
    },
    { actions: [{ delete: true }] },
    { actions: Array.from({ length: MAX_RULE_ACTIONS + 1 }, () => ({ add_label })) },
    {
      actions: [
        { set: 'correspondent', id: add_label },
        { set: 'correspondent', id: add_label },
      ],
    },
    { position: 0 },
    { created_by: add_label },
  ]) {
    t.deepEqual(
      codeOf(await admin.post('/api/rules', { ...good, ...wrong })),
      [400, 'VALIDATION_ERROR'],
      JSON.stringify(wrong).slice(0, 100),
    );
  }
  const excluding = await admin.post('/api/rules', { ...good, query: '-draft' });
  t.deepEqual([excluding.status, reasonOf(excluding)], [400, 'query_without_words']);
  const colour = await admin.post('/api/rules', { ...good, filters: { fields: { Colour: { eq: 'red' } } } });
  t.is(colour.status, 400);
  t.like(colour.body['error'], { details: { issues: [{ path: 'filters.fields.Colour', code: 'unknown_field' }] } });
  const unknown = randomUUID();
  for (const actions of [
    [{ add_label: unknown }],
    [{ set: 'correspondent', id: add_label }],
    [{ set: 'document_type', id: unknown }],
    [{ set: 'owner', id: unknown }],
    [{ set: 'field', id: unknown, value: 1 }],
  ]) {
    const answer = await admin.post('/api/rules', { ...good, actions });
    t.deepEqual([answer.status, reasonOf(answer)], [400, 'unknown_rule_targets']);
    t.is((await admin.post('/api/rules/dry-run', { query: 'x', actions })).status, 400);
  }
  const { body } = await admin.post('/api/rules', good);
  const emptied = await admin.send('PATCH', `/api/rules/${String(body['id'])}`, { query: '' });
  t.deepEqual([emptied.status, reasonOf(emptied)], [400, 'query_without_words']);
  t.is((await admin.send('PATCH', `/api/rules/${String(body['id'])}`, { query: '', filters: { has_labels: false } })).status, 200);
});

test('hostile queries are kept and find nothing', async (t) => {
  // without documents of its own, as a rule of an administrator would find those of the other tests
  const user = await t.context.admin.register('rules-hostile', 'editor');
  const add_label = await labelOf(user, 'rules-hostile');
  for (const query of ["'; drop table rules; --x", '((((x', 'title:"x', 'a* '.repeat(600), '\\\\x\\', '%_x', '‮x', `x${'"'.repeat(500)}`]) {
    const { status, body } = await user.post('/api/rules', { name: 'hostile', query, actions: [{ add_label }] });
    t.is(status, 201, query);
    t.like(await user.post(`/api/rules/${String(body['id'])}/apply`, {}), { status: 200 }, query);
    await user.delete(`/api/rules/${String(body['id'])}`);
  }
});

test('a user has a limited number of rules', async (t) => {
  const { admin, database } = t.context;
  const user = await admin.register('rules-many', 'editor');
  const add_label = await labelOf(user, 'rules-many');
  await database.pool.query(
    `insert into rules (id, created_by, name, query, actions, position)
     select gen_random_uuid(), $1, 'many', 'x', '[]', i from generate_series(1, $2::int) as i`,
    [await idOf(user), MAX_RULES - 1],
  );
  const make = () => user.post('/api/rules', { name: 'last', query: 'x', actions: [{ add_label }] });
  const both = await Promise.all([make(), make()]);
  t.deepEqual(
    both.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 400],
  );
  t.is(reasonOf(both.find(({ status }) => status === 400) as Answer), 'too_many_rules');
});

test('an API key that may do less than its user writes no rules, which could do more than the key', async (t) => {
  const { admin } = t.context;
  const add_label = await labelOf(admin, 'rules-key');
  const keyOf = async (scope: readonly string[]): Promise<Record<string, string>> => {
    const { body } = await admin.post('/api/keys', { name: 'rules', scope });
    return { 'x-api-key': String(body['key']), 'content-type': 'application/json' };
  };
  const body = JSON.stringify({ name: 'by a key', query: 'x', actions: [{ add_label }] });
  const post = async (scope: readonly string[]): Promise<Response> =>
    t.context.anyone.request('/api/rules', { method: 'POST', headers: await keyOf(scope), body });
  const weak = await post(['documents.read', 'documents.update.own', 'labels.read']);
  t.is(weak.status, 403);
  t.is(((await weak.json()) as { error: { details: { reason: string } } }).error.details.reason, 'key_too_weak_for_rules');
  t.is((await post(['documents.read', 'documents.update', 'labels.read'])).status, 201);
});
