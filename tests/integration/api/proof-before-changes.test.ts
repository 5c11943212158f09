// A session that was left open or stolen changes nothing of what its owner signs in with.
import type { ApiClient } from '@sheaf/testkit';
import { errorOf, freshCode, givenEnrolled, PASSWORD, WRONG_CODE } from '../../support/enrolled.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';
import { codeOf } from '../../support/second-factors.ts';

const test = testWithApi({ MFA_ENABLED: 'true', MFA_METHOD: 'totp,webauthn', WEBAUTHN_RP_ID: 'localhost' });

const SETUP = '/api/auth/mfa/totp/setup';
const PASSKEY = '/api/auth/mfa/webauthn/register/options';

const reasonOf = ({ body }: { body: Record<string, unknown> }): unknown =>
  (body['error'] as { details?: Record<string, unknown> } | undefined)?.details?.['reason'];

/** As if they had signed in a while ago. */
const ageSessions = async ({ database }: RunningApi, userId: string): Promise<void> => {
  await database.pool.query("update sessions set created_at = created_at - interval '11 minutes' where user_id = $1", [userId]);
};

let made = 0;
const givenUser = async ({ admin, anyone }: RunningApi): Promise<{ client: ApiClient; id: string; username: string }> => {
  made += 1;
  const username = `prover-${made}`;
  await admin.register(username, 'viewer');
  const client = await anyone.login(username);
  return { client, username, id: String((await client.get('/api/auth/me')).body['id']) };
};

test('a second authenticator app or passkey is not added by a session alone, so the first cannot be removed by it', async (t) => {
  const { client, factor } = await givenEnrolled(t.context);
  for (const path of [SETUP, PASSKEY]) {
    const answer = await client.post(path, {});
    t.deepEqual([answer.status, errorOf(answer), reasonOf(answer)], [403, 'FORBIDDEN', 'proof_required'], path);
    t.like((answer.body['error'] as { details: object }).details, { field: 'password', fields: ['password', 'code'] });
    for (const guess of [{ password: 'guess' }, { code: WRONG_CODE }]) t.is(errorOf(await client.post(path, guess)), 'PROOF_WRONG');
  }
  t.is((await client.post('/api/auth/mfa/totp/enable', { code: codeOf(factor.secret, new Date()) })).status, 404);
  t.is(((await client.get('/api/auth/mfa')).body['devices'] as unknown[]).length, 1);
});

test('with the password, a code or a recovery code it is', async (t) => {
  const { client, factor } = await givenEnrolled(t.context);
  for (const proof of [{ password: PASSWORD }, { code: await freshCode(t.context, factor) }, { code: factor.recoveryCodes[0] }]) {
    t.is((await client.post(PASSKEY, proof)).status, 200, Object.keys(proof).join());
    t.is((await client.post(SETUP, { name: 'second', ...(proof.code === undefined ? proof : { password: PASSWORD }) })).status, 200);
  }
});

test('the first factor needs the password too, however fresh the session is', async (t) => {
  const { client } = await givenUser(t.context);
  for (const path of [SETUP, PASSKEY]) {
    const answer = await client.post(path, {});
    t.deepEqual([answer.status, reasonOf(answer)], [403, 'proof_required'], path);
    t.is(errorOf(await client.post(path, { password: 'guess' })), 'PROOF_WRONG');
    t.is((await client.post(path, { password: PASSWORD })).status, 200, path);
  }
});

test('what was begun before there was a factor ends when there is one', async (t) => {
  const { client } = await givenUser(t.context);
  const { body: first } = await client.post(SETUP, { password: PASSWORD });
  await t.context.database.pool.query("update mfa_devices set name = 'thief' where id = $1", [first['id']]);
  const { body: second } = await client.post(SETUP, { password: PASSWORD });
  t.is((await client.post('/api/auth/mfa/totp/enable', { code: codeOf(String(second['secret']), new Date()) })).status, 200);
  t.is((await client.post('/api/auth/mfa/totp/enable', { code: codeOf(String(first['secret']), new Date()) })).status, 404);
});

test('the e-mail address changes with a proof only; what stays the same needs none', async (t) => {
  const { client, id, username } = await givenUser(t.context);
  for (const method of ['PUT', 'PATCH'] as const) {
    const answer = await client.send(method, '/api/users/profile', { email: 'thief@example.org', display_name: 'Thief' });
    t.deepEqual([answer.status, reasonOf(answer)], [403, 'proof_required']);
    t.like((answer.body['error'] as { details: object }).details, { field: 'password', fields: ['password'] });
  }
  const wrong = await client.send('PUT', '/api/users/profile', { email: 'thief@example.org', password: 'guess' });
  t.deepEqual([wrong.status, errorOf(wrong)], [403, 'PROOF_WRONG']);
  t.like((await client.get('/api/users/profile')).body, { email: `${username}@example.org`, display_name: null });
  t.is((await client.send('PUT', '/api/users/profile', { email: `${username}@Example.org`, display_name: 'P' })).status, 200);
  const right = await client.send('PUT', '/api/users/profile', { email: `${username}@example.net`, password: PASSWORD });
  t.deepEqual([right.status, right.body['email']], [200, `${username}@example.net`]);
  t.like((await t.context.admin.get(`/api/users/${id}`)).body, { email: `${username}@example.net`, email_verified: false });
});

test('nor does an administrator change their own address as one of a user', async (t) => {
  const { admin, anyone } = t.context;
  await admin.register('second-admin', 'admin');
  const second = await anyone.login('second-admin');
  const { id } = (await second.get('/api/auth/me')).body;
  for (const spelling of [String(id), String(id).toUpperCase()]) {
    const answer = await second.send('PUT', `/api/users/${spelling}`, { email: 'thief@example.org' });
    t.deepEqual([answer.status, reasonOf(answer)], [403, 'own_email_by_profile']);
  }
  t.is((await second.send('PUT', `/api/users/${String(id)}`, { email: 'second-admin@example.org', display_name: 'S' })).status, 200);
});

test('who signs in elsewhere and has no factor proves themselves by a sign-in of the last ten minutes', async (t) => {
  const { client, id, username } = await givenUser(t.context);
  await t.context.database.pool.query("update users set auth_method = 'oidc', external_id = $2, password_hash = null where id = $1", [
    id,
    username,
  ]);
  t.is((await client.send('PUT', '/api/users/profile', { email: `${username}@example.com` })).status, 200);
  await ageSessions(t.context, id);
  const late = await client.send('PUT', '/api/users/profile', { email: `${username}@example.net` });
  t.deepEqual([late.status, reasonOf(late)], [403, 'sign_in_again']);
  t.is(reasonOf(await client.post(SETUP, {})), 'sign_in_again');
});

test('wrong proofs count as failed sign-ins do', async (t) => {
  const { client } = await givenUser(t.context);
  const answers = [];
  for (let i = 0; i < 6; i += 1)
    answers.push(await client.send('PUT', '/api/users/profile', { email: 'thief@example.org', password: `guess ${i}` }));
  t.deepEqual([answers[0]?.status, answers.at(-1)?.status], [403, 429]);
});
