import { indexDocument } from '@sheaf/search';
import { countResults, getSavedSearch } from '@sheaf/search/saved-searches';
import { type Answer, ApiClient, givenDocument, principalOf } from '@sheaf/testkit';
import { MAX_PINNED_SEARCHES, MAX_QUERY_CHARACTERS, MAX_SAVED_SEARCHES } from '@sheaf/vocabulary/limits';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { conditionOf } from '../../support/error-condition.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

const idOf = async (client: ApiClient): Promise<string> => String((await client.get('/api/auth/me')).body['id']);
const codeOf = ({ status, body }: Answer): [number, unknown] => [status, conditionOf(body)];
const searchesOf = async (client: ApiClient, query = ''): Promise<Record<string, unknown>[]> =>
  (await client.get(`/api/saved-searches${query}`)).body['data'] as Record<string, unknown>[];
const NOT_OWN = { status: 403, body: { error: { details: { reason: 'not_your_own' } } } };
const namesOf = (searches: readonly Record<string, unknown>[]): unknown[] => searches.map(({ name }) => name);

/** A document with a text that can be found. */
const givenText = async ({ database: { db } }: RunningApi, ownerId: string, title: string): Promise<string> => {
  const { id } = await givenDocument(db, { ownerId, title, status: 'completed', completedAt: new Date() });
  await indexDocument(db, id);
  return id;
};

test('a search is saved as it is given, read, changed in part and deleted', async (t) => {
  const { admin } = t.context;
  const given = {
    name: '  Unpaid  invoices ',
    query: 'invoice -paid "to pay"',
    filters: { mime_types: ['application/pdf'], date_from: '2026-01', language: ['deu', 'eng'], min_confidence: 0.5 },
    sort: 'created_at',
    order: 'asc',
    columns: ['title', 'created_at', 'title'],
  };
  const { status, body } = await admin.post('/api/saved-searches', given);
  t.is(status, 201);
  t.like(body, {
    ...given,
    name: 'Unpaid  invoices',
    columns: ['title', 'created_at'],
    is_shared: false,
    is_pinned: false,
    position: null,
    notify: false,
    count: null,
    owner: { id: await idOf(admin), name: 'admin' },
  });
  const path = `/api/saved-searches/${String(body['id'])}`;
  t.deepEqual((await admin.get(path)).body, body);
  const changed = await admin.send('PATCH', path, { filters: {}, notify: true });
  t.is(changed.status, 200);
  t.like(changed.body, { name: 'Unpaid  invoices', query: given.query, filters: {}, notify: true });
  const back = await admin.send('PUT', path, changed.body);
  t.deepEqual([back.status, back.body], [200, changed.body], 'what was given can be sent back, and is no change');
  t.is((await admin.delete(path)).status, 204);
  t.deepEqual(codeOf(await admin.get(path)), [404, 'SAVED_SEARCH_NOT_FOUND']);
  t.deepEqual(codeOf(await admin.delete(path)), [404, 'SAVED_SEARCH_NOT_FOUND']);
});

