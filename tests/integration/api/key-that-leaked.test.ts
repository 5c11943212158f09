// Who finds a key may use it until it is revoked, and must not be able to stay when it is.

import type { ApiClient } from '@sheaf/testkit';
import { BUILT_IN_ROLES, permissionsOfKey } from '@sheaf/vocabulary/permissions';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ ENABLE_REGISTRATION: 'false' });

const PASSWORD = 'correct horse battery';

const withKey = async ({ admin, anyone }: RunningApi, scope: readonly string[]) => {
  const { body } = await admin.post('/api/keys', { name: scope.join(), scope });
  const headers = { 'x-api-key': String(body['key']), 'content-type': 'application/json' };
  return async (method: string, path: string, content: unknown): Promise<number> => {
    const answer = await anyone.request(path, { method, headers, body: JSON.stringify(content) });
    await answer.arrayBuffer();
    return answer.status;
  };
};

const idOf = async (client: ApiClient): Promise<string> => String((await client.get('/api/auth/me')).body['id']);

let made = 0;
const account = () => {
  made += 1;
  return { username: `made-${made}`, email: `made-${made}@example.org`, password: PASSWORD, role: 'editor' };
};

test('a key whose scope is * leaves nobody behind and opens no other access', async (t) => {
  const other = await idOf(await t.context.admin.register('other', 'viewer'));
  const send = await withKey(t.context, ['*']);
  t.is(await send('POST', '/api/users', account()), 403);
  t.is(await send('POST', '/api/auth/register', account()), 403);
  t.is(await send('POST', '/api/users/import', [account()]), 403);
  for (const change of [{ role: 'editor' }, { email: 'thief@example.org' }, { username: 'mine' }])
    t.is(await send('PUT', `/api/users/${other}`, change), 403, JSON.stringify(change));
  t.is(await send('PUT', `/api/users/${other}/password`, { new_password: PASSWORD }), 403);
  t.is(await send('PUT', '/api/settings', { system: { registration_enabled: true } }), 403);
  t.is(await send('POST', '/api/keys', { name: 'another', scope: ['*'] }), 403);
  t.is(await send('PUT', '/api/users/profile', { email: 'thief@example.org' }), 403);
  t.is(await send('POST', '/api/auth/mfa/totp/setup', {}), 403);
});

test('a key whose scope names what it is for manages users', async (t) => {
  for (const scope of [
    ['*', 'users.create'],
    ['*', 'users.*'],
  ]) {
    const send = await withKey(t.context, scope);
    t.is(await send('POST', '/api/users', account()), 201, scope.join());
  }
  const send = await withKey(t.context, ['*', 'users.*']);
  t.is(await send('POST', '/api/users', { ...account(), role: 'admin' }), 403, 'though never an administrator');
});

test('beside *, a named permission reaches as far as it says', (t) => {
  const permissions = permissionsOfKey(['*', 'users.update.own'], BUILT_IN_ROLES.admin);
  t.true(permissions.includes('users.update.own'));
  t.false(permissions.includes('users.update'));
  t.true(permissions.includes('users.read'));
});
