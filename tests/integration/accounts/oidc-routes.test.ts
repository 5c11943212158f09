// A browser, and a program that takes JSON, go through the routes of OIDC.

import { OidcCheck } from '@sheaf/accounts';
import { makeOidcCheckRoute, makeOidcRoutes } from '@sheaf/api/testing';
import { systemClock } from '@sheaf/process';
import anyTest, { type TestFn } from 'ava';
import { conditionOf } from '../../support/error-condition.ts';
import { type ServedRoutes, serveRoutes, TestSignInService } from '../../support/federated-routes.ts';
import { type GivenOidc, givenOidc, oidcSettings, REDIRECT_URI } from '../../support/given-oidc.ts';

interface Context extends GivenOidc {
  readonly signInService: TestSignInService;
  readonly origin: string;
}

const test = anyTest as TestFn<Context>;
const signInService = new TestSignInService();
let given: GivenOidc;
let routes: ServedRoutes;

test.before(async () => {
  given = await givenOidc();
  const driver = given.driver();
  const check = new OidcCheck(oidcSettings(given.provider.issuer, { scopes: 'openid' }), driver.provider, systemClock);
  routes = await serveRoutes([
    ...makeOidcRoutes({ oidc: { driver, redirectUri: REDIRECT_URI }, signInService }),
    makeOidcCheckRoute(check),
  ]);
});
test.beforeEach((t) => {
  t.context = { ...given, signInService, origin: routes.origin };
});
test.after.always(async () => {
  await routes[Symbol.asyncDispose]();
  await given[Symbol.asyncDispose]();
});

const JSON_ONLY = { accept: 'application/json' };
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

const get = (url: string, headers: Record<string, string>) => fetch(url, { headers, redirect: 'manual' });

/** As behind a proxy: the provider knows a public address, and what is sent there arrives at ours. */
const comeBack = async ({ origin, provider }: Context, username: string, query = '') => {
  provider.accounts.set(username, { email: `${username}@example.com`, email_verified: true, preferred_username: username });
  const start = await get(`${origin}/api/auth/oidc/login${query}`, BROWSER);
  const cookie = start.headers.getSetCookie()[0] ?? '';
  const back = await provider.signIn(start.headers.get('location') ?? '', username);
  return { start, setCookie: cookie, cookie: cookie.split(';')[0] ?? '', url: `${origin}${back.pathname}${back.search}` };
};

test('a browser is sent to the provider with a cookie that no script and no other site can use', async (t) => {
  const { start, setCookie } = await comeBack(t.context, 'ann');
  t.is(start.status, 302);
  t.is(start.headers.get('cache-control'), 'no-store');
  t.regex(
    setCookie,
    /^sheaf_oidc=[\w-]{43}; Max-Age=600; Path=\/api\/auth\/oidc\/callback; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
  );
});

test('a browser comes back to where it began, with the session cookie', async (t) => {
  const { cookie, url } = await comeBack(t.context, 'ann', '?return_to=/documents%3Fpage=2');
  const answer = await get(url, { ...BROWSER, cookie });
  t.is(answer.status, 302);
  t.is(answer.headers.get('location'), '/documents?page=2');
  t.is(answer.headers.get('cache-control'), 'no-store');
  const cookies = answer.headers.getSetCookie();
  t.true(cookies.some((line) => line.startsWith('session=the-session')));
  t.true(
    cookies.some((line) => /^sheaf_oidc=;.*Expires=Thu, 01 Jan 1970/.test(line)),
    'the binding is over',
  );
  t.true(t.context.signInService.seen.some(({ identity, wishesCookie }) => identity.username === 'ann' && wishesCookie));
});

test('who accepts only JSON gets the answer of a sign-in, and no session cookie', async (t) => {
  const { cookie, url } = await comeBack(t.context, 'bob');
  const answer = await get(url, { ...JSON_ONLY, cookie });
  t.is(answer.status, 200);
  const body = (await answer.json()) as { token: string; user: { username: string } };
  t.is(body.user.username, 'bob');
  t.false(answer.headers.getSetCookie().some((line) => line.startsWith('session=')));
});

test('a second factor that is due is told behind the # or as JSON', async (t) => {
  const first = await comeBack(t.context, 'careful');
  const paged = await get(first.url, { ...BROWSER, cookie: first.cookie });
  t.is(paged.headers.get('location'), '/#mfa_token=step+%26+token&methods=totp%2Crecovery');
  const second = await comeBack(t.context, 'careful');
  const answer = await get(second.url, { ...JSON_ONLY, cookie: second.cookie });
  t.deepEqual(await answer.json(), { mfa_required: true, mfa_token: 'step & token', methods: ['totp', 'recovery'] });
});

