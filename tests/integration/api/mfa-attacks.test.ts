// Ways around the second factor: skipping it, using what belongs to another one, guessing.
import { ApiClient } from '@sheaf/testkit';
import {
  clientFrom,
  countSessions,
  enroll,
  errorOf,
  firstStep,
  forgiveAddress,
  freshCode,
  givenEnrolled,
  PASSWORD,
  secondStep,
  WRONG_CODE,
} from '../../support/enrolled.ts';
import { fullOnly } from '../../support/full-run.ts';
import { addPerson } from '../../support/ldap-people.ts';
import { BASE, openLdapServer, SERVICE_DN, SERVICE_PASSWORD, whyNoLdap } from '../../support/ldap-server.ts';
import { startApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ MFA_ENABLED: 'true', MAX_LOGIN_ATTEMPTS: '12' });
const missing = whyNoLdap();
const withLdap = missing === undefined ? test : test.skip;
if (missing !== undefined) process.stdout.write(`LDAP tests skipped: ${missing}\n`);

test('the token of the first step is worth nothing but the second step', async (t) => {
  const api = t.context;
  const { username, userId } = await givenEnrolled(api);
  const before = await countSessions(api, userId);
  const token = await firstStep(api, username);
  for (const path of ['/api/auth/me', '/api/auth/mfa', '/api/documents']) {
    t.is((await new ApiClient(api.anyone.url, token).get(path)).status, 401, path);
    for (const headers of [{ 'x-api-key': token }, { 'x-api-key': `shf_${token}` }, { cookie: `sheaf_session=${token}` }])
      t.is((await api.anyone.request(path, { headers })).status, 401, `${path} ${Object.keys(headers).join()}`);
  }
  t.is((await api.anyone.post('/api/auth/refresh', { refresh_token: token })).status, 401);
  t.not((await api.anyone.post('/api/auth/invitation', { token, password: 'another good password' })).status, 200);
  t.is(await countSessions(api, userId), before);
});

fullOnly(test)('other tokens are no token of the first step', async (t) => {
  const api = t.context;
  const { username, factor } = await givenEnrolled(api);
  const signedIn = await secondStep(api, await firstStep(api, username), await freshCode(api, factor));
  for (const name of ['token', 'refresh_token']) {
    const answer = await secondStep(api, String(signedIn.body[name]), await freshCode(api, factor));
    t.is(errorOf(answer), 'MFA_TOKEN_INVALID', name);
  }
  t.is((await new ApiClient(api.anyone.url, String(signedIn.body['refresh_token'])).get('/api/auth/me')).status, 401);
  const refreshed = await api.anyone.post('/api/auth/refresh', { refresh_token: signedIn.body['refresh_token'] });
  t.is((await clientFrom(api, refreshed).get('/api/auth/me')).body['username'], username, 'what was opened with it can be refreshed');
});

test('a factor proves nobody but its owner', async (t) => {
  const api = t.context;
  const [ann, eve] = [await givenEnrolled(api), await givenEnrolled(api)];
  const [before, token] = [await countSessions(api, ann.userId), await firstStep(api, ann.username)];
  t.is(errorOf(await secondStep(api, token, await freshCode(api, eve.factor))), 'MFA_CODE_WRONG');
  t.is(errorOf(await secondStep(api, token, eve.factor.recoveryCodes[0] ?? '')), 'MFA_CODE_WRONG');
  t.is(await countSessions(api, ann.userId), before);
  const answer = await secondStep(api, await firstStep(api, eve.username), eve.factor.recoveryCodes[0] ?? '');
  t.is((answer.body['user'] as Record<string, unknown>)['username'], eve.username, 'and was not used up by that');
});

