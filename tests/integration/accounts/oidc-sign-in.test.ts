// Signing in through a real provider: who comes out of it.
import { createHash } from 'node:crypto';
import type { ExternalIdentity, OidcDriver } from '@sheaf/accounts';
import anyTest, { type TestFn } from 'ava';
import { type GivenOidc, givenOidc, resign } from '../../support/given-oidc.ts';

const test = anyTest as TestFn<GivenOidc>;
let given: GivenOidc;
test.before(async () => {
  given = await givenOidc();
});
test.beforeEach((t) => {
  t.context = given;
});
test.after.always(() => given[Symbol.asyncDispose]());

const ANN = { email: 'ann@example.com', email_verified: true, name: 'Ann Archer', preferred_username: 'ann', groups: ['staff', 'board'] };

const signIn = async ({ provider }: GivenOidc, driver: OidcDriver, sub: string, returnTo?: string) => {
  const { url, cookie } = await driver.start(returnTo);
  const back = await provider.signIn(url, sub);
  return driver.finish(back.searchParams, cookie.value);
};

test('a user of the provider comes back with what it says of them', async (t) => {
  const { provider, driver } = t.context;
  provider.accounts.set('ann-1', ANN);
  const { identity, returnTo } = await signIn(t.context, driver(), 'ann-1', '/documents?page=2');
  t.is(returnTo, '/documents?page=2');
  t.deepEqual(identity, {
    method: 'oidc',
    externalId: `${provider.issuer}|ann-1`,
    username: 'ann',
    email: 'ann@example.com',
    emailVerified: true,
    displayName: 'Ann Archer',
    groups: ['staff', 'board'],
  } satisfies ExternalIdentity);
});

test('the browser is sent with a code challenge, a state and a nonce, and nothing of them is stored in the open', async (t) => {
  const { url, cookie } = await t.context.driver().start();
  const asked = new URL(url).searchParams;
  t.is(asked.get('response_type'), 'code');
  t.is(asked.get('code_challenge_method'), 'S256');
  t.is(asked.get('code_challenge')?.length, 43);
  const state = asked.get('state') ?? '';
  t.true(state.length >= 43 && (asked.get('nonce') ?? '').length >= 43 && cookie.value.length >= 43);
  const { rows } = await t.context.database.pool.query('select * from one_time_tokens where purpose = $1', ['oidc_state']);
  const stored = JSON.stringify(rows);
  t.false(stored.includes(state) || stored.includes(cookie.value));
  t.true(stored.includes(createHash('sha256').update(state).digest('hex')));
});

test('an address that is not verified is said to be so', async (t) => {
  t.context.provider.accounts.set('bob', { ...ANN, email_verified: false });
  const { identity } = await signIn(t.context, t.context.driver(), 'bob');
  t.is(identity.email, 'ann@example.com');
  t.false(identity.emailVerified);
});

test('the claim of OIDC_USER_CLAIM names the user, and a user without it is refused', async (t) => {
  const driver = t.context.driver({ userClaim: 'email' });
  t.context.provider.accounts.set('cat', ANN);
  t.is((await signIn(t.context, driver, 'cat')).identity.username, 'ann@example.com');
  t.context.provider.accounts.set('dan', { name: 'Dan' });
  await t.throwsAsync(signIn(t.context, driver, 'dan'), { code: 'SIGN_IN_REFUSED' });
});

test('groups are found by a dotted path and by a claim that is a URL, as list and as text', async (t) => {
  const { provider, driver } = t.context;
  provider.accounts.set('eve', {
    ...ANN,
    groups: undefined,
    realm_access: { roles: ['a', 'b'] },
    'https://sheaf.example/groups': 'c, d e',
  });
  const groupsOf = async (groupsClaim: string) => (await signIn(t.context, driver({ groupsClaim }), 'eve')).identity.groups;
  t.deepEqual(await groupsOf('realm_access.roles'), ['a', 'b']);
  t.deepEqual(await groupsOf('https://sheaf.example/groups'), ['c', 'd', 'e']);
  t.deepEqual(await groupsOf('nowhere.at.all'), []);
});

test('what the id token leaves out is asked of the user info endpoint, whose subject must be the same', async (t) => {
  const { provider, driver } = t.context;
  provider.accounts.set('fay', ANN);
  const forge = resign(provider, { email: undefined, email_verified: undefined, groups: undefined });
  const { identity } = await signIn(t.context, driver({}, { forge }), 'fay');
  t.deepEqual([identity.email, identity.emailVerified, identity.groups], ['ann@example.com', true, ['staff', 'board']]);
  const another = driver({ groupsClaim: 'not-there' }, { forge: resign(provider, { sub: 'somebody else' }) });
  await t.throwsAsync(signIn(t.context, another, 'fay'), { code: 'SIGN_IN_INVALID' });
});

for (const [clientId, method] of [
  ['sheaf', 'client_secret_basic'],
  ['poster', 'client_secret_post'],
  ['public', 'none'],
] as const) {
  test(`this service proves itself with ${method}`, async (t) => {
    t.context.provider.accounts.set('hal', ANN);
    const driver = t.context.driver({ clientId, tokenEndpointAuthMethod: method });
    t.is((await signIn(t.context, driver, 'hal')).identity.username, 'ann');
  });
}

test('endpoints that are configured go before discovered ones', async (t) => {
  const { issuer } = t.context.provider;
  const endpoints = { authorization: `${issuer}/elsewhere`, token: `${issuer}/no-token`, userInfo: undefined };
  const { url, cookie } = await t.context.driver({ endpoints }).start();
  t.is(new URL(url).pathname, '/elsewhere');
  t.context.provider.accounts.set('ida', ANN);
  const driver = t.context.driver({ endpoints: { ...endpoints, authorization: undefined } });
  await t.throwsAsync(signIn(t.context, driver, 'ida'), { code: 'SERVICE_UNAVAILABLE' });
  t.true(t.context.provider.seen.includes('/no-token'));
  t.truthy(cookie);
});
