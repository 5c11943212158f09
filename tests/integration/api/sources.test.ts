import { uuidv7 } from '@sheaf/process';
import { givenDocument } from '@sheaf/testkit';
import { codeOf, FAR_AWAY, givenSource, PASSWORD, refusedFields, s3Source, webdavSource } from '../../support/given-source.ts';
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ OUTBOUND_DENY_PRIVATE: 'true' });

test('a source is made, read, changed and deleted', async (t) => {
  const { admin } = t.context;
  const made = await admin.post('/api/sources', webdavSource());
  t.is(made.status, 201);
  const { id } = made.body;
  t.like(made.body, {
    name: 'Cloud',
    type: 'webdav',
    url: FAR_AWAY,
    status: 'active',
    last_sync: null,
    document_count: 0,
    sync_interval: 3_600,
    recursive: true,
    file_patterns: ['*'],
    settings: {},
    username: 'ada',
    has_secret: true,
    enabled: true,
    last_error: null,
  });
  t.true(Date.parse(String(made.body['next_sync'])) <= Date.now(), 'its first run is due');
  t.deepEqual((await admin.get(`/api/sources/${String(id)}`)).body, made.body);
  const changes = { name: 'Other', sync_interval: 0, recursive: false, file_patterns: ['*.pdf'], settings: { on_remote_delete: 'delete' } };
  const changed = await admin.send('PUT', `/api/sources/${String(id)}`, changes);
  t.like(changed.body, { ...changes, next_sync: null, has_secret: true, url: FAR_AWAY });
  t.is((await admin.send('PATCH', `/api/sources/${String(id)}`, { enabled: false })).body['status'], 'disabled');
  t.is((await admin.delete(`/api/sources/${String(id)}`)).status, 204);
  t.is(codeOf(await admin.get(`/api/sources/${String(id)}`)), 'SOURCE_NOT_FOUND');
  t.is((await admin.delete(`/api/sources/${String(id)}`)).status, 404);
});

test('what makes no source of its type is refused, with the field that is wrong', async (t) => {
  const { admin } = t.context;
  const refusals: readonly (readonly [source: Record<string, unknown>, fields: readonly string[]])[] = [
    [webdavSource({ type: 'ftp' }), ['type']],
    [webdavSource({ name: ' ' }), ['name']],
    [webdavSource({ name: 'x'.repeat(201) }), ['name']],
    [webdavSource({ url: undefined }), ['url']],
    [webdavSource({ url: 'ftp://dav.example.org/' }), ['url']],
    [webdavSource({ url: 'file:///etc/' }), ['url']],
    [webdavSource({ url: 'https://ada:word@dav.example.org/' }), ['url']],
    [webdavSource({ url: 'https://dav.example.org/?a=1' }), ['url']],
    [webdavSource({ url: 'https://dav.example.org/?' }), ['url']],
    [webdavSource({ url: 'https://dav.example.org/#top' }), ['url']],
    [webdavSource({ url: 'https://dav.example.org/\n' }), ['url']],
    [webdavSource({ username: undefined }), ['username']],
    [webdavSource({ username: 'a:b' }), ['username']],
    [webdavSource({ sync_interval: 59 }), ['sync_interval']],
    [webdavSource({ sync_interval: 30 * 86_400 + 1 }), ['sync_interval']],
    [webdavSource({ sync_interval: 90.5 }), ['sync_interval']],
    [webdavSource({ file_patterns: [] }), ['file_patterns']],
    [webdavSource({ file_patterns: Array.from({ length: 51 }, () => '*') }), ['file_patterns']],
    [webdavSource({ file_patterns: ['x'.repeat(201)] }), ['file_patterns.0']],
    [webdavSource({ file_patterns: ['+(a|a)*b'] }), ['file_patterns.0']],
    [webdavSource({ file_patterns: ['*.pdf', '[a'] }), ['file_patterns.1']],
    [webdavSource({ file_patterns: ['*.{pdf,txt'] }), ['file_patterns.0']],
    [webdavSource({ file_patterns: ['*', '(a)\\1'] }), ['file_patterns']],
    [webdavSource({ file_patterns: Array.from({ length: 50 }, () => '*a'.repeat(100)) }), ['file_patterns']],
    [webdavSource({ settings: { bucket: 'papers' } }), ['settings']],
    [webdavSource({ settings: { on_remote_delete: 'maybe' } }), ['settings.on_remote_delete']],
    [webdavSource({ status: 'active' }), ['']],
    [webdavSource({ owner_id: uuidv7() }), ['']],
    [s3Source({ username: undefined }), ['username']],
    [s3Source({ password: undefined }), ['password']],
    [s3Source({ settings: undefined }), ['settings']],
    [s3Source({ settings: { bucket: 'a/b' } }), ['settings.bucket']],
    [s3Source({ settings: { bucket: '..' } }), ['settings.bucket']],
    [s3Source({ settings: { bucket: 'papers', region: 'evil.example/x' } }), ['settings.region']],
    [s3Source({ settings: { bucket: 'papers', endpoint_url: 'https://key@s3.example.org/' } }), ['settings.endpoint_url']],
    [s3Source({ settings: { bucket: 'papers', prefix: 'a\0' } }), ['settings.prefix']],
    [s3Source({ url: FAR_AWAY }), ['']],
  ];
  for (const [source, fields] of refusals) {
    const answer = await admin.post('/api/sources', source);
    t.is(answer.status, 400, JSON.stringify(source));
    t.deepEqual(refusedFields(answer), fields, JSON.stringify(answer.body));
  }
  for (const interval of [0, 60, 30 * 86_400]) await givenSource(admin, webdavSource({ sync_interval: interval }));
  const path = `/api/sources/${await givenSource(admin)}`;
  const changes: readonly (readonly [change: Record<string, unknown>, fields: readonly string[]])[] = [
    [{ name: '' }, ['name']],
    [{ username: 'a:b' }, ['username']],
    [{ username: null, password: PASSWORD }, ['username']],
    [{ settings: { path: '/etc' } }, ['settings']],
    [{ sync_interval: 1 }, ['sync_interval']],
    [{ file_patterns: ['**/a/'.repeat(40)] }, ['file_patterns']],
  ];
  for (const [change, fields] of changes) {
    const answer = await admin.send('PUT', path, change);
    t.is(answer.status, 400, JSON.stringify(change));
    t.deepEqual(refusedFields(answer), fields, JSON.stringify(answer.body));
  }
});

