// API keys over HTTP.

import { conditionOf } from '../../support/error-condition.ts';
import { startApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ API_KEY_HEADER: 'X-Paper-Key', API_KEY_EXPIRY_DAYS: '30' });
const errorOf = (body: Record<string, unknown>): unknown => conditionOf(body);

test('an administrator makes a key, which is shown once and works in the header that API_KEY_HEADER names', async (t) => {
  const { admin, anyone } = t.context;
  const { status, body } = await admin.post('/api/keys', { name: 'scanner', scope: ['documents.read'] });
  t.is(status, 201);
  t.deepEqual(Object.keys(body).toSorted(), ['created_at', 'expires_at', 'id', 'key', 'name', 'prefix', 'scope']);
  t.regex(String(body['key']), /^shf_[\w-]{43}$/);
  const days = (new Date(String(body['expires_at'])).getTime() - Date.now()) / 86_400_000;
  t.true(days > 29.9 && days <= 30, String(days));
  const headers = { 'x-paper-key': String(body['key']) };
  t.is((await anyone.request('/api/documents', { headers })).status, 200);
  t.is((await anyone.request('/api/labels', { headers })).status, 403);
  t.is((await anyone.request('/api/documents', { headers: { 'x-api-key': String(body['key']) } })).status, 401);
  t.is((await anyone.request('/api/documents', { headers: { authorization: `Bearer ${String(body['key'])}` } })).status, 401);
  const me = (await (await anyone.request('/api/auth/me', { headers })).json()) as Record<string, unknown>;
  t.deepEqual(me['permissions'], ['documents.read']);
});

test('the list shows no key, and a revoked one is gone from it and works no more', async (t) => {
  const { admin, anyone } = t.context;
  const { body } = await admin.post('/api/keys', { name: 'to be revoked', scope: ['*'] });
  const headers = { 'x-paper-key': String(body['key']) };
  t.is((await anyone.request('/api/documents', { headers })).status, 200);
  const list = await admin.get('/api/keys?per_page=100');
  const mine = (list.body['data'] as Record<string, unknown>[]).find(({ id }) => id === body['id']);
  t.like(mine, { name: 'to be revoked', prefix: String(body['key']).slice(0, 12), owner: 'admin' });
  t.false(JSON.stringify(list.body).includes(String(body['key'])));
  t.truthy(mine?.['last_used_at']);
  t.is((await admin.delete(`/api/keys/${String(body['id'])}`)).status, 204);
  t.is((await anyone.request('/api/documents', { headers })).status, 401);
  t.is(errorOf((await admin.delete(`/api/keys/${String(body['id'])}`)).body), 'KEY_NOT_FOUND');
  t.false(JSON.stringify((await admin.get('/api/keys?per_page=100')).body).includes(String(body['id'])));
});

test('a key makes no keys, changes no password, and sees, opens and ends no sessions', async (t) => {
  const { admin, anyone } = t.context;
  const { body } = await admin.post('/api/keys', { name: 'strong', scope: ['*'] });
  const headers = { 'x-paper-key': String(body['key']), 'content-type': 'application/json' };
  for (const [method, path] of [
    ['POST', '/api/keys'],
    ['POST', '/api/users/change-password'],
    ['GET', '/api/auth/sessions'],
    ['DELETE', '/api/auth/sessions'],
    ['POST', '/api/auth/logout'],
    ['GET', '/api/auth/mfa'],
  ] as const) {
    const init = { method, headers, ...(method === 'GET' ? {} : { body: JSON.stringify({ name: 'x', scope: ['*'] }) }) };
    t.is((await anyone.request(path, init)).status, 403, `${method} ${path}`);
  }
});

test('a body that is not as it should be is refused: mass assignment, types, permissions that are none', async (t) => {
  const { admin } = t.context;
  const good = { name: 'x', scope: ['documents.read'] };
  for (const wrong of [
    { ...good, user_id: '00000000-0000-7000-8000-000000000000' },
    { ...good, expires_at: '2099-01-01T00:00:00.000Z' },
    { ...good, key: `shf_${'A'.repeat(43)}` },
    { ...good, scope: 'documents.read' },
    { ...good, scope: [] },
    { ...good, scope: ['documents.fly'] },
    { ...good, scope: [{ $ne: 1 }] },
    { ...good, name: '' },
    { ...good, name: ['x'] },
    [good],
    'x',
    null,
  ])
    t.is((await admin.post('/api/keys', wrong)).status, 400, JSON.stringify(wrong));
});

test('API_KEY_ENABLED=false: the endpoints say so, and no key is taken', async (t) => {
  const api = await startApi({ API_KEY_ENABLED: 'false' });
  const answer = await api.admin.post('/api/keys', { name: 'x', scope: ['*'] });
  t.is(answer.status, 404);
  t.is(errorOf(answer.body), 'FEATURE_DISABLED');
  t.is((await api.anyone.request('/api/documents', { headers: { 'x-api-key': `shf_${'A'.repeat(43)}` } })).status, 401);
  await api.stop();
});
