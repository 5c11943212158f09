// Second factors over HTTP, as a person sets them up and uses them.
import { ApiClient } from '@sheaf/testkit';
import { whyNoBrowser } from '../../support/chromium.ts';
import {
  clientFrom,
  countSessions,
  enroll,
  errorOf,
  firstStep,
  freshCode,
  givenEnrolled,
  PASSWORD,
  secondStep,
} from '../../support/enrolled.ts';
import { givenPerson } from '../../support/person.ts';
import { testWithApi } from '../../support/running-api.ts';
import { codeOf } from '../../support/second-factors.ts';
import { VirtualAuthenticator } from '../../support/virtual-authenticator.ts';

const test = testWithApi({ MFA_ENABLED: 'true', MFA_METHOD: 'totp,webauthn', WEBAUTHN_RP_ID: 'localhost', MFA_ISSUER: 'Our papers' });
const missing = whyNoBrowser();
const withBrowser = missing === undefined ? test : test.skip;
if (missing !== undefined) process.stdout.write(`passkey tests skipped: ${missing}\n`);

test('an authenticator app is set up, proven by a code, and asked for from then on', async (t) => {
  const api = t.context;
  const { id, client } = await givenPerson(api, 'viewer');
  const username = String((await client.get('/api/auth/me')).body['username']);
  t.deepEqual((await client.get('/api/auth/mfa')).body, {
    enabled: false,
    methods: ['totp', 'webauthn'],
    devices: [],
    recovery_codes_left: 0,
  });

  const setup = await client.post('/api/auth/mfa/totp/setup', { name: 'My phone', password: PASSWORD });
  t.is(setup.status, 200);
  t.deepEqual(Object.keys(setup.body).toSorted(), ['id', 'otpauth_url', 'secret']);
  const url = new URL(String(setup.body['otpauth_url']));
  t.is(url.searchParams.get('secret'), String(setup.body['secret']));
  t.is(url.searchParams.get('issuer'), 'Our papers');
  t.like((await client.get('/api/auth/mfa')).body, {
    enabled: false,
    devices: [{ id: setup.body['id'], name: 'My phone', enabled: false }],
  });
  t.is((await api.anyone.login(username).then((other) => other.get('/api/auth/me'))).status, 200, 'not asked before it is proven');

  t.is(errorOf(await client.post('/api/auth/mfa/totp/enable', { code: '000000' })), 'MFA_CODE_WRONG');
  const enabled = await client.post('/api/auth/mfa/totp/enable', { code: codeOf(String(setup.body['secret']), new Date()) });
  t.is(enabled.status, 200);
  t.is(enabled.body['enabled'], true);
  t.is((enabled.body['recovery_codes'] as string[]).length, 10);
  t.like((await client.get('/api/auth/mfa')).body, { enabled: true, recovery_codes_left: 10, devices: [{ type: 'totp', enabled: true }] });

  const before = await countSessions(api, id);
  const first = await api.anyone.post('/api/auth/login', { username, password: PASSWORD });
  t.is(first.status, 200);
  t.deepEqual(Object.keys(first.body).toSorted(), ['methods', 'mfa_required', 'mfa_token']);
  t.deepEqual(first.body['methods'], ['totp', 'recovery']);
  t.is(await countSessions(api, id), before, 'no session is opened before the second step');
});

test('a code lets in once', async (t) => {
  const api = t.context;
  const { username, userId, factor } = await givenEnrolled(api);
  const before = await countSessions(api, userId);
  const code = await freshCode(api, factor);
  const signedIn = await secondStep(api, await firstStep(api, username), code);
  t.is(signedIn.status, 200);
  t.deepEqual(Object.keys(signedIn.body).toSorted(), ['expires_at', 'refresh_expires_at', 'refresh_token', 'token', 'user']);
  t.is((await clientFrom(api, signedIn).get('/api/auth/me')).body['username'], username);
  t.is(await countSessions(api, userId), before + 1);

  const again = await secondStep(api, await firstStep(api, username), code);
  t.is(again.status, 401);
  t.is(errorOf(again), 'MFA_CODE_WRONG');
  const another = await freshCode(api, factor);
  const tokens = await Promise.all([1, 2, 3].map(() => firstStep(api, username)));
  const answers = await Promise.all(tokens.map((token) => secondStep(api, token, another)));
  t.is(answers.filter(({ status }) => status === 200).length, 1, 'at once it lets in one as well');
});