test('the secret has to be given again when the place changes, and only then', async (t) => {
  const { admin } = t.context;
  const path = `/api/sources/${await givenSource(admin)}`;
  const elsewhere = 'https://evil.example/';
  t.deepEqual(refusedFields(await admin.send('PUT', path, { url: elsewhere })), ['password']);
  t.deepEqual(refusedFields(await admin.send('PUT', path, { url: elsewhere, username: 'bob' })), ['password']);
  t.like((await admin.get(path)).body, { url: FAR_AWAY, has_secret: true });
  t.is((await admin.send('PUT', path, { url: FAR_AWAY.replace('dav.', 'DAV.'), name: 'Renamed' })).status, 200, 'that is the same place');
  t.like((await admin.send('PUT', path, { url: elsewhere, password: 'another' })).body, { url: elsewhere, has_secret: true });
  t.like((await admin.send('PUT', path, { url: FAR_AWAY, username: null })).body, { url: FAR_AWAY, username: null, has_secret: false });
  t.is((await admin.send('PUT', path, { url: elsewhere })).status, 200, 'there is none any more');
  t.like((await admin.send('PUT', path, { username: 'ada', password: PASSWORD })).body, { has_secret: true });
  t.like((await admin.send('PUT', path, { password: null })).body, { has_secret: false, username: 'ada' });

  const bucket = `/api/sources/${await givenSource(admin, s3Source())}`;
  for (const settings of [{ bucket: 'others' }, { bucket: 'papers', endpoint_url: elsewhere }])
    t.deepEqual(refusedFields(await admin.send('PUT', bucket, { settings })), ['password'], JSON.stringify(settings));
  t.is((await admin.send('PUT', bucket, { settings: { bucket: 'papers', prefix: 'a/' } })).status, 200);
  t.is((await admin.send('PUT', bucket, { settings: { bucket: 'others' }, password: 'another' })).status, 200);
  t.deepEqual(refusedFields(await admin.send('PUT', bucket, { password: null })), ['password'], 'there is no bucket without a key');
  t.deepEqual(refusedFields(await admin.send('PUT', bucket, { username: null })), ['username', 'password']);
  t.deepEqual(refusedFields(await admin.send('PUT', bucket, { url: FAR_AWAY, password: PASSWORD })), ['url']);
});

