import { createHmac } from 'node:crypto';
import { ApiClient } from '@sheaf/testkit';
import test from 'ava';
import { startApi } from '../../support/running-api.ts';
import { waitFor } from '../../support/wait-for.ts';

const account = (username: string, extra: Record<string, unknown> = {}) => ({
  username,
  email: `${username}@example.org`,
  password: 'correct horse battery',
  ...extra,
});

test('of many who register at once on an empty service exactly one becomes administrator', async (t) => {
  const api = await startApi();
  try {
    // startApi registered the first one; a fresh start is needed for the race
    await api.database.pool.query('delete from users');
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => api.anyone.post('/api/auth/register', account(`user${n}`, { role: 'viewer' }))),
    );
    const made = answers.filter(({ status }) => status === 201);
    t.is(made.length, 1);
    t.is(made[0]?.body['role'], 'admin');
    t.true(answers.every(({ status }) => status === 201 || status === 403));
  } finally {
    await api.stop();
  }
});

test('registration is closed unless it is opened, and then gives no more than the default role', async (t) => {
  const closed = await startApi();
  t.is((await closed.anyone.post('/api/auth/register', account('eve'))).status, 403);
  t.is((await closed.admin.post('/api/auth/register', account('eve', { role: 'editor' }))).body['role'], 'editor');
  await closed.stop();

  const open = await startApi({ ENABLE_REGISTRATION: 'true', DEFAULT_USER_ROLE: 'viewer' });
  t.is((await open.anyone.post('/api/auth/register', account('eve'))).body['role'], 'viewer');
  t.is((await open.anyone.post('/api/auth/register', account('mallory', { role: 'admin' }))).status, 403);
  const { status, body } = await open.anyone.post('/api/auth/register', account('EVE', { email: 'other@example.org' }));
  t.is(status, 409);
  t.is((body['error'] as Record<string, unknown>)['code'], 'DUPLICATE_RESOURCE');
  t.is((await open.anyone.post('/api/auth/register', account('eve2', { email: 'EVE@example.org' }))).status, 409);
  t.is((await open.anyone.post('/api/auth/register', account('frank', { password: 'short' }))).status, 400);
  t.is((await open.anyone.post('/api/auth/register', account('../frank'))).status, 400);
  await open.stop();
});

test('a login answers a token that works until logout', async (t) => {
  const api = await startApi();
  const { body } = await api.anyone.post('/api/auth/login', { username: 'ADMIN@example.org', password: 'correct horse battery' });
  t.deepEqual(Object.keys(body).toSorted(), ['expires_at', 'refresh_expires_at', 'refresh_token', 'token', 'user']);
  t.deepEqual(Object.keys(body['user'] as object).toSorted(), ['email', 'id', 'role', 'username']);
  t.true(new Date(String(body['expires_at'])) > new Date());
  const client = new ApiClient(api.anyone.url, String(body['token']));
  t.is((await client.get('/api/auth/me')).body['username'], 'admin');
  t.is((await client.post('/api/auth/logout', {})).status, 200);
  t.is((await client.get('/api/auth/me')).status, 401);
  t.is((await api.admin.get('/api/auth/me')).status, 200, 'another session goes on');
  await api.stop();
});

test('an unknown user and a wrong password answer alike', async (t) => {
  const api = await startApi();
  const strip = (body: Record<string, unknown>) => ({ ...(body['error'] as object), timestamp: '', request_id: '' });
  const unknown = await api.anyone.post('/api/auth/login', { username: 'nobody', password: 'correct horse battery' });
  const wrong = await api.anyone.post('/api/auth/login', { username: 'admin', password: 'wrong horse battery' });
  t.is(unknown.status, 401);
  t.is(wrong.status, 401);
  t.deepEqual(strip(unknown.body), strip(wrong.body));
  await api.stop();
});

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

