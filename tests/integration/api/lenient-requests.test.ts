import type { ApiClient } from '@sheaf/testkit';
import { MAX_PER_PAGE } from '@sheaf/vocabulary/limits';
import type { ExecutionContext } from 'ava';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

type Body = Record<string, unknown>;

const uploadText = async (admin: ApiClient, name: string): Promise<string> =>
  String((await admin.upload({ name, bytes: new TextEncoder().encode(`the words of ${name}`) })).body['id']);

const LISTS = {
  '/api/documents': ['data', 'created_at'],
  '/api/ocr/queue': ['data', 'created_at'],
  '/api/notifications': ['notifications', 'created_at'],
  '/api/keys': ['data', 'name'],
  '/api/audit': ['data', 'created_at'],
  '/api/deliveries': ['data', 'created_at'],
  '/api/auth/sessions': ['data', 'created_at'],
  '/api/users': ['data', 'created_at'],
  '/api/labels': ['labels', 'created_at'],
  '/api/sources': ['sources', 'created_at'],
  '/api/ingest': ['data', 'created_at'],
} as const;

const giveRows = async (t: ExecutionContext<RunningApi>): Promise<void> => {
  const { admin, anyone } = t.context;
  for (const name of ['one.txt', 'two.txt', 'three.txt']) await uploadText(admin, name);
  for (const name of ['beta', 'Alpha', 'gamma']) {
    await admin.post('/api/keys', { name, scope: ['documents.read'] });
    await admin.post('/api/labels', { name });
    await anyone.post('/api/auth/login', { username: 'admin', password: 'wrong' });
  }
};

test.serial('every list is sorted by a field in either order, page after page and with cursors', async (t) => {
  const { admin } = t.context;
  await giveRows(t);
  for (const [path, [name, sort]] of Object.entries(LISTS)) {
    const idsOf = async (order: string): Promise<string[]> => {
      const { status, body } = await admin.get(`${path}?sort=${sort}&order=${order}&per_page=100`);
      t.is(status, 200, path);
      return (body[name] as Body[]).map((row) => String(row['id']));
    };
    const [up, down] = [await idsOf('asc'), await idsOf('desc')];
    t.deepEqual(up, down.toReversed(), path);
    const pages: string[] = [];
    for (let page = 1; page <= up.length; page += 1) {
      const { body } = await admin.get(`${path}?sort=${sort}&order=asc&per_page=1&page=${page}`);
      pages.push(...(body[name] as Body[]).map((row) => String(row['id'])));
    }
    t.deepEqual(pages, up, path);
    t.is((await admin.get(`${path}?sort=nothing`)).status, 400, path);
  }
});

test.serial('keys are sorted by their names whatever their case', async (t) => {
  const { admin } = t.context;
  for (const name of ['sorted beta', 'Sorted Alpha', 'sorted gamma']) await admin.post('/api/keys', { name, scope: ['documents.read'] });
  const { body } = await admin.get('/api/keys?sort=name&order=asc');
  t.deepEqual(
    (body['data'] as Body[]).map((key) => String(key['name'])).filter((name) => /^sorted/i.test(name)),
    ['Sorted Alpha', 'sorted beta', 'sorted gamma'],
  );
});

test.serial('more rows than a page has are cut, which the answer tells', async (t) => {
  const { admin } = t.context;
  const answer = await admin.request(`/api/documents?per_page=${MAX_PER_PAGE + 1}`);
  t.is(answer.headers.get('x-per-page-limit'), String(MAX_PER_PAGE));
  t.is(((await answer.json()) as { pagination: { per_page: number } }).pagination.per_page, MAX_PER_PAGE);
  t.is((await admin.request('/api/documents?per_page=100')).headers.get('x-per-page-limit'), null);
  const found = await admin.post('/api/search/advanced', { query: {}, per_page: 1_000 });
  t.is(found.status, 200);
});

test.serial('an empty parameter or form field and a slash at the end are as if they were not there', async (t) => {
  const { admin } = t.context;
  for (const path of ['/api/documents?status=&sort=&date_from=&label_ids=', '/api/documents/', '/api/labels/?q='])
    t.is((await admin.get(path)).status, 200, path);
  t.is((await admin.get('/health/')).status, 200);
  t.is((await admin.get('/api/search?q=')).status, 400);
  const id = await uploadText(admin, 'untitled.txt');
  t.is((await admin.get(`/api/documents/${id}/`)).body['id'], id);
  const form = new FormData();
  form.append('title', '');
  form.append('file', new Blob(['a text without a title']), 'kept name.txt');
  const uploaded = await admin.request('/api/documents/upload', { method: 'POST', body: form });
  t.is(((await uploaded.json()) as Body)['title'], 'kept name');
});

test.serial('a range of dates is taken by both searches', async (t) => {
  const { admin } = t.context;
  const filters = { date_range: { from: '2020', to: '2026-W30' } };
  const simple = await admin.get(`/api/search?q=words&sort=score&filters=${encodeURIComponent(JSON.stringify(filters))}`);
  const advanced = await admin.post('/api/search/advanced', { query: {}, filters, sort: [{ field: 'score' }] });
  t.deepEqual([simple.status, advanced.status], [200, 200]);
  const wrong = encodeURIComponent(JSON.stringify({ date_range: { from: 'yesterday' } }));
  t.is((await admin.get(`/api/search?q=words&filters=${wrong}`)).status, 400);
});