test('a changed place or secret is a new try: what went wrong is forgotten and the next run is due', async (t) => {
  const { admin, database } = t.context;
  const id = await givenSource(admin);
  const fail = () =>
    database.pool.query(
      `update sources set failures = 3, last_error = 'gone', is_reachable = false, next_sync_at = now() + interval '5 hours' where id = $1`,
      [id],
    );
  await fail();
  const renamed = (await admin.send('PUT', `/api/sources/${id}`, { name: 'Renamed', sync_interval: 3_600 })).body;
  t.like(renamed, { status: 'error', last_error: 'gone' });
  t.true(Date.parse(String(renamed['next_sync'])) > Date.now(), 'the pause after the failure stays');
  const { body } = await admin.send('PUT', `/api/sources/${id}`, { password: 'another' });
  t.like(body, { status: 'active', last_error: null });
  t.true(Date.parse(String(body['next_sync'])) <= Date.now());
  await fail();
  await admin.send('PUT', `/api/sources/${id}`, { enabled: false });
  t.is((await admin.get(`/api/sources/${id}`)).body['next_sync'], null);
  const on = await admin.send('PUT', `/api/sources/${id}`, { enabled: true });
  t.true(Date.parse(String(on.body['next_sync'])) <= Date.now(), 'switched on, it runs');
  await database.pool.query(`update sources set last_sync_at = '2026-01-01', next_sync_at = '2026-01-02' where id = $1`, [id]);
  t.is((await admin.send('PUT', `/api/sources/${id}`, { sync_interval: 60 })).body['next_sync'], '2026-01-01T00:01:00.000Z');
});

test('the list pages and sorts, and counts the documents', async (t) => {
  const { admin, anyone, database } = t.context;
  await admin.register('lister', 'editor');
  const client = await anyone.login('lister');
  const { body: me } = await client.get('/api/auth/me');
  const ids = [];
  for (const name of ['b', 'A', 'c']) ids.push(await givenSource(client, webdavSource({ name })));
  await givenDocument(database.db, { ownerId: String(me['id']), source: 'webdav', sourceId: ids[0] ?? '' });
  const list = async (query: string) => (await client.get(`/api/sources${query}`)).body;
  const namesOf = (body: Record<string, unknown>) => (body['sources'] as { name: string }[]).map(({ name }) => name);
  t.deepEqual(namesOf(await list('')), ['b', 'A', 'c']);
  t.deepEqual(namesOf(await list('?sort=name')), ['A', 'b', 'c']);
  t.deepEqual(namesOf(await list('?sort=last_sync&order=desc')), ['c', 'A', 'b']);
  const second = await list('?per_page=2&page=2&sort=name&order=desc');
  t.deepEqual(namesOf(second), ['A']);
  t.deepEqual(second['pagination'], { page: 2, per_page: 2, total: 3, total_pages: 2, has_next: false, has_prev: true });
  t.is((await client.get(`/api/sources/${ids[0]}`)).body['document_count'], 1);
  t.is((await client.get('/api/sources?sort=sealed_secret')).status, 400);
});

test('a document tells that its file is gone at the source, and since when', async (t) => {
  const { admin, database } = t.context;
  const { body: me } = await admin.get('/api/auth/me');
  const { id } = await givenDocument(database.db, { ownerId: String(me['id']), source: 'webdav', sourceId: await givenSource(admin) });
  t.is((await admin.get(`/api/documents/${id}`)).body['source_removed_at'], null);
  await database.pool.query(`update documents set source_removed_at = '2026-01-01T00:00:00Z' where id = $1`, [id]);
  t.is((await admin.get(`/api/documents/${id}`)).body['source_removed_at'], '2026-01-01T00:00:00.000Z');
});