test('a recovery code lets in once, however it is typed, and new ones replace the old ones', async (t) => {
  const api = t.context;
  const { username, client, factor } = await givenEnrolled(api);
  const [used = '', kept = ''] = factor.recoveryCodes;
  t.is((await secondStep(api, await firstStep(api, username), used.toUpperCase().replaceAll('-', ' '))).status, 200);
  t.is((await secondStep(api, await firstStep(api, username), used)).status, 401);
  t.is((await client.get('/api/auth/mfa')).body['recovery_codes_left'], 9);

  t.is(errorOf(await client.post('/api/auth/mfa/recovery-codes', { password: 'not his' })), 'PROOF_WRONG');
  const renewed = await client.post('/api/auth/mfa/recovery-codes', { password: PASSWORD });
  const [fresh = ''] = renewed.body['recovery_codes'] as string[];
  t.is((await secondStep(api, await firstStep(api, username), kept)).status, 401);
  t.is((await secondStep(api, await firstStep(api, username), fresh)).status, 200);
  const { rows } = await api.database.pool.query("select outcome from audit_log where action = 'mfa.recovery_used' and actor_name = $1", [
    username,
  ]);
  t.is(rows.length, 2);
});

test('removing a device asks for the password or a code', async (t) => {
  const api = t.context;
  const { username, client, factor } = await givenEnrolled(api);
  const remove = (id: string, proof: object) => client.send('DELETE', `/api/auth/mfa/${id}`, proof);
  t.is((await client.delete(`/api/auth/mfa/${factor.id}`)).status, 400, 'without any proof');
  t.is((await remove(factor.id, {})).status, 400);
  t.is((await remove(factor.id, { password: '' })).status, 400);
  t.is((await remove(factor.id, { password: 'not his' })).status, 403);
  t.is((await remove(factor.id, { code: '000000' })).status, 403);
  t.like((await client.get('/api/auth/mfa')).body, { enabled: true, devices: [{ id: factor.id }] });
  t.is((await remove(factor.id, { code: await freshCode(api, factor) })).status, 200);
  t.like((await client.get('/api/auth/mfa')).body, { enabled: false, devices: [], recovery_codes_left: 0 });
  t.is((await (await api.anyone.login(username)).get('/api/auth/me')).status, 200, 'asked no more');

  const second = await enroll(client);
  t.is((await remove(second.id, { password: PASSWORD })).status, 200);
  t.is((await remove(second.id, { password: PASSWORD })).status, 404);
});

test('nobody learns of devices of others, nor touches them', async (t) => {
  const api = t.context;
  const { factor } = await givenEnrolled(api);
  const stranger = await givenEnrolled(api);
  for (const client of [stranger.client, api.admin]) {
    const answer = await client.send('DELETE', `/api/auth/mfa/${factor.id}`, { password: PASSWORD });
    t.is(answer.status, 404);
    t.is(errorOf(answer), 'MFA_DEVICE_NOT_FOUND');
  }
  const nothing = await stranger.client.send('DELETE', '/api/auth/mfa/00000000-0000-7000-8000-000000000000', { password: PASSWORD });
  t.is(errorOf(nothing), 'MFA_DEVICE_NOT_FOUND');
  t.deepEqual(
    ((await stranger.client.get('/api/auth/mfa')).body['devices'] as { id: string }[]).map(({ id }) => id),
    [stranger.factor.id],
  );
  const { rows } = await api.database.pool.query('select 1 from mfa_devices where id = $1', [factor.id]);
  t.is(rows.length, 1);
});

