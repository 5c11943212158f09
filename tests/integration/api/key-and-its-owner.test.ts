// A key with a narrow scope is no way to become its owner, nor to harm them.

import { requireMayChange } from '@sheaf/accounts';
import { BUILT_IN_ROLES } from '@sheaf/vocabulary/permissions';
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

test('a key that may change users changes neither its owner nor deletes them', async (t) => {
  const { admin, anyone } = t.context;
  await admin.register('second-admin', 'admin');
  const second = await anyone.login('second-admin');
  const { body: me } = await second.get('/api/auth/me');
  const path = `/api/users/${String(me['id'])}`;
  const { body } = await second.post('/api/keys', { name: 'helpdesk', scope: ['users.*'] });
  const headers = { 'x-api-key': String(body['key']), 'content-type': 'application/json' };
  for (const change of [{ email: 'thief@example.org' }, { role: 'viewer' }, { disabled: true }, { display_name: 'Thief' }]) {
    const answer = await anyone.request(path, { method: 'PUT', headers, body: JSON.stringify(change) });
    t.is(answer.status, 403, JSON.stringify(change));
  }
  t.is((await anyone.request(path, { method: 'DELETE', headers })).status, 403);
  t.is((await second.send('PUT', path, { display_name: 'Second' })).status, 200, 'he himself may');
});

test('the same holds for the role of a helpdesk, which administrators are above', (t) => {
  const roles = { ...BUILT_IN_ROLES, helpdesk: ['users.*', 'documents.read'] };
  const key = { userId: 'u', username: 'u', role: 'helpdesk', permissions: ['users.read', 'users.update'], via: 'key' as const };
  t.throws(() => requireMayChange(roles, key, { id: 'u', role: 'helpdesk' }), { code: 'FORBIDDEN' });
  t.notThrows(() => requireMayChange(roles, { ...key, permissions: roles.helpdesk }, { id: 'u', role: 'helpdesk' }));
});