const codeOf = async (answer: Response): Promise<string | undefined> => conditionOf(await answer.json());

test('who is not let in is told the code: in the address for a browser, in the envelope for JSON', async (t) => {
  const { url } = await comeBack(t.context, 'ann');
  const paged = await get(url, BROWSER);
  t.deepEqual([paged.status, paged.headers.get('location')], [302, '/?sign_in_error=SIGN_IN_EXPIRED']);
  const again = await comeBack(t.context, 'ann');
  const answer = await get(again.url, { ...JSON_ONLY, cookie: 'sheaf_oidc=another' });
  t.deepEqual([answer.status, await codeOf(answer)], [401, 'SIGN_IN_EXPIRED']);
  const stranger = await comeBack(t.context, 'stranger');
  const refused = await get(stranger.url, { ...BROWSER, cookie: stranger.cookie });
  t.is(refused.headers.get('location'), '/?sign_in_error=ACCOUNT_NOT_KNOWN');
});

test('nothing of what the provider says of an error is repeated', async (t) => {
  const { origin, provider } = t.context;
  const start = await get(`${origin}/api/auth/oidc/login`, BROWSER);
  const cookie = start.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const state = new URL(start.headers.get('location') ?? '').searchParams.get('state') ?? '';
  const query = new URLSearchParams({
    error: 'access_denied',
    error_description: '<script>x</script>\r\nX: y',
    state,
    iss: provider.issuer,
  });
  const answer = await get(`${origin}/api/auth/oidc/callback?${query}`, { ...BROWSER, cookie });
  t.deepEqual([answer.status, answer.headers.get('location')], [302, '/?sign_in_error=SIGN_IN_REFUSED']);
  t.false((await answer.text()).includes('script'));
});

test('the return is served where OIDC_REDIRECT_URI says, and under its own path', async (t) => {
  const oidc = { driver: t.context.driver(), redirectUri: 'https://sheaf.example/auth/back' };
  const paths = makeOidcRoutes({ oidc, signInService: t.context.signInService }).map(({ path }) => path);
  t.deepEqual(paths, ['/api/auth/oidc/login', '/api/auth/oidc/callback', '/auth/back']);
});

test('GET /api/health/auth/oidc tells of each part', async (t) => {
  const answer = await get(`${t.context.origin}/api/health/auth/oidc`, JSON_ONLY);
  t.is(answer.status, 200);
  const body = (await answer.json()) as { status: string; issuer: string; checks: { name: string }[] };
  t.deepEqual(
    [body.status, body.issuer, body.checks.map(({ name }) => name)],
    ['healthy', t.context.provider.issuer, ['discovery', 'keys', 'client']],
  );
});

test('a provider that is away makes the check answer 503 and the sign-in say so', async (t) => {
  const settings = { issuer: 'http://127.0.0.1:1' };
  const driver = t.context.driver(settings);
  await using away = await serveRoutes([
    ...makeOidcRoutes({ oidc: { driver, redirectUri: REDIRECT_URI }, signInService: t.context.signInService }),
    makeOidcCheckRoute(new OidcCheck(oidcSettings(settings.issuer), driver.provider, systemClock)),
  ]);
  const check = await get(`${away.origin}/api/health/auth/oidc`, JSON_ONLY);
  t.is(check.status, 503);
  t.is(((await check.json()) as { status: string }).status, 'unhealthy');
  const login = await get(`${away.origin}/api/auth/oidc/login`, JSON_ONLY);
  t.deepEqual([login.status, await codeOf(login)], [503, 'SERVICE_UNAVAILABLE']);
  const paged = await get(`${away.origin}/api/auth/oidc/login`, BROWSER);
  t.deepEqual([paged.status, paged.headers.get('location')], [302, '/?sign_in_error=SERVICE_UNAVAILABLE'], 'a person is told on a page');
});

test('while OIDC is off its routes answer FEATURE_DISABLED', async (t) => {
  await using off = await serveRoutes([
    ...makeOidcRoutes({ oidc: undefined, signInService: t.context.signInService }),
    makeOidcCheckRoute(undefined),
  ]);
  for (const path of ['/api/auth/oidc/login', '/api/auth/oidc/callback?code=x&state=y', '/api/health/auth/oidc']) {
    const answer = await get(off.origin + path, BROWSER);
    t.deepEqual([answer.status, await codeOf(answer)], [404, 'FEATURE_DISABLED'], path);
  }
});