test('the token works once, for five minutes', async (t) => {
  const api = t.context;
  const { username, userId, factor } = await givenEnrolled(api);
  const token = await firstStep(api, username);
  t.is((await secondStep(api, token, await freshCode(api, factor))).status, 200);
  t.is(errorOf(await secondStep(api, token, await freshCode(api, factor))), 'MFA_TOKEN_INVALID');

  const late = await firstStep(api, username);
  const age = (seconds: number) =>
    api.database.pool.query("update one_time_tokens set expires_at = expires_at - $2 * interval '1 s' where user_id = $1", [
      userId,
      seconds,
    ]);
  await age(290);
  t.is(errorOf(await secondStep(api, late, WRONG_CODE)), 'MFA_CODE_WRONG', 'after 290 seconds it is still there');
  await age(10);
  t.is(errorOf(await secondStep(api, late, await freshCode(api, factor))), 'MFA_TOKEN_INVALID');

  const [recovery = '', other = ''] = factor.recoveryCodes;
  const twice = await firstStep(api, username);
  const answers = await Promise.all([recovery, other].map((code) => secondStep(api, twice, code)));
  t.is(answers.filter(({ status }) => status === 200).length, 1, 'two right codes at once open one session');
});

test('who is disabled, or has another password, or is deleted between the steps does not come in', async (t) => {
  const api = t.context;
  const [changed, disabled, deleted] = [await givenEnrolled(api), await givenEnrolled(api), await givenEnrolled(api)];
  const people = [changed, disabled, deleted];
  const tokens = await Promise.all(people.map(({ username }) => firstStep(api, username)));
  const change = { current_password: PASSWORD, new_password: 'a wholly other passphrase' };
  t.is((await changed.client.post('/api/users/change-password', change)).status, 200);
  t.is((await api.admin.send('PUT', `/api/users/${disabled.userId}`, { disabled: true })).status, 200);
  t.true((await api.admin.delete(`/api/users/${deleted.userId}`)).status < 300);
  for (const [n, { factor }] of people.entries()) {
    const answer = await secondStep(api, tokens[n] ?? '', await freshCode(api, factor));
    t.is(answer.status, 401);
    t.is(errorOf(answer), 'MFA_TOKEN_INVALID');
  }
  const after = await firstStep(api, changed.username, 'a wholly other passphrase');
  t.is((await secondStep(api, after, await freshCode(api, changed.factor))).status, 200);
});

fullOnly(test)('the last factor removed between the steps lets nobody in without one', async (t) => {
  const api = t.context;
  const { username, client, factor } = await givenEnrolled(api);
  const token = await firstStep(api, username);
  t.is((await client.send('DELETE', `/api/auth/mfa/${factor.id}`, { password: PASSWORD })).status, 200);
  t.is((await secondStep(api, token, await freshCode(api, factor))).status, 401);
  t.is((await secondStep(api, token, factor.recoveryCodes[0] ?? '')).status, 401);
});

test('what the second step does not take is refused', async (t) => {
  const api = t.context;
  const { username, userId, factor } = await givenEnrolled(api);
  const token = await firstStep(api, username);
  const code = await freshCode(api, factor);
  const before = await countSessions(api, userId);
  for (const wrong of [
    { mfa_token: token },
    { mfa_token: token, code: '' },
    { mfa_token: token, code: null },
    { mfa_token: token, code: true },
    { mfa_token: token, code: Number(code) },
    { mfa_token: token, code: [code] },
    { mfa_token: token, code: { $ne: 1 } },
    { mfa_token: [token], code },
    { mfa_token: { $ne: '' }, code },
    { mfa_token: token, code, user_id: userId },
    { mfa_token: token, code, method: 'oidc' },
    { mfa_token: token, code, cookie: true },
    { mfa_token: token, password: PASSWORD },
    { code },
  ])
    t.is((await api.anyone.post('/api/auth/mfa/verify', wrong)).status, 400, JSON.stringify(wrong));
  t.is(await countSessions(api, userId), before);
  t.is((await secondStep(api, token, code)).status, 200, 'and none of it used up the token');
});

test('five wrong codes end a sign-in, also at once', async (t) => {
  const api = t.context;
  const [slow, quick] = [await givenEnrolled(api), await givenEnrolled(api)];
  const token = await firstStep(api, slow.username);
  for (let n = 0; n < 5; n += 1) t.is(errorOf(await secondStep(api, token, `00000${n}`)), 'MFA_CODE_WRONG');
  t.is(errorOf(await secondStep(api, token, await freshCode(api, slow.factor))), 'MFA_TOKEN_INVALID');

  const one = await firstStep(api, quick.username);
  const answers = await Promise.all(Array.from({ length: 11 }, (_, n) => secondStep(api, one, `1${n + 10_000}`)));
  t.is(answers.filter((answer) => errorOf(answer) === 'MFA_CODE_WRONG').length, 5);
  t.is(errorOf(await secondStep(api, one, quick.factor.recoveryCodes[0] ?? '')), 'MFA_TOKEN_INVALID');
});