test('a token that was altered, unsigned, signed with another key, expired, or whose user is disabled is refused', async (t) => {
  const api = await startApi({ JWT_SECRET: 's'.repeat(40) });
  const { body } = await api.anyone.post('/api/auth/login', { username: 'admin', password: 'correct horse battery' });
  const token = String(body['token']);
  const [header = '', payload = '', signature = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
  const sign = (head: unknown, content: unknown, key: string) => {
    const text = `${encode(head)}.${encode(content)}`;
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  };
  const head = { alg: 'HS256', typ: 'at+jwt' };
  const status = async (forged: string) => (await new ApiClient(api.anyone.url, forged).get('/api/auth/me')).status;
  t.is(await status(sign(head, claims, 's'.repeat(40))), 200, 'the forger works');
  t.is(await status(`${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.`), 401);
  t.is(await status(`${header}.${payload}.${signature.slice(0, -2)}AA`), 401);
  t.is(await status(sign(head, claims, 'k'.repeat(40))), 401);
  t.is(await status(sign(head, { ...claims, exp: 1_000 }, 's'.repeat(40))), 401);
  t.is(await status(sign(head, { ...claims, aud: 'other' }, 's'.repeat(40))), 401);
  t.is(await status(sign(head, { ...claims, sid: claims['sub'] }, 's'.repeat(40))), 401);
  await api.database.pool.query('update users set disabled_at = now()');
  // from outside the service: the database tells it
  await waitFor(async () => (await status(token)) === 401, { description: 'the disabled user to be refused', limitMs: 20_000 });
  t.pass();
  await api.stop();
});

test('what a sign-in does not take is refused: other types, objects where text belongs, fields that are not its', async (t) => {
  const api = await startApi();
  const good = { username: 'admin', password: 'correct horse battery' };
  for (const wrong of [
    { ...good, password: { $ne: 1 } },
    { ...good, password: ['correct horse battery'] },
    { ...good, password: 1 },
    { ...good, password: true },
    { ...good, password: null },
    { ...good, username: { $gt: '' } },
    { ...good, username: ['admin'] },
    { ...good, role: 'admin' },
    { ...good, id: 'x' },
    { ...good, cookie: 'true' },
    { ...good, remember_me: 1 },
    { username: 'admin' },
    [good],
    'admin',
  ])
    t.is((await api.anyone.post('/api/auth/login', wrong)).status, 400, JSON.stringify(wrong));
  for (const wrong of [{ refresh_token: { $ne: 1 } }, { refresh_token: ['x'] }, { refresh_token: '' }, {}])
    t.is((await api.anyone.post('/api/auth/refresh', wrong)).status, 400, JSON.stringify(wrong));
  for (const extra of [
    { id: '00000000-0000-7000-8000-000000000000' },
    { disabled_at: null },
    { auth_method: 'oidc' },
    { email_verified_at: 'x' },
  ])
    t.is((await api.admin.post('/api/auth/register', account('mallory', extra))).status, 400, JSON.stringify(extra));
  await api.stop();
});

test('refreshing and signing out go together: after it neither token works', async (t) => {
  const api = await startApi();
  const { body } = await api.anyone.post('/api/auth/login', { username: 'admin', password: 'correct horse battery' });
  const next = await api.anyone.post('/api/auth/refresh', { refresh_token: body['refresh_token'] });
  t.is(next.status, 200);
  t.deepEqual(Object.keys(next.body).toSorted(), Object.keys(body).toSorted());
  const client = new ApiClient(api.anyone.url, String(next.body['token']));
  t.is((await client.post('/api/auth/logout', {})).status, 200);
  t.is((await client.get('/api/auth/me')).status, 401);
  t.is((await api.anyone.post('/api/auth/refresh', { refresh_token: next.body['refresh_token'] })).status, 401);
  await api.stop();
});

test('everybody sees and ends their own sessions, and nobody those of others', async (t) => {
  const api = await startApi();
  const ann = await api.admin.register('ann');
  const other = await api.anyone.login('ann');
  const list = async (client: ApiClient) => (await client.get('/api/auth/sessions')).body['data'] as Record<string, unknown>[];
  const [newest, oldest] = await list(ann);
  t.deepEqual([newest?.['is_current'], oldest?.['is_current']], [false, true]);
  t.like(oldest, { kind: 'token', method: 'local', address: '127.0.0.1' });
  const [ofAdmin] = await list(api.admin);
  const stranger = await ann.delete(`/api/auth/sessions/${String(ofAdmin?.['id'])}`);
  t.is(stranger.status, 404);
  t.is((await ann.delete(`/api/auth/sessions/${String(newest?.['id'])}`)).status, 204);
  t.is((await other.get('/api/auth/me')).status, 401);
  await Promise.all([api.anyone.login('ann'), api.anyone.login('ann')]);
  t.is((await ann.delete('/api/auth/sessions')).body['ended'], 2);
  t.is((await list(ann)).length, 1);
  await api.stop();
});

test('how one can sign in is told to everybody', async (t) => {
  const api = await startApi();
  t.deepEqual((await api.anyone.get('/api/auth/config')).body, {
    method: 'local',
    registration_enabled: false,
    oidc_enabled: false,
    saml_enabled: false,
    ldap_enabled: false,
    mfa_methods: [],
    setup_required: false,
    setup_code_required: false,
    user_watch_enabled: false,
    password_rules: { min_length: 8, require_numbers: false, require_special: false },
    share_links_enabled: true,
    csrf_cookie: 'sheaf_session_csrf',
  });
  await api.stop();
});

test('AUTH_ENABLED=false: who comes is administrator, also to make the first documents', async (t) => {
  const api = await startApi({ AUTH_ENABLED: 'false' });
  t.deepEqual((await api.anyone.get('/api/auth/me')).body['permissions'], ['*']);
  t.is((await api.anyone.upload({ name: 'first.txt', bytes: new TextEncoder().encode('some words') })).status, 201);
  await api.stop();
});
