// The rows of the specification about users: the endpoints with a known method and path, those whose path it hides, and its rules.
import { testWithApi } from '../support/running-api.ts';

const test = testWithApi({ ENABLE_REGISTRATION: 'true' });
const PASSWORD = 'correct horse battery';

const account = (username: string, role?: string) => ({
  username,
  email: `${username}@example.org`,
  password: PASSWORD,
  ...(role === undefined ? {} : { role }),
});

test('POST /api/auth/register: {username, email, password, role} answers 201', async (t) => {
  const { status, body } = await t.context.anyone.post('/api/auth/register', account('spec-registered', 'viewer'));
  t.is(status, 201);
  t.like(body, { username: 'spec-registered', email: 'spec-registered@example.org', role: 'viewer', display_name: null });
});

test('POST /api/users: an administrator’s {username, email, role} and password answer the created user', async (t) => {
  const { admin } = t.context;
  for (const role of ['admin', 'editor', 'viewer', 'auditor']) {
    const { status, body } = await admin.post('/api/users', account(`spec-${role}`, role));
    t.is(status, 201);
    t.like(body, { username: `spec-${role}`, role });
  }
});

test('GET /api/users: a list with at least id and username', async (t) => {
  const { status, body } = await t.context.admin.get('/api/users');
  t.is(status, 200);
  for (const user of body['data'] as Record<string, unknown>[]) {
    t.is(typeof user['id'], 'string');
    t.is(typeof user['username'], 'string');
  }
  t.like(body['pagination'], { page: 1, per_page: 20 });
});

test('POST /api/users/import: users as JSON', async (t) => {
  const { status, body } = await t.context.admin.post('/api/users/import', { users: [account('spec-imported', 'viewer')] });
  t.is(status, 200);
  t.like(body, { imported: 1, skipped: 0, errors: [] });
});

test('GET /api/users/{email}/groups: the groups of the user with this e-mail address', async (t) => {
  await t.context.admin.post('/api/users', account('spec-grouped', 'viewer'));
  const { status, body } = await t.context.admin.get('/api/users/spec-grouped@example.org/groups');
  t.is(status, 200);
  t.deepEqual(body, { email: 'spec-grouped@example.org', groups: [], role: 'viewer' });
});

test('Get user profile, update profile: {email, display_name}', async (t) => {
  await t.context.admin.post('/api/users', account('spec-profile', 'viewer'));
  const client = await t.context.anyone.login('spec-profile');
  t.like((await client.get('/api/users/profile')).body, { email: 'spec-profile@example.org' });
  const changed = await client.send('PUT', '/api/users/profile', {
    email: 'spec-p@example.org',
    display_name: 'Spec',
    password: 'correct horse battery',
  });
  t.is(changed.status, 200);
  t.like(changed.body, {
    email: 'spec-p@example.org',
    display_name: 'Spec',
  });
});

test('Change password', async (t) => {
  await t.context.admin.post('/api/users', account('spec-password', 'viewer'));
  const client = await t.context.anyone.login('spec-password');
  const { status } = await client.post('/api/users/change-password', { current_password: PASSWORD, new_password: 'another password' });
  t.is(status, 200);
  await t.notThrowsAsync(t.context.anyone.login('spec-password', 'another password'));
});

test('Roles: user listing, creation, import and the group query are for administrators only', async (t) => {
  const { admin, anyone } = t.context;
  for (const role of ['editor', 'viewer', 'auditor']) {
    await admin.post('/api/users', account(`spec-no-${role}`, role));
    const client = await anyone.login(`spec-no-${role}`);
    t.is((await client.get('/api/users')).status, 403, role);
    t.is((await client.post('/api/users', account('spec-x'))).status, 403, role);
    t.is((await client.post('/api/users/import', [])).status, 403, role);
    t.is((await client.get('/api/users/admin@example.org/groups')).status, 403, role);
  }
  t.is((await anyone.get('/api/users')).status, 401);
});

test('Limits: a username has 1 to 64 characters', async (t) => {
  const { admin } = t.context;
  const status = async (username: string) =>
    (await admin.post('/api/users', { ...account('x'), username, email: `spec-limit-${username.length}@example.org` })).status;
  t.is(await status('n'.repeat(64)), 201);
  t.is(await status('n'.repeat(65)), 400);
  t.is(await status(''), 400);
  t.is(await status('a/../b'), 400);
});