test('what no search takes is refused, and hostile texts are only texts', async (t) => {
  const { admin } = t.context;
  const wrong = [
    {},
    { name: '' },
    { name: ' \t ' },
    { name: 'x'.repeat(101) },
    { name: 'a\0b' },
    { name: 'a\nb' },
    { name: '\ud800' },
    { name: 'x', query: 'x'.repeat(MAX_QUERY_CHARACTERS + 1) },
    { name: 'x', query: 'a\0b' },
    { name: 'x', query: '\udc00' },
    { name: 'x', filters: { unknown: 1 } },
    { name: 'x', filters: { label_ids: ['nothing'] } },
    { name: 'x', filters: { mime_types: ['a\0b'] } },
    { name: 'x', filters: { language: ['\ud800'] } },
    { name: 'x', filters: { mime_types: Array.from({ length: 50 }, () => 'y'.repeat(200)), label_ids: [] } },
    { name: 'x', filters: [] },
    { name: 'x', sort: 'owner_id' },
    { name: 'x', order: 'up' },
    { name: 'x', columns: Array.from({ length: 51 }, (_, n) => `c${n}`) },
    { name: 'x', columns: ['a\0'] },
    { name: 'x', columns: [''] },
    { name: 'x', owner_id: await idOf(admin) },
    { name: 'x', is_shared: 'yes' },
  ];
  for (const body of wrong) t.is((await admin.post('/api/saved-searches', body)).status, 400, JSON.stringify(body).slice(0, 100));
  t.is((await admin.get('/api/saved-searches?with_counts=maybe')).status, 400);
  t.is((await admin.get('/api/saved-searches/nothing')).status, 404);
  for (const query of [
    '"((((',
    "'; drop table saved_searches; --",
    '*'.repeat(MAX_QUERY_CHARACTERS),
    '\u202e%_\\',
    '\ud83d\ude00 -\ud83d\ude00',
  ]) {
    const { status, body } = await admin.post('/api/saved-searches', { name: '𝒳'.repeat(100), query, is_pinned: true });
    t.is(status, 201);
    t.is(body['query'], query);
    t.is(typeof body['count'], 'number', query.slice(0, 20));
    await admin.delete(`/api/saved-searches/${String(body['id'])}`);
  }
});

test('a user has at most so many, also when they are saved at once', async (t) => {
  const { admin, database } = t.context;
  const user = await admin.register('collector', 'viewer');
  const room = 2;
  await database.pool.query(
    `insert into saved_searches (id, owner_id, name, sort, sort_order) select gen_random_uuid(), $1, 'one of many', 'score', 'desc' from generate_series(1, $2::int)`,
    [await idOf(user), MAX_SAVED_SEARCHES - room],
  );
  const answers = await Promise.all([1, 2, 3, 4].map((n) => user.post('/api/saved-searches', { name: `search ${n}` })));
  t.is(answers.filter(({ status }) => status === 201).length, room);
  for (const { body } of answers.filter(({ status }) => status !== 201))
    t.like(body, { error: { code: 'VALIDATION_ERROR', details: { reason: 'too_many_saved_searches', limit: MAX_SAVED_SEARCHES } } });
  const first = await user.get('/api/saved-searches?per_page=100');
  t.like(first.body['pagination'], { total: MAX_SAVED_SEARCHES, per_page: 100 });
});

test('a search of somebody else exists only while it is shared, and is changed by its owner alone', async (t) => {
  const { admin } = t.context;
  const owner = await admin.register('sharer', 'viewer');
  const reader = await admin.register('borrower', 'editor');
  const { body } = await owner.post('/api/saved-searches', { name: 'for all', query: 'oak', notify: true });
  const path = `/api/saved-searches/${String(body['id'])}`;
  for (const other of [reader, admin]) {
    t.deepEqual(codeOf(await other.get(path)), [404, 'SAVED_SEARCH_NOT_FOUND']);
    t.deepEqual(codeOf(await other.send('PATCH', path, { is_pinned: true })), [404, 'SAVED_SEARCH_NOT_FOUND']);
    t.deepEqual(codeOf(await other.delete(path)), [404, 'SAVED_SEARCH_NOT_FOUND']);
    t.false(namesOf(await searchesOf(other)).includes('for all'));
  }
  t.is((await owner.send('PATCH', path, { is_shared: true })).status, 200);
  t.like((await reader.get(path)).body, { name: 'for all', owner: { name: 'sharer' }, notify: false, is_pinned: false });
  t.true(namesOf(await searchesOf(reader)).includes('for all'));
  for (const change of [{ name: 'mine' }, { query: 'x' }, { is_shared: false }, { notify: true }, { columns: ['a'], is_pinned: true }])
    t.like(await reader.send('PUT', path, change), NOT_OWN, JSON.stringify(change));
  t.like(await admin.delete(path), NOT_OWN);
  const seen = (await reader.get(path)).body;
  t.like(await reader.send('PUT', path, { ...seen, is_pinned: true, position: null }), {
    status: 200,
    body: { is_pinned: true, position: 0 },
  });
  t.like((await owner.get(path)).body, { is_pinned: false, notify: true, name: 'for all' });

  t.is((await owner.send('PATCH', path, { is_shared: false, is_pinned: true })).status, 200);
  t.deepEqual(await searchesOf(reader, '?pinned=true'), []);
  t.is((await owner.send('PATCH', path, { is_shared: true })).status, 200);
  t.deepEqual(await searchesOf(reader, '?pinned=true'), [], 'the pin of others is gone');
  t.deepEqual(namesOf(await searchesOf(owner, '?pinned=true')), ['for all']);
});

