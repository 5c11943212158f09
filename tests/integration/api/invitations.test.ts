import { givenEnrolled } from '../../support/enrolled.ts';
import { conditionOf } from '../../support/error-condition.ts';
import { openBrowser } from '../../support/person.ts';
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ MFA_ENABLED: 'true' });
const PASSWORD = 'correct horse battery';

test('who was invited is told as such, is invited again with a link that replaces the other, and signs in after it', async (t) => {
  const { admin, anyone } = t.context;
  const brought = await admin.post('/api/users/import', [{ username: 'newcomer', email: 'newcomer@example.org' }]);
  const [first] = brought.body['invitations'] as { token: string }[];
  const [listed] = (await admin.get('/api/users?q=newcomer')).body['data'] as Record<string, unknown>[];
  t.like(listed, { is_invited: true, last_sign_in_at: null, has_mfa: false });
  const path = `/api/users/${String(listed?.['id'])}/invitation`;
  const again = await admin.post(path, {});
  t.is(again.status, 201);
  t.like(again.body, { username: 'newcomer', is_sent: false });
  t.true(String(again.body['url']).endsWith(`/invitation?token=${String(again.body['token'])}`));
  const accept = (token: unknown) => anyone.post('/api/auth/invitation', { token, password: PASSWORD });
  t.is((await accept(first?.token)).status, 401, 'the first one works no more');
  t.is((await accept(again.body['token'])).status, 200);
  await openBrowser(t.context, 'newcomer');
  const [after] = (await admin.get('/api/users?q=newcomer')).body['data'] as Record<string, unknown>[];
  t.is(after?.['is_invited'], false);
  t.true(Math.abs(Date.parse(String(after?.['last_sign_in_at'])) - Date.now()) < 60_000);
  const refused = await admin.post(path, {});
  t.is(refused.status, 409);
  t.like(refused.body['error'], { details: { reason: 'has_password' } });
});

test('an administrator takes the second factors from who has lost them, and whose sessions end; nobody else does', async (t) => {
  const { admin } = t.context;
  const eve = await givenEnrolled(t.context, 'viewer');
  const [user] = (await admin.get(`/api/users?q=${eve.username}`)).body['data'] as Record<string, unknown>[];
  t.like(user, { has_mfa: true });
  const path = `/api/users/${String(user?.['id'])}/mfa`;
  t.is((await eve.client.delete(path)).status, 403);
  t.is((await admin.delete(path)).status, 204);
  t.is((await eve.client.get('/api/auth/me')).status, 401, 'the session ended');
  t.like((await admin.get(`/api/users/${String(user?.['id'])}`)).body, { has_mfa: false });
  t.is(conditionOf((await admin.delete(path)).body), 'MFA_DEVICE_NOT_FOUND');
  const { body } = await admin.get('/api/audit?action=mfa.removed');
  t.like((body['data'] as Record<string, unknown>[])[0], { outcome: 'success', details: { by: 'administrator', removed: 1 } });
});
