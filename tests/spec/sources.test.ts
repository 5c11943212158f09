// The rows of the specification on sources: the resource's fields, the endpoints and operations, health, the feature flags.

import { codeOf, givenSource, PASSWORD } from '../support/given-source.ts';
import { testWithApi } from '../support/running-api.ts';
import { waitFor } from '../support/wait-for.ts';

const test = testWithApi();

const UUID = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const CREATE = {
  name: 'My Nextcloud',
  type: 'webdav',
  url: 'https://cloud.example.com/remote.php/dav/files/user/',
  username: 'user',
  password: PASSWORD,
  sync_interval: 3_600,
  recursive: true,
  file_patterns: ['*.pdf', '*.docx'],
};

test('Source: id, name, type, url, status, last_sync, next_sync, document_count; the password is not returned', async (t) => {
  const { admin } = t.context;
  const { status, body } = await admin.post('/api/sources', CREATE);
  t.is(status, 201);
  const { password: _password, ...returned } = CREATE;
  t.like(body, { ...returned, status: 'active', last_sync: null, document_count: 0 });
  t.regex(String(body['id']), UUID);
  t.is(new Date(String(body['next_sync'])).toISOString(), String(body['next_sync']));
  t.false(JSON.stringify(body).includes(PASSWORD));
  t.false('password' in body);
});

test('Source: last_sync and next_sync are timestamps', async (t) => {
  const { admin, database } = t.context;
  const id = await givenSource(admin, CREATE);
  await database.pool.query(`update sources set last_sync_at = '2026-01-01', next_sync_at = '2026-01-02' where id = $1`, [id]);
  t.like((await admin.get(`/api/sources/${id}`)).body, { last_sync: '2026-01-01T00:00:00.000Z', next_sync: '2026-01-02T00:00:00.000Z' });
});

test('List sources: 200 {sources: [source]}, with pagination beside it', async (t) => {
  const { admin } = t.context;
  const id = await givenSource(admin, CREATE);
  const { status, body } = await admin.get('/api/sources?page=1&per_page=100&sort=created_at&order=desc');
  t.is(status, 200);
  t.true((body['sources'] as { id: string }[]).some((source) => source.id === id));
  t.like(body['pagination'], { page: 1, per_page: 100, has_prev: false });
  t.like((await admin.get('/api/sources?per_page=101')).body['pagination'], { per_page: 100 });
});

test('Update / delete source', async (t) => {
  const { admin } = t.context;
  const path = `/api/sources/${await givenSource(admin, CREATE)}`;
  t.like(await admin.send('PUT', path, { name: 'Other', sync_interval: 7_200 }), {
    status: 200,
    body: { name: 'Other', sync_interval: 7_200 },
  });
  t.is((await admin.delete(path)).status, 204);
  t.is((await admin.get(path)).status, 404);
});

test('Trigger source sync: 202; Get sync status', async (t) => {
  const { admin } = t.context;
  const path = `/api/sources/${await givenSource(admin, CREATE)}`;
  const { status, body } = await admin.post(`${path}/sync`, {});
  t.is(status, 202);
  t.deepEqual(Object.keys(body).toSorted(), ['job_id', 'message']);
  t.regex(String(body['job_id']), UUID);
  const running = await admin.get(`${path}/sync-status`);
  t.is(running.status, 200);
  t.like(running.body, { state: 'running', job_id: body['job_id'] });
  const again = await admin.post(`${path}/sync`, {});
  t.deepEqual([again.status, codeOf(again)], [409, 'SYNC_RUNNING']);
});

test('Endpoints: POST /api/sources of the types S3-compatible bucket and local folder', async (t) => {
  const settings = {
    bucket: 'papers',
    region: 'eu-central-1',
    endpoint_url: 'https://s3.example.org',
    prefix: 'a/',
    force_path_style: true,
  };
  const source = { name: 'Bucket', type: 's3', username: 'AKIA', password: PASSWORD, sync_interval: 0, settings };
  t.like((await t.context.admin.post('/api/sources', source)).body, { type: 's3', settings, username: 'AKIA', next_sync: null });
  const folder = { name: 'Folder', type: 'local_folder', settings: { path: '/' } };
  t.is((await t.context.admin.post('/api/sources', folder)).status, 400, 'LOCAL_SOURCE_ROOTS names none');
});

test('Endpoints: GET /api/health/sources/{source_id} answers the health of one source', async (t) => {
  const { admin } = t.context;
  const id = await givenSource(admin, CREATE);
  const { status, body } = await admin.get(`/api/health/sources/${id}`);
  t.is(status, 200);
  t.like(body, { source_id: id, status: 'healthy' });
});

test('Health response: components.sources is an object source key to status string', async (t) => {
  const { admin, anyone } = t.context;
  const id = await givenSource(admin, CREATE);
  const read = async () => ((await anyone.get('/api/health')).body['components'] as { sources: Record<string, string> }).sources[id];
  t.is(await waitFor(read, { description: 'the source to be told of', limitMs: 5_000 }), 'healthy');
});

test('Errors: NOT_FOUND 404, VALIDATION_ERROR 400, FORBIDDEN 403', async (t) => {
  const { admin } = t.context;
  t.is((await admin.get('/api/sources/no-id')).status, 404);
  t.is(codeOf(await admin.post('/api/sources', { ...CREATE, sync_interval: 'often' })), 'VALIDATION_ERROR');
  const viewer = await admin.register('sources-viewer', 'viewer');
  t.is(codeOf(await viewer.post('/api/sources', CREATE)), 'FORBIDDEN');
});