test('sharing, its end and deletion are in the audit log', async (t) => {
  const { admin, database } = t.context;
  const { body } = await admin.post('/api/saved-searches', { name: 'watched', is_shared: true });
  const path = `/api/saved-searches/${String(body['id'])}`;
  await admin.send('PATCH', path, { is_shared: true });
  await admin.send('PATCH', path, { is_shared: false, name: 'renamed' });
  await admin.delete(path);
  const { rows } = await database.pool.query<{ action: string; name: string }>(
    "select action, details ->> 'name' as name from audit_log where subject_type = 'saved_search' and subject_id = $1 order by created_at",
    [body['id']],
  );
  t.deepEqual(rows, [
    { action: 'saved_search.shared', name: 'watched' },
    { action: 'saved_search.unshared', name: 'renamed' },
    { action: 'saved_search.deleted', name: 'renamed' },
  ]);
});

test('pins are personal, bounded and in the order of their user', async (t) => {
  const { admin } = t.context;
  const user = await admin.register('pinner', 'viewer');
  const save = async (name: string): Promise<string> =>
    String((await user.post('/api/saved-searches', { name, is_pinned: true })).body['id']);
  const ids = [await save('a'), await save('b'), await save('c')];
  const order = async (): Promise<unknown[]> =>
    namesOf((await searchesOf(user, '?pinned=true')).toSorted((one, other) => Number(one['position']) - Number(other['position'])));
  t.deepEqual(await order(), ['a', 'b', 'c']);
  await user.send('PATCH', `/api/saved-searches/${ids[2]}`, { position: 0 });
  t.deepEqual(await order(), ['c', 'a', 'b']);
  await user.send('PATCH', `/api/saved-searches/${ids[0]}`, { position: 19 });
  t.deepEqual(await order(), ['c', 'b', 'a']);
  await user.send('PATCH', `/api/saved-searches/${ids[1]}`, { is_pinned: false });
  t.deepEqual(await order(), ['c', 'a']);
  t.like((await user.get(`/api/saved-searches/${ids[0]}`)).body, { position: 1 });
  await user.send('PATCH', `/api/saved-searches/${ids[1]}`, { position: 0 });
  t.deepEqual(await order(), ['c', 'a'], 'a place alone pins nothing');
  t.is((await user.delete(`/api/saved-searches/${ids[2]}`)).status, 204);
  t.deepEqual(await order(), ['a']);
  for (let n = 1; n < MAX_PINNED_SEARCHES; n += 1) await save(`more ${n}`);
  const more = await user.post('/api/saved-searches', { name: 'one too many', is_pinned: true });
  t.like(more, { status: 400, body: { error: { details: { reason: 'too_many_pins' } } } });
  t.false(namesOf(await searchesOf(user, '?per_page=100')).includes('one too many'));
  t.is((await searchesOf(user, '?pinned=true')).length, MAX_PINNED_SEARCHES);
});