test('documents stay when their source is deleted, and keep its id', async (t) => {
  const { admin, database } = t.context;
  const { body: me } = await admin.get('/api/auth/me');
  const sourceId = await givenSource(admin);
  const { id } = await givenDocument(database.db, { ownerId: String(me['id']), source: 'webdav', sourceId });
  await database.pool.query(`insert into source_files (source_id, path, state, document_id) values ($1, 'a.pdf', 'ingested', $2)`, [
    sourceId,
    id,
  ]);
  await admin.post(`/api/sources/${sourceId}/sync`, {});
  t.is((await admin.delete(`/api/sources/${sourceId}`)).status, 204);
  t.is((await admin.get(`/api/documents/${id}`)).body['source_id'], sourceId);
  t.like((await admin.get(`/api/documents?source_id=${sourceId}`)).body, { pagination: { total: 1 } });
  const { rows } = await database.pool.query(
    'select source_id from sync_runs where source_id = $1 union all select source_id from source_files where source_id = $1',
    [sourceId],
  );
  t.deepEqual(rows, []);
});

test('one’s own sources are one’s own: others do not find them, an administrator does', async (t) => {
  const { admin, anyone } = t.context;
  for (const name of ['own-a', 'own-b']) await admin.register(name, 'editor');
  const [mine, other] = [await anyone.login('own-a'), await anyone.login('own-b')];
  const id = await givenSource(mine);
  for (const path of ['', '/sync-status']) t.is(codeOf(await other.get(`/api/sources/${id}${path}`)), 'SOURCE_NOT_FOUND', path);
  t.is((await other.get(`/api/health/sources/${id}`)).status, 404);
  t.is((await other.send('PUT', `/api/sources/${id}`, { url: 'https://evil.example/' })).status, 404);
  t.is((await other.post('/api/sources/test', { id })).status, 404);
  for (const path of ['sync', 'sync/cancel']) t.is((await other.post(`/api/sources/${id}/${path}`, {})).status, 404, path);
  t.is((await other.delete(`/api/sources/${id}`)).status, 404);
  t.like((await other.get('/api/sources')).body, { sources: [], pagination: { total: 0 } });
  t.is((await admin.get(`/api/sources/${id}`)).status, 200);
  t.is((await admin.send('PUT', `/api/sources/${id}`, { name: 'By admin' })).body['name'], 'By admin');
});

test('what is done to a source stands in the audit log', async (t) => {
  const { admin } = t.context;
  const id = await givenSource(admin, webdavSource({ name: 'Audited' }));
  await admin.send('PUT', `/api/sources/${id}`, { password: 'another', enabled: false });
  await admin.delete(`/api/sources/${id}`);
  for (const [action, details] of [
    ['source.created', { name: 'Audited', type: 'webdav' }],
    ['source.updated', { name: 'Audited', fields: ['enabled', 'password'] }],
    ['source.deleted', { name: 'Audited' }],
  ] as const) {
    const entries = (await admin.get(`/api/audit?action=${action}`)).body['data'] as { subject: { id: string } }[];
    t.like(
      entries.find(({ subject }) => subject.id === id),
      { actor: { username: 'admin' }, address: '127.0.0.1', outcome: 'success', details },
      action,
    );
  }
});

test('a user’s sources go to who gets their documents, with their secrets, or go with them', async (t) => {
  const { admin, anyone, database } = t.context;
  const { body: to } = await admin.get('/api/auth/me');
  for (const name of ['leaver-a', 'leaver-b']) await admin.register(name, 'editor');
  const idOf = async (name: string) => String((await (await anyone.login(name)).get('/api/auth/me')).body['id']);
  const [kept, lost] = [await givenSource(await anyone.login('leaver-a')), await givenSource(await anyone.login('leaver-b'))];
  const { rows: before } = await database.pool.query('select sealed_secret from sources where id = $1', [kept]);
  t.is((await admin.delete(`/api/users/${await idOf('leaver-a')}?transfer_to=${String(to['id'])}`)).status, 204);
  t.like((await admin.get(`/api/sources/${kept}`)).body, { owner_id: to['id'], has_secret: true });
  t.deepEqual((await database.pool.query('select sealed_secret from sources where id = $1', [kept])).rows, before);
  t.is((await admin.delete(`/api/users/${await idOf('leaver-b')}`)).status, 204);
  t.is((await admin.get(`/api/sources/${lost}`)).status, 404);
});
