import { createHmac } from 'node:crypto';
import { ApiClient } from '@sheaf/testkit';
import test from 'ava';
import { startApi } from '../../support/running-api.ts';

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

test('ADMIN_PASSWORD makes the administrator while there is no user', async (t) => {
  const api = await startApi();
  await api.database.pool.query('delete from users');
  const { Identity } = await import('@sheaf/identity');
  const { Secret } = await import('@sheaf/contract');
  const { silentLogger, systemClock } = await import('@sheaf/runtime');
  const settings = {
    jwtSecret: new Secret('x'.repeat(32)),
    tokenLifeMs: 1_000,
    registrationEnabled: false,
    defaultRole: 'viewer',
    passwordMinLength: 8,
  } as const;
  const identity = new Identity({ db: api.database.db, clock: systemClock, log: silentLogger(), settings });
  await Promise.all([
    identity.makeConfiguredAdministrator(new Secret('from the environment')),
    identity.makeConfiguredAdministrator(new Secret('another')),
  ]);
  const { body } = await api.anyone.post('/api/auth/login', { username: 'admin', password: 'from the environment' });
  const other = await api.anyone.post('/api/auth/login', { username: 'admin', password: 'another' });
  t.is([body, other.body].filter((answer) => answer['token'] !== undefined).length, 1);
  await api.stop();
});

test('a login answers a token that works until logout', async (t) => {
  const api = await startApi();
  const { body } = await api.anyone.post('/api/auth/login', { username: 'ADMIN@example.org', password: 'correct horse battery' });
  t.deepEqual(Object.keys(body).toSorted(), ['expires_at', 'token', 'user']);
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
  t.is(await status(token), 401);
  await api.stop();
});
