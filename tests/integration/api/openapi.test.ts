import { savePages } from '@sheaf/documents/pages';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { type OpenApiChecker, openChecker } from '../../support/openapi-checker.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

const json = (method: string, body: unknown): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

const idOf = (body: unknown): string => z.looseObject({ id: z.string() }).parse(body).id;

type Check = OpenApiChecker['check'];

const checkSources = async ({ context: { admin } }: ExecutionContext<RunningApi>, check: Check): Promise<void> => {
  const places = [
    { type: 'webdav', url: 'https://dav.example.org/files/', username: 'ada', password: 'a password' },
    { type: 's3', username: 'key', password: 'a secret', settings: { bucket: 'papers', region: 'eu-central-1' } },
  ];
  const ids: string[] = [];
  for (const place of places) {
    const made = await admin.request('/api/sources', json('POST', { name: place.type, ...place }));
    ids.push(idOf(await check('post', '/api/sources', 201, made)));
  }
  const path = `/api/sources/${ids[0]}`;
  await check('get', '/api/sources', 200, await admin.request('/api/sources'));
  await check('get', '/api/sources/{id}', 200, await admin.request(path));
  await check('put', '/api/sources/{id}', 200, await admin.request(path, json('PUT', { name: 'Other' })));
  await check('get', '/api/sources/{id}/sync-status', 200, await admin.request(`${path}/sync-status`));
  await check('post', '/api/sources/{id}/sync', 202, await admin.request(`${path}/sync`, { method: 'POST' }));
  await check('post', '/api/sources/{id}/sync', 409, await admin.request(`${path}/sync`, { method: 'POST' }));
  await check('get', '/api/sources/{id}/sync-status', 200, await admin.request(`${path}/sync-status`));
  await check('post', '/api/sources/{id}/sync/cancel', 200, await admin.request(`${path}/sync/cancel`, { method: 'POST' }));
  await check('get', '/api/health/sources/{source_id}', 200, await admin.request(`/api/health/sources/${ids[0]}`));
  const refused = { type: 'webdav', url: 'http://127.0.0.1:1/' };
  await check('post', '/api/sources/test', 200, await admin.request('/api/sources/test', json('POST', refused)));
  await check('post', '/api/sources', 400, await admin.request('/api/sources', json('POST', { type: 's3' })));
  await check('delete', '/api/sources/{id}', 204, await admin.request(path, { method: 'DELETE' }));
};

test('what the service answers is what its text says', async (t) => {
  const { anyone, admin, database } = t.context;
  const { check } = await openChecker(t);
  const credentials = { username: 'admin', password: 'correct horse battery' };
  await check('post', '/api/auth/login', 200, await anyone.request('/api/auth/login', json('POST', credentials)));
  await check('get', '/api/auth/me', 200, await admin.request('/api/auth/me'));
  const newUser = { username: 'fay', email: 'fay@example.org', password: 'correct horse battery', role: 'viewer' };
  await check('post', '/api/auth/register', 201, await admin.request('/api/auth/register', json('POST', newUser)));

  const form = new FormData();
  form.set('title', 'A letter');
  form.set('file', new Blob(['the words of a letter']), 'letter.txt');
  const id = idOf(
    await check('post', '/api/documents/upload', 201, await admin.request('/api/documents/upload', { method: 'POST', body: form })),
  );
  await check('get', '/api/documents', 200, await admin.request('/api/documents?per_page=5'));
  await check('get', '/api/documents/{id}', 200, await admin.request(`/api/documents/${id}`));
  await check('get', '/api/documents/{id}/download', 200, await admin.request(`/api/documents/${id}/download`));
  await check(
    'get',
    '/api/documents/{id}/download',
    206,
    await admin.request(`/api/documents/${id}/download`, { headers: { range: 'bytes=4-8' } }),
  );

  const labelFields = { name: 'Post', color: '#112233', description: 'What comes by post' };
  const label = idOf(await check('post', '/api/labels', 201, await admin.request('/api/labels', json('POST', labelFields))));
  await check('get', '/api/labels', 200, await admin.request('/api/labels'));
  await check('get', '/api/labels/{id}', 200, await admin.request(`/api/labels/${label}`));
  await check('put', '/api/labels/{id}', 200, await admin.request(`/api/labels/${label}`, json('PUT', { name: 'Mail' })));
  await check(
    'post',
    '/api/labels/{id}/assign',
    200,
    await admin.request(`/api/labels/${label}/assign`, json('POST', { document_ids: [id] })),
  );
  const change = { title: 'Another letter', labels: ['mail'], metadata: { box: 7 } };
  await check('put', '/api/documents/{id}', 200, await admin.request(`/api/documents/${id}`, json('PUT', change)));
  await check('patch', '/api/documents/{id}', 200, await admin.request(`/api/documents/${id}`, json('PATCH', { title: 'A letter' })));
  await check('get', '/api/documents/{id}/pages', 200, await admin.request(`/api/documents/${id}/pages`));
  await savePages(database.db, id, [{ page: 1, content: 'a letter', confidence: 1, origin: 'text' }]);
  await check('get', '/api/documents/{id}/pages/{page}/words', 200, await admin.request(`/api/documents/${id}/pages/1/words`));
  const several = new FormData();
  several.append('files', new Blob(['the words of a postcard']), 'postcard.txt');
  several.append('files', new Blob(['']), 'empty.txt');
  await check(
    'post',
    '/api/documents/bulk-upload',
    201,
    await admin.request('/api/documents/bulk-upload', { method: 'POST', body: several }),
  );
  const action = { ids: [id], action: 'add_labels', labels: [label] };
  await check('post', '/api/documents/bulk', 200, await admin.request('/api/documents/bulk', json('POST', action)));

  await checkSources(t, check);
  await check('get', '/api/search', 200, await admin.request('/api/search?q=letter'));
  await check('get', '/api/search/suggest', 200, await admin.request('/api/search/suggest?q=lett'));
  const advanced = { query: { must: [{ field: 'title', value: 'letter', type: 'match' }] } };
  await check('post', '/api/search/advanced', 200, await admin.request('/api/search/advanced', json('POST', advanced)));
  await check('get', '/api/ocr/queue/status', 200, await admin.request('/api/ocr/queue/status'));
  const queue = await check('get', '/api/ocr/queue', 200, await admin.request('/api/ocr/queue'));
  const [item] = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) }).parse(queue).data;
  t.truthy(item);
  await check(
    'put',
    '/api/ocr/queue/{id}/priority',
    200,
    await admin.request(`/api/ocr/queue/${item?.id ?? ''}/priority`, json('PUT', { priority: 'high' })),
  );
  await check('delete', '/api/ocr/queue/{id}', 204, await admin.request(`/api/ocr/queue/${item?.id ?? ''}`, { method: 'DELETE' }));
  await check('post', '/api/documents/{id}/retry-ocr', 200, await admin.request(`/api/documents/${id}/retry-ocr`, { method: 'POST' }));

  await check('get', '/api/version', 200, await admin.request('/api/version'));
  await check('get', '/api/health', 200, await anyone.request('/api/health'));
  await check('get', '/status', 200, await anyone.request('/status'));
  await check('get', '/health', 200, await anyone.request('/health'));
  await check('get', '/ready', 200, await anyone.request('/ready'));
  await check('get', '/metrics', 200, await anyone.request('/metrics'));
  await check('get', '/api/openapi.json', 200, await anyone.request('/api/openapi.json'));
  await check('get', '/api/docs', 200, await anyone.request('/api/docs'));
  await check('delete', '/api/documents/{id}', 204, await admin.request(`/api/documents/${id}`, { method: 'DELETE' }));
});

