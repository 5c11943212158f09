// MFA_ENFORCE_FOR_ADMINS: what an administrator without a second factor may still do, and for how long.

import { describeRoutes } from '@sheaf/api/testing';
import { loadConfig } from '@sheaf/config';
import { uuidv7 } from '@sheaf/process';
import { ApiClient } from '@sheaf/testkit';
import { clientFrom, enroll, errorOf, PASSWORD } from '../../support/enrolled.ts';
import { givenPerson, type Person } from '../../support/person.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';
import { waitFor } from '../../support/wait-for.ts';

const GRACE_DAYS = 3;
const test = testWithApi({ MFA_ENABLED: 'true', MFA_ENFORCE_FOR_ADMINS: 'true', MFA_GRACE_PERIOD_DAYS: String(GRACE_DAYS) });

/** As if it had been asked of them that long ago. */
const askedSince = async ({ database }: RunningApi, { id }: Person, days: number): Promise<void> => {
  await database.pool.query("update users set mfa_required_since = now() - $2 * interval '1 day' where id = $1", [id, days]);
};

const nameOf = async ({ client }: Person): Promise<string> => String((await client.get('/api/auth/me')).body['username']);

const signIn = async ({ anyone }: RunningApi, person: Person) =>
  anyone.post('/api/auth/login', { username: await nameOf(person), password: PASSWORD });

test('an administrator may do without for some days, which begin when it is first asked of them', async (t) => {
  const api = t.context;
  const person = await givenPerson(api, 'admin');
  const { rows } = await api.database.pool.query<{ is_now: boolean }>(
    "select mfa_required_since > now() - interval '1 minute' as is_now from users where id = $1",
    [person.id],
  );
  t.deepEqual(rows, [{ is_now: true }]);
  await askedSince(api, person, GRACE_DAYS - 0.01);
  const signedIn = await signIn(api, person);
  t.false('mfa_setup_required' in signedIn.body);
  t.is((await clientFrom(api, signedIn).get('/api/users')).status, 200);
  const { rows: after } = await api.database.pool.query<{ is_old: boolean }>(
    "select mfa_required_since < now() - interval '2 days' as is_old from users where id = $1",
    [person.id],
  );
  t.deepEqual(after, [{ is_old: true }], 'signing in again gives no new days');
});

test('after them they can do nothing but set one up, and then at once everything', async (t) => {
  const api = t.context;
  const person = await givenPerson(api, 'admin');
  await askedSince(api, person, GRACE_DAYS);
  const signedIn = await signIn(api, person);
  t.is(signedIn.status, 200);
  t.is(signedIn.body['mfa_setup_required'], true);
  const client = clientFrom(api, signedIn);
  t.like((await client.get('/api/auth/me')).body, { permissions: [], mfa_setup_required: true });

  const { config } = loadConfig({ environment: {} });
  const guarded = describeRoutes(config).filter(({ access, path }) => !access.startsWith('anyone') && !path.startsWith('/api/auth/'));
  t.true(guarded.length > 40);
  for (const { method, path } of guarded) {
    const response = await client.request(
      path.replaceAll(/\{\w+\}/g, () => uuidv7()),
      { method: method.toUpperCase() },
    );
    const text = await response.text();
    t.is(response.status, 403, `${method} ${path}`);
    t.true(text.includes('"mfa_setup_required"'), `${method} ${path}`);
  }

  const refreshed = await api.anyone.post('/api/auth/refresh', { refresh_token: signedIn.body['refresh_token'] });
  t.is(refreshed.body['mfa_setup_required'], true);
  t.is(errorOf(await clientFrom(api, refreshed).get('/api/users')), 'MFA_SETUP_REQUIRED', 'refreshing leads nowhere');

  const factor = await enroll(client);
  t.is((await client.get('/api/users')).status, 200);
  t.is((await clientFrom(api, refreshed).get('/api/users')).status, 200);
  t.false('mfa_setup_required' in (await client.get('/api/auth/me')).body);
  t.is((await client.send('DELETE', `/api/auth/mfa/${factor.id}`, { password: PASSWORD })).status, 200);
  t.is(errorOf(await client.get('/api/users')), 'MFA_SETUP_REQUIRED', 'without it he is where he was');
});

test('a secret that was set up and never proven does not count', async (t) => {
  const api = t.context;
  const person = await givenPerson(api, 'admin');
  await askedSince(api, person, GRACE_DAYS);
  const client = clientFrom(api, await signIn(api, person));
  t.is((await client.post('/api/auth/mfa/totp/setup', { password: PASSWORD })).status, 200);
  t.is((await client.post('/api/auth/mfa/totp/enable', { code: '000000' })).status, 400);
  t.is(errorOf(await client.get('/api/users')), 'MFA_SETUP_REQUIRED');
  const again = await signIn(api, person);
  t.is(again.body['mfa_setup_required'], true);
  t.is(errorOf(await clientFrom(api, again).get('/api/users')), 'MFA_SETUP_REQUIRED');
});

test('sessions that were open before are no way around, those of browsers neither', async (t) => {
  const api = t.context;
  const person = await givenPerson(api, 'admin');
  const { cookie } = await person.openBrowser();
  const byCookie = async () => (await api.anyone.request('/api/users', { headers: { cookie } })).status;
  t.is(await byCookie(), 200);
  t.is((await person.client.get('/api/users')).status, 200);
  await askedSince(api, person, GRACE_DAYS);
  // from outside the service: the database tells it
  const refusal = async () => errorOf(await person.client.get('/api/users')) === 'MFA_SETUP_REQUIRED';
  await waitFor(async () => (await byCookie()) === 403 && (await refusal()), { description: 'both to be refused', limitMs: 20_000 });
  t.is((await new ApiClient(api.anyone.url, person.token).get('/api/auth/sessions')).status, 200);
});

test('it is asked of nobody else, until they become administrator', async (t) => {
  const api = t.context;
  for (const role of ['editor', 'viewer', 'auditor']) {
    const person = await givenPerson(api, role);
    await askedSince(api, person, 400);
    const signedIn = await signIn(api, person);
    t.false('mfa_setup_required' in signedIn.body, role);
    t.is((await clientFrom(api, signedIn).get('/api/documents')).status, 200, role);
  }
  const person = await givenPerson(api, 'editor');
  const { rows: before } = await api.database.pool.query('select mfa_required_since from users where id = $1', [person.id]);
  t.deepEqual(before, [{ mfa_required_since: null }]);
  const username = await nameOf(person);
  t.is((await api.admin.send('PUT', `/api/users/${person.id}`, { role: 'admin' })).status, 200);
  const client = await api.anyone.login(username);
  t.is((await client.get('/api/users')).status, 200, 'his days begin then');
  const { rows: after } = await api.database.pool.query('select mfa_required_since from users where id = $1', [person.id]);
  t.notDeepEqual(after, [{ mfa_required_since: null }]);
});

test('their API keys go on, as programs have no second factor', async (t) => {
  const api = t.context;
  const person = await givenPerson(api, 'admin');
  const { headers } = await person.makeKey(['*']);
  await askedSince(api, person, GRACE_DAYS);
  t.is((await api.anyone.request('/api/users', { headers })).status, 200);
  const client = clientFrom(api, await signIn(api, person));
  t.is(errorOf(await client.post('/api/keys', { name: 'around it', scope: ['*'] })), 'MFA_SETUP_REQUIRED', 'but he makes no new ones');
});
