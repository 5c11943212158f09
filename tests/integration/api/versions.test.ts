// The two versions of the interface: one list of routes, mounted twice.

import { addressOf, describeRoutes, makeOpenApiDocument, routesOfVersion, SUNSET } from '@sheaf/api/testing';
import { loadConfig } from '@sheaf/config';
import { z } from 'zod';
import { startApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ FEATURE_API_V2: 'true' });
const configOf = (on: 'true' | 'false') => loadConfig({ environment: { FEATURE_API_V2: on } }).config;

test('every route below /api is served in version 2 too, to the same callers, under the same rules', async (t) => {
  const routes = describeRoutes(configOf('true'));
  const [first, second] = (['v1', 'v2'] as const).map((version) =>
    routesOfVersion(routes, version)
      .filter(({ path }) => path.startsWith('/api/'))
      .map(({ method, path, access, allowSelf }) => ({ method, path, access, allowSelf })),
  );
  t.true((first?.length ?? 0) > 80);
  t.deepEqual(second, first);
  t.deepEqual(
    describeRoutes(configOf('false')).map(({ method, path }) => `${method} ${path}`),
    routesOfVersion(routes, 'v1').map(({ method, path }) => `${method} ${path}`),
  );
});

test('the lists of version 1, and nothing else, are deprecated while there is a version 2', async (t) => {
  const { admin, anyone } = t.context;
  const deprecated = describeRoutes(configOf('true')).filter(({ isDeprecated }) => isDeprecated === true);
  t.deepEqual(deprecated.map(({ method, path }) => `${method} ${path}`).toSorted(), [
    'get /api/audit',
    'get /api/auth/sessions',
    'get /api/backups',
    'get /api/correspondents',
    'get /api/deliveries',
    'get /api/document-types',
    'get /api/documents',
    'get /api/fields',
    'get /api/hosts',
    'get /api/imports',
    'get /api/ingest',
    'get /api/keys',
    'get /api/labels',
    'get /api/notifications',
    'get /api/ocr/queue',
    'get /api/rules',
    'get /api/saved-searches',
    'get /api/search',
    'get /api/shares',
    'get /api/sources',
    'get /api/trash',
    'get /api/users',
    'get /api/users/imports',
    'post /api/search/advanced',
  ]);
  for (const { path } of deprecated.filter(({ method }) => method === 'get')) {
    const { headers } = await admin.get(`${path}${path.endsWith('search') ? '?q=x' : ''}`);
    t.is(headers.get('deprecation'), SUNSET.toUTCString(), path);
    t.is(headers.get('sunset'), SUNSET.toUTCString(), path);
    t.is(headers.get('link'), `<${path.replace('/api/', '/api/v2/')}>; rel="successor-version"`, path);
  }
  t.true(SUNSET > new Date('2027-01-01'));
  for (const client of [admin, anyone]) t.is((await client.get('/api/documents')).headers.has('deprecation'), true);
  for (const path of ['/api/v2/documents', '/api/v2/version', '/api/version', '/health'])
    t.false((await admin.get(path)).headers.has('deprecation'), path);
});

test('signing in, uploading and reading go through version 2 from end to end', async (t) => {
  const { anyone, admin } = t.context;
  const { status, body } = await anyone.post('/api/v2/auth/login', { username: 'admin', password: 'correct horse battery' });
  t.is(status, 200);
  const form = new FormData();
  form.set('file', new Blob(['by version 2']), 'two.txt');
  const headers = { authorization: `Bearer ${String(body['token'])}` };
  const uploaded = await anyone.request('/api/v2/documents/upload', { method: 'POST', body: form, headers });
  t.is(uploaded.status, 201);
  const { id } = (await uploaded.json()) as { id: string };
  t.is((await admin.get(`/api/documents/${id}`)).body['filename'], 'two.txt');
  t.is(await (await admin.request(`/api/v2/documents/${id}/download`)).text(), 'by version 2');
  t.is((await anyone.get('/api/v2/documents')).status, 401);
  const page = await anyone.request('/api/v2/docs');
  t.is(page.status, 200);
  for (const [, file = ''] of (await page.text()).matchAll(/(?:src|href)="([^"]+)"/g))
    t.is((await anyone.request(`/api/v2/${file}`)).status, 200, file);
});

test('a list by cursor says which orders move under the reader, and which one never does', (t) => {
  const routes = describeRoutes(configOf('true'));
  const sortsOf = (version: 'v1' | 'v2') =>
    routesOfVersion(routes, version).flatMap(({ path, query }) => {
      const sort = query instanceof z.ZodObject ? (query.shape['sort'] as z.ZodType | undefined) : undefined;
      // lists inside a document have numbered pages in both versions
      const hasCursor = !['/api/search', '/api/roles', '/api/hosts'].includes(path) && !path.startsWith('/api/documents/{id}/');
      return sort === undefined || !hasCursor ? [] : [{ path, sort }];
    });
  t.true(sortsOf('v2').length >= 5);
  for (const { path, sort } of sortsOf('v2')) {
    t.regex(sort.description ?? '', /appear twice or be skipped.* `created_at`/, path);
    t.true(sort.safeParse('created_at').success, path);
  }
  for (const { path, sort } of sortsOf('v1')) t.notRegex(sort.description ?? '', /twice/, path);
  const queue = routesOfVersion(routes, 'v2').find(({ method, path }) => method === 'get' && path === '/api/ocr/queue');
  t.regex(queue?.description ?? '', /appear twice or be skipped/);
});

test('each version names itself where the version is asked for, and differs in nothing else', async (t) => {
  const { admin } = t.context;
  const [first, second] = [(await admin.get('/api/version')).body, (await admin.get('/api/v2/version')).body];
  t.is(first['api_version'], 'v1');
  t.deepEqual(second, { ...first, api_version: 'v2' });
});

test('uploads of both versions count together', async (t) => {
  const api = await startApi({ FEATURE_API_V2: 'true', RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_UPLOADS_PER_MINUTE: '2' });
  try {
    const upload = async (path: string) => {
      const form = new FormData();
      form.set('file', new Blob([path]), 'x.txt');
      return (await api.admin.request(path, { method: 'POST', body: form })).status;
    };
    t.is(await upload('/api/documents/upload'), 201);
    t.is(await upload('/api/v2/documents/upload'), 201);
    t.is(await upload('/api/v2/documents/upload'), 429);
    t.is((await api.anyone.get('/api/v2/health')).headers.has('x-ratelimit-limit'), false, 'exempt in both');
  } finally {
    await api.stop();
  }
});

test('each version has a text of its own', async (t) => {
  const routes = describeRoutes(configOf('true'));
  for (const version of ['v1', 'v2'] as const) {
    const path = addressOf({ path: '/api/openapi.json', ...(version === 'v2' ? { version } : {}) });
    const { body } = await t.context.anyone.get(path);
    const expected = makeOpenApiDocument(routesOfVersion(routes, version));
    t.deepEqual(Object.keys(body['paths'] as object), Object.keys(expected.paths ?? {}), version);
    t.is(
      Object.keys(body['paths'] as object).some((name) => name.startsWith('/api/v2/')),
      version === 'v2',
    );
    t.is(expected.paths?.['/api/documents']?.get?.deprecated, version === 'v1' ? true : undefined);
  }
});