test('a browser session is opened by the second step only, with what was wished for in the first one', async (t) => {
  const api = t.context;
  const { username, userId, factor } = await givenEnrolled(api);
  const post = (path: string, body: object) =>
    api.anyone.request(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const before = await countSessions(api, userId);
  const first = await post('/api/auth/login', { username, password: PASSWORD, cookie: true, remember_me: true });
  t.deepEqual(first.headers.getSetCookie(), []);
  const { mfa_token: token } = (await first.json()) as Record<string, unknown>;
  t.is(await countSessions(api, userId), before);
  const second = await post('/api/auth/mfa/verify', { mfa_token: token, code: await freshCode(api, factor) });
  t.is(second.status, 200);
  const cookies = second.headers.getSetCookie();
  t.is(cookies.length, 3, 'of the session, against forgery, and of the device');
  const cookie = cookies.map((line) => line.split(';')[0]).join('; ');
  t.is((await api.anyone.request('/api/auth/me', { headers: { cookie } })).status, 200);
  const { rows } = await api.database.pool.query("select is_remembered from sessions where user_id = $1 and kind = 'cookie'", [userId]);
  t.deepEqual(rows, [{ is_remembered: true }]);
  t.true(Object.keys((await second.json()) as object).includes('csrf_token'));
});

test('an API key of somebody with a second factor works as it did, and can do nothing to the factor', async (t) => {
  const api = t.context;
  const person = await givenPerson(api, 'admin');
  const { headers } = await person.makeKey(['*']);
  const { id } = await enroll(person.client);
  const status = async (path: string, init: RequestInit = {}) =>
    (await api.anyone.request(path, { ...init, headers: { ...headers, 'content-type': 'application/json' } })).status;
  t.is(await status('/api/documents'), 200);
  t.is(await status('/api/auth/mfa'), 403);
  t.is(await status(`/api/auth/mfa/${id}`, { method: 'DELETE', body: JSON.stringify({ password: PASSWORD }) }), 403);
  t.is(await status('/api/auth/mfa/totp/setup', { method: 'POST', body: '{}' }), 403);
});

withBrowser('a passkey that a browser made signs in, once for each challenge', async (t) => {
  const api = t.context;
  await using key = await VirtualAuthenticator.open();
  const { id, client } = await givenPerson(api, 'viewer');
  const username = String((await client.get('/api/auth/me')).body['username']);
  const options = await client.post('/api/auth/mfa/webauthn/register/options', { password: PASSWORD });
  t.is(options.status, 200);
  const credential = await key.create(options.body);
  const registered = await client.post('/api/auth/mfa/webauthn/register/verify', { credential, name: 'Blue key' });
  t.is(registered.status, 200);
  t.like(registered.body, { device: { type: 'webauthn', name: 'Blue key', enabled: true } });
  t.is((registered.body['recovery_codes'] as string[]).length, 10);
  t.is(errorOf(await client.post('/api/auth/mfa/webauthn/register/verify', { credential })), 'WEBAUTHN_REFUSED', 'an answer works once');

  const before = await countSessions(api, id);
  const first = await api.anyone.post('/api/auth/login', { username, password: PASSWORD });
  t.deepEqual(first.body['methods'], ['webauthn', 'recovery']);
  const token = String(first.body['mfa_token']);
  const challenge = await api.anyone.post('/api/auth/mfa/webauthn/login/options', { mfa_token: token });
  t.is(challenge.status, 200);
  const assertion = await key.get(challenge.body);
  t.is(await countSessions(api, id), before);
  const signedIn = await api.anyone.post('/api/auth/mfa/verify', { mfa_token: token, credential: assertion });
  t.is(signedIn.status, 200);
  t.is((await clientFrom(api, signedIn).get('/api/auth/me')).body['username'], username);
  const replayed = await api.anyone.post('/api/auth/mfa/verify', { mfa_token: await firstStep(api, username), credential: assertion });
  t.is(errorOf(replayed), 'MFA_CODE_WRONG');

  t.is((await api.anyone.post('/api/auth/mfa/webauthn/login/options', {})).status, 401, 'nobody gets a challenge');
  t.is((await new ApiClient(api.anyone.url).post('/api/auth/mfa/webauthn/login/options', { mfa_token: 'x' })).status, 401);
  const proof = { credential: await key.get((await client.post('/api/auth/mfa/webauthn/login/options', {})).body) };
  const { id: device } = registered.body['device'] as { id: string };
  t.is((await client.send('DELETE', `/api/auth/mfa/${device}`, proof)).status, 200, 'it proves its owner for a change as well');
  t.is((await client.get('/api/auth/mfa')).body['enabled'], false);
});