test('who knows the password cannot guess codes without end, as wrong codes lock the account over all its sign-ins', async (t) => {
  const api = t.context;
  const { userId, username, factor } = await givenEnrolled(api);
  const { rows: started } = await api.database.pool.query("select 1 from audit_log where action = 'sign_in.mfa' and outcome = 'failure'");
  let guesses = 0;
  for (let sign = 0; sign < 20; sign += 1) {
    await forgiveAddress(api);
    const { status, body } = await api.anyone.post('/api/auth/login', { username, password: PASSWORD });
    if (status !== 200) break;
    guesses += 1;
    t.is((await secondStep(api, String(body['mfa_token']), WRONG_CODE)).status, 401);
  }
  t.is(guesses, 12, 'a right password in between forgets none of them');
  const locked = await api.anyone.post('/api/auth/login', { username, password: PASSWORD });
  t.is(locked.status, 429);
  t.is(errorOf(locked), 'ACCOUNT_LOCKED');
  const { rows: written } = await api.database.pool.query("select 1 from audit_log where action = 'sign_in.mfa' and outcome = 'failure'");
  t.true(written.length - started.length >= 12, 'each is written down');
  const ofThisUser = [[`account:${username}`, `user:${userId}`]];
  await api.database.pool.query(
    "update login_failures set locked_until = now() - interval '1 s' where split_part(subject, ' from ', 1) = any($1)",
    ofThisUser,
  );
  t.is((await secondStep(api, await firstStep(api, username), await freshCode(api, factor))).status, 200);
});

fullOnly(test)('a lock that came about between the steps holds for the second one', async (t) => {
  const api = t.context;
  const { username, email, factor } = await givenEnrolled(api);
  const [byName, byMail] = [await firstStep(api, username), await firstStep(api, email)];
  await Promise.all(Array.from({ length: 12 }, () => api.anyone.post('/api/auth/login', { username, password: 'wrong' })));
  await forgiveAddress(api);
  t.is((await secondStep(api, byName, await freshCode(api, factor))).status, 429);
  t.is((await secondStep(api, byMail, await freshCode(api, factor))).status, 401, 'by his other name too, in other words');
});

withLdap('who signs in by a directory is asked as well', async (t) => {
  await using server = await openLdapServer();
  await addPerson(server, 'alice', { password: 'alice-password', mail: 'alice@example.org' });
  const api = await startApi({
    MFA_ENABLED: 'true',
    AUTH_METHOD: 'ldap',
    AUTO_CREATE_USERS: 'true',
    LDAP_SERVER: server.url,
    LDAP_BASE_DN: BASE,
    LDAP_BIND_DN: SERVICE_DN,
    LDAP_BIND_PASSWORD: SERVICE_PASSWORD,
  });
  try {
    const alice = await api.anyone.login('alice', 'alice-password');
    const userId = String((await alice.get('/api/auth/me')).body['id']);
    const factor = await enroll(alice, 'alice-password');
    const before = await countSessions(api, userId);
    for (const wishes of [{}, { cookie: true }]) {
      const first = await api.anyone.post('/api/auth/login', { username: 'alice', password: 'alice-password', ...wishes });
      t.deepEqual(Object.keys(first.body).toSorted(), ['methods', 'mfa_required', 'mfa_token']);
      t.is(first.headers.getSetCookie().length, 0);
    }
    t.is(await countSessions(api, userId), before);
    const token = await firstStep(api, 'alice', 'alice-password');
    t.is(errorOf(await secondStep(api, token, WRONG_CODE)), 'MFA_CODE_WRONG');
    t.is((await secondStep(api, token, await freshCode(api, factor))).status, 200);
    const { rows } = await api.database.pool.query('select method from sessions where user_id = $1', [userId]);
    t.deepEqual(rows, [{ method: 'ldap' }, { method: 'ldap' }]);
    t.is((await alice.send('DELETE', `/api/auth/mfa/${factor.id}`, { password: 'alice-password' })).status, 200);
  } finally {
    await api.stop();
  }
});
