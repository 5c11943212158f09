// An e-mail address counts as proven when its owner showed it or who manages all users typed it: identity providers link by it.
import { ApiClient, openTestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';

test('who may change only themselves vouches for no address by it', async (t) => {
  await using database = await openTestDatabase();
  await using api = await startApiWithPermissions(database, { self: ['users.read.own', 'users.update.own'] });
  const anyone = new ApiClient(api.url);
  const admin = await anyone.register('admin');
  await admin.register('self', 'viewer');
  const self = await anyone.login('self');
  const { body: me } = await self.get('/api/auth/me');
  const changed = await self.send('PUT', `/api/users/${String(me['id'])}`, { email: 'victim@example.org' });
  t.is(changed.status, 403);
  const proven = await self.send('PUT', '/api/users/profile', { email: 'victim@example.org', password: 'correct horse battery' });
  t.is(proven.status, 200);
  t.is((await admin.get(`/api/users/${String(me['id'])}`)).body['email_verified'], false);
  const byAdmin = await admin.send('PUT', `/api/users/${String(me['id'])}`, { email: 'proven@example.org' });
  t.is(byAdmin.body['email_verified'], true);
});
