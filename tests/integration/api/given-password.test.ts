// An administrator gives a user another password.
import type { ApiClient } from '@sheaf/testkit';
import { clientFrom, errorOf, firstStep, freshCode, givenEnrolled, PASSWORD, secondStep } from '../../support/enrolled.ts';
import { text } from '../../support/messages.ts';
import { givenPerson } from '../../support/person.ts';
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ MFA_ENABLED: 'true', MFA_METHOD: 'totp' });

const NEW = 'a new one, long enough';

const make = async (admin: ApiClient, username: string, role = 'viewer'): Promise<string> => {
  const { body } = await admin.post('/api/users', { username, email: `${username}@example.org`, password: PASSWORD, role });
  return String(body['id']);
};
const give = (client: ApiClient, id: string, password = NEW) => client.send('PUT', `/api/users/${id}/password`, { new_password: password });

test('who lost their password gets another one: all their sessions end, their second factor stays, they are told, and it is in the audit log', async (t) => {
  const { admin, anyone, database } = t.context;
  const { userId, username, client, factor } = await givenEnrolled(t.context);
  t.is((await client.get('/api/auth/me')).status, 200);
  const given = await give(admin, userId);
  t.deepEqual([given.status, given.body], [200, { success: true, revoked_keys: 0 }]);
  t.is((await client.get('/api/auth/me')).status, 401);
  t.is((await anyone.post('/api/auth/login', { username, password: PASSWORD })).status, 401);
  const token = await firstStep(t.context, username, NEW);
  const signedIn = clientFrom(t.context, await secondStep(t.context, token, await freshCode(t.context, factor)));
  t.is((await signedIn.get('/api/auth/me')).status, 200);
  const told = (await signedIn.get('/api/notifications')).body['notifications'] as Record<string, unknown>[];
  t.true(told.some(({ type, title }) => type === 'security' && title === text('notifications.security.password.changed')));
  const { rows } = await database.pool.query(
    "select actor_name, outcome, subject_id, details from audit_log where action = 'password.changed' and subject_id = $1",
    [userId],
  );
  t.deepEqual(rows, [{ actor_name: 'admin', outcome: 'success', subject_id: userId, details: { by: 'administrator', revoked_keys: 0 } }]);
  t.false(JSON.stringify((await admin.get('/api/audit')).body).includes(NEW));
});

test('an invited user who lost the invitation gets a password, and the invitation is void', async (t) => {
  const { admin, anyone } = t.context;
  const { body } = await admin.post('/api/users/import', {
    users: [{ username: 'invited', email: 'invited@example.org', role: 'viewer' }],
  });
  const [{ token } = { token: '' }] = body['invitations'] as { token: string }[];
  const { body: found } = await admin.get('/api/users?q=invited');
  t.is((await give(admin, String((found['data'] as { id: string }[])[0]?.id))).status, 200);
  await anyone.login('invited', NEW);
  t.is((await anyone.post('/api/auth/invitation', { token, password: 'of whoever found it' })).status, 401);
});

test('a password that breaks the rules is refused with its field, and nothing ends', async (t) => {
  const { admin, anyone } = t.context;
  const id = await make(admin, 'ruled');
  const client = await anyone.login('ruled');
  for (const password of ['short', 'Ruled@example.org']) {
    const { status, body } = await give(admin, id, password);
    t.is(status, 400);
    t.like(body['error'], { details: { issues: [{ path: 'new_password' }] } });
  }
  t.is((await client.get('/api/auth/me')).status, 200);
});

test('it is for administrators: not for oneself, not above oneself, not with a key, and not where the password is kept elsewhere', async (t) => {
  const { admin, anyone, database } = t.context;
  const me = (await admin.get('/api/auth/me')).body;
  t.is((await give(admin, String(me['id']))).status, 403, 'one’s own asks for the present one');
  const id = await make(admin, 'target');
  for (const role of ['viewer', 'editor', 'auditor']) {
    await make(admin, `a-${role}`, role);
    t.is((await give(await anyone.login(`a-${role}`), id)).status, 403, role);
  }
  t.is((await give(anyone, id)).status, 401);
  const { body } = await admin.post('/api/keys', { name: 'all', scope: ['*'] });
  const headers = { 'x-api-key': String(body['key']), 'content-type': 'application/json' };
  const byKey = await anyone.request(`/api/users/${id}/password`, { method: 'PUT', headers, body: JSON.stringify({ new_password: NEW }) });
  t.is(byKey.status, 403);
  t.is((await give(admin, '0190b0a0-0000-7000-8000-000000000000')).status, 404);
  await anyone.login('target');
  await database.pool.query("update users set auth_method = 'ldap', external_id = 'uid=target' where id = $1", [id]);
  const elsewhere = await give(admin, id);
  t.deepEqual([elsewhere.status, errorOf(elsewhere)], [409, 'PASSWORD_KEPT_ELSEWHERE']);
});

test('an administrator’s own id in upper case is their own id', async (t) => {
  const { admin } = t.context;
  const { id } = (await admin.get('/api/auth/me')).body;
  const given = await give(admin, String(id).toUpperCase());
  t.is(given.status, 403);
  t.like(given.body['error'], { details: { reason: 'own_password_by_profile' } });
  t.is((await admin.get('/api/auth/me')).status, 200, 'his session goes on');
});

test('with a reset, API keys and app tokens end unless they are to be kept, and the answer counts them', async (t) => {
  const { admin, anyone } = t.context;
  const { id, makeKey } = await givenPerson(t.context, 'admin');
  const uses = async (headers: Readonly<Record<string, string>>): Promise<number> =>
    (await anyone.request('/api/auth/me', { headers })).status;
  const keys = [await makeKey(['documents.read']), await makeKey(['*'])];
  const kept = await admin.send('PUT', `/api/users/${id}/password`, { new_password: NEW, revoke_keys: false });
  t.deepEqual(kept.body, { success: true, revoked_keys: 0 });
  for (const { headers } of keys) t.is(await uses(headers), 200);
  t.deepEqual((await give(admin, id)).body, { success: true, revoked_keys: 2 });
  for (const { headers } of keys) t.is(await uses(headers), 401);
});