test('errors are what the text says as well', async (t) => {
  const { anyone, admin } = t.context;
  const { check } = await openChecker(t);
  const wrong = { username: 'admin', password: 'wrong' };
  await check('post', '/api/auth/login', 401, await anyone.request('/api/auth/login', json('POST', wrong)));
  await check('post', '/api/auth/login', 400, await anyone.request('/api/auth/login', json('POST', '{"username"')));
  await check('get', '/api/documents', 401, await anyone.request('/api/documents'));
  await check('get', '/api/documents', 400, await admin.request('/api/documents?per_page=0'));
  const viewer = await admin.register('gus', 'viewer');
  await check('post', '/api/documents/upload', 403, await viewer.request('/api/documents/upload', { method: 'POST' }));
  await check('post', '/api/documents/upload', 400, await admin.request('/api/documents/upload', { method: 'POST' }));
  const nobody = '0190f0f0-0000-7000-8000-000000000000';
  await check('get', '/api/documents/{id}', 404, await admin.request(`/api/documents/${nobody}`));
  await check('get', '/api/documents/{id}', 404, await admin.request('/api/documents/not-an-id'));
  const taken = { username: 'admin', email: 'other@example.org', password: 'correct horse battery' };
  await check('post', '/api/auth/register', 409, await admin.request('/api/auth/register', json('POST', taken)));
});

test('the text is answered once for an unchanged one', async (t) => {
  const first = await t.context.anyone.request('/api/openapi.json');
  await first.arrayBuffer();
  const etag = first.headers.get('etag');
  t.regex(etag ?? '', /^"[\w-]+"$/);
  const second = await t.context.anyone.request('/api/openapi.json', {
    // fetch would ask for a fresh copy by itself
    headers: { 'if-none-match': etag ?? '', 'cache-control': 'max-age=0' },
  });
  t.is(second.status, 304);
});

test('the page needs no other host, no script in the page and nothing that is not there', async (t) => {
  const { anyone } = t.context;
  const page = await anyone.request('/api/docs');
  t.is(page.status, 200);
  t.regex(page.headers.get('content-security-policy') ?? '', /default-src 'none'; script-src 'self'; style-src 'self'/);
  const html = await page.text();
  t.notRegex(html, /https?:|<script(?![^>]*src=)|<style| on\w+=/);
  const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file);
  t.deepEqual(files.toSorted(), [
    'docs/favicon-32x32.png',
    'docs/start.js',
    'docs/swagger-ui-bundle.js',
    'docs/swagger-ui.css',
    'openapi.json',
  ]);
  for (const file of files) {
    const answer = await anyone.request(`/api/${file}`);
    t.is(answer.status, 200, file);
    t.true((await answer.arrayBuffer()).byteLength > 100, file);
    t.is(answer.headers.get('x-content-type-options'), 'nosniff');
  }
});

test('no other file of the page’s folders is served', async (t) => {
  const names = ['index.html', 'package.json', 'swagger-initializer.js', '..%2froutes.ts', '%2e%2e%2f%2e%2e%2fpackage.json', 'constructor'];
  for (const name of names) {
    const answer = await t.context.anyone.request(`/api/docs/${name}`);
    await answer.arrayBuffer();
    t.is(answer.status, 404, name);
  }
});