test('results are counted within the rights of the caller, and only where they are wanted', async (t) => {
  const { admin, database } = t.context;
  await admin.register('count-all', 'viewer');
  await admin.register('count-own', 'viewer');
  await admin.register('count-none', 'viewer');
  await using api = await startApiWithPermissions(database, {
    'count-own': ['search.query', 'documents.read.own'],
    'count-none': ['search.query'],
  });
  const [all, own, none] = await Promise.all(['count-all', 'count-own', 'count-none'].map((name) => new ApiClient(api.url).login(name)));
  if (all === undefined || own === undefined || none === undefined) throw new Error('nobody signed in');
  await givenText(t.context, await idOf(all), 'Sycamore of one');
  const mine = await givenText(t.context, await idOf(own), 'Sycamore of another');
  const { body } = await all.post('/api/saved-searches', { name: 'sycamores', query: 'sycamore', is_shared: true });
  const path = `/api/saved-searches/${String(body['id'])}`;
  t.is(body['count'], null, 'it is not pinned');
  t.is((await all.get(`${path}?with_counts=true`)).body['count'], 2);
  t.is((await own.get(`${path}?with_counts=true`)).body['count'], 1);
  t.is((await none.get(`${path}?with_counts=true`)).body['count'], 0);
  t.is((await own.send('PATCH', path, { is_pinned: true })).body['count'], 1);
  t.is((await own.get(path)).body['count'], 1, 'what is pinned is counted');
  const filtered = await own.post('/api/saved-searches', { name: 'all mine', filters: { owner_id: await idOf(all) }, is_pinned: true });
  t.is(filtered.body['count'], 0, 'a filter by somebody else finds nothing of his');
  const everything = await own.post('/api/saved-searches', { name: 'everything', is_pinned: true });
  t.is(everything.body['count'], 1, 'without a query, every document');
  const excluding = await own.post('/api/saved-searches', { name: 'excluding', query: '-oak', is_pinned: true });
  t.is(excluding.body['count'], 0, 'as in a search, exclusions alone find nothing');
  t.is((await admin.delete(`/api/documents/${mine}`)).status, 204);
  t.is((await own.get(path)).body['count'], 0);
});

test('a count that takes too long is missing, and filters of another version are kept but not counted', async (t) => {
  const { admin, database } = t.context;
  const { db, pool } = database;
  const { body } = await admin.post('/api/saved-searches', { name: 'slow', query: 'alder*', is_pinned: true });
  const id = String(body['id']);
  const user = { id: await idOf(admin), username: 'admin', role: 'admin' } as Parameters<typeof principalOf>[0];
  const principal = principalOf(user);
  const search = await getSavedSearch(db, principal, id);
  await givenText(t.context, user.id, 'Alder');
  t.is((await countResults(db, principal, [search])).get(id)?.count, 1);
  t.is((await countResults(db, principal, [search], { statementMs: 500, totalMs: 0 })).size, 0);
  const client = await pool.connect();
  try {
    await client.query('begin; lock table document_search in access exclusive mode');
    t.is((await countResults(db, principal, [search], { statementMs: 20, totalMs: 1_000 })).size, 0);
  } finally {
    await client.query('rollback');
    client.release();
  }
  await pool.query(`update saved_searches set filters = '{"invented_later": true}' where id = $1`, [id]);
  const later = await admin.get(`/api/saved-searches/${id}?with_counts=true`);
  t.like(later, { status: 200, body: { filters: { invented_later: true }, count: null } });
});

test('an API key that may only search uses saved searches', async (t) => {
  const { admin } = t.context;
  const key = await admin.post('/api/keys', { name: 'searcher', scope: ['search.query'] });
  const ask = async (method: string, path: string, body?: unknown) => {
    const headers = { 'x-api-key': String(key.body['key']), 'content-type': 'application/json' };
    const response = await t.context.anyone.request(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: response.status === 204 ? {} : ((await response.json()) as Record<string, unknown>) };
  };
  const saved = await ask('POST', '/api/saved-searches', { name: 'by key', query: 'oak', is_pinned: true });
  t.like(saved, { status: 201, body: { count: 0 } });
  t.is((await ask('GET', '/api/saved-searches?with_counts=true')).status, 200);
  t.is((await ask('DELETE', `/api/saved-searches/${String(saved.body['id'])}`)).status, 204);
});
