// Browser sessions over HTTP: what sets the cookies, what a page of another site can make a browser do, and what ends them.
import { ApiClient } from '@sheaf/testkit';
import { conditionOf } from '../../support/error-condition.ts';
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ SESSION_COOKIE_NAME: 'paper', FEATURE_LABELS: 'true' });
const PASSWORD = 'correct horse battery';

const send = async (client: ApiClient, path: string, headers: Record<string, string>, init: RequestInit = {}) => {
  const response = await client.request(path, { ...init, headers });
  const text = await response.text();
  return {
    status: response.status,
    code: text.startsWith('{') ? conditionOf(JSON.parse(text)) : undefined,
    cookies: response.headers.getSetCookie(),
    text,
  };
};

const JSON_TYPE = { 'content-type': 'application/json' };

const browser = async (client: ApiClient, wishes: object = {}, headers: Record<string, string> = {}) => {
  const body = JSON.stringify({ username: 'admin', password: PASSWORD, cookie: true, ...wishes });
  const answer = await send(client, '/api/auth/login', { ...JSON_TYPE, ...headers }, { method: 'POST', body });
  const { csrf_token } = JSON.parse(answer.text) as { csrf_token: string };
  return { ...answer, csrf: csrf_token, cookie: answer.cookies.map((line) => line.split(';')[0]).join('; ') };
};

let labels = 0;
const makeLabel = (client: ApiClient, headers: Record<string, string>) =>
  send(client, '/api/labels', { ...JSON_TYPE, ...headers }, { method: 'POST', body: JSON.stringify({ name: `label ${(labels += 1)}` }) });

test('a sign-in sets no cookie unless it is asked for', async (t) => {
  const { cookies } = await browser(t.context.anyone, { cookie: false });
  t.deepEqual(cookies, []);
});

test('the cookie is not for scripts and not for other sites; the one with the CSRF token is for pages to read', async (t) => {
  const { cookies, csrf } = await browser(t.context.anyone);
  t.regex(cookies[0] ?? '', /^paper=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
  t.is(cookies[1], `paper_csrf=${csrf}; Path=/; SameSite=Lax`);
  const remembered = await browser(t.context.anyone, { remember_me: true });
  t.regex(remembered.cookies[0] ?? '', /^paper=[\w-]{43}; Path=\/; Expires=[^;]+ GMT; HttpOnly; SameSite=Lax$/);
});

test('a cookie that a browser brings to the sign-in is not taken over', async (t) => {
  const planted = 'A'.repeat(43);
  const { cookie } = await browser(t.context.anyone, {}, { cookie: `paper=${planted}` });
  t.false(cookie.includes(planted));
  t.is((await send(t.context.anyone, '/api/auth/me', { cookie: `paper=${planted}` })).status, 401);
  const again = await browser(t.context.anyone, {}, { cookie });
  t.not(again.cookies[0], cookie, 'nor is one that works');
});

test('reading by cookie needs no more; changing needs the token of that session', async (t) => {
  const { anyone } = t.context;
  const { cookie, csrf } = await browser(anyone);
  const other = await browser(anyone);
  t.is((await send(anyone, '/api/auth/me', { cookie })).status, 200);
  for (const [what, headers] of Object.entries({
    'no token': { cookie },
    'an empty token': { cookie, 'x-csrf-token': '' },
    'the token of another session': { cookie, 'x-csrf-token': other.csrf },
    'the token in another case': { cookie, 'x-csrf-token': csrf.toUpperCase() },
    'the cookie twice': { cookie: `${cookie}; paper_csrf=x` },
  })) {
    const { status, code } = await makeLabel(anyone, headers);
    t.is(`${status} ${code}`, '403 CSRF_TOKEN_INVALID', what);
  }
  t.is((await makeLabel(anyone, { cookie, 'x-csrf-token': csrf })).status, 201);
});

test('a page of another site changes nothing, even if it knew the token', async (t) => {
  const { anyone } = t.context;
  const { cookie, csrf } = await browser(anyone);
  const good = { cookie, 'x-csrf-token': csrf };
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: anyone.url.replace('127.0.0.1', '127.0.0.1.evil.example') },
  ])
    t.is(
      (await makeLabel(anyone, { ...good, ...(headers as Record<string, string>) })).code,
      'CSRF_TOKEN_INVALID',
      JSON.stringify(headers),
    );
  t.is((await makeLabel(anyone, { ...good, 'sec-fetch-site': 'same-origin', origin: anyone.url })).status, 201);
  t.is((await makeLabel(anyone, { ...good, origin: anyone.url })).status, 201);
});

test('a form of another site, which can send neither JSON nor headers, changes nothing', async (t) => {
  const { anyone } = t.context;
  const { cookie } = await browser(anyone);
  for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x']) {
    const init = { method: 'POST', body: '{"name":"by form"}' };
    t.is((await send(anyone, '/api/labels', { cookie, 'content-type': type }, init)).code, 'CSRF_TOKEN_INVALID', type);
    t.is((await send(anyone, '/api/auth/logout', { cookie, 'content-type': type }, init)).code, 'CSRF_TOKEN_INVALID', type);
  }
  t.is((await send(anyone, '/api/auth/me', { cookie })).status, 200, 'and signs nobody out');
});

test('a form cannot sign anybody in', async (t) => {
  const body = JSON.stringify({ username: 'admin', password: PASSWORD, cookie: true });
  for (const type of ['text/plain', 'application/x-www-form-urlencoded'])
    t.is((await send(t.context.anyone, '/api/auth/login', { 'content-type': type }, { method: 'POST', body })).status, 400);
});

test('a bearer token and a key need no CSRF token, as no browser adds them by itself', async (t) => {
  const { admin, anyone } = t.context;
  const { cookie } = await browser(anyone);
  const { body } = await admin.post('/api/auth/login', { username: 'admin', password: PASSWORD });
  t.is((await makeLabel(anyone, { authorization: `Bearer ${String(body['token'])}`, cookie })).status, 201);
});

test('signing out takes both cookies away and ends cookie and token of that session', async (t) => {
  const { anyone } = t.context;
  const { cookie, csrf, text } = await browser(anyone);
  const { token } = JSON.parse(text) as { token: string };
  const byToken = new ApiClient(anyone.url, token);
  t.is((await byToken.get('/api/auth/me')).status, 200);
  const { status, cookies } = await send(anyone, '/api/auth/logout', { cookie, 'x-csrf-token': csrf }, { method: 'POST' });
  t.is(status, 200);
  for (const line of cookies) t.regex(line, /^paper(_csrf)?=; Path=\/; Expires=Thu, 01 Jan 1970 00:00:00 GMT;/);
  t.is(cookies.length, 2);
  t.is((await send(anyone, '/api/auth/me', { cookie })).status, 401);
  t.is((await byToken.get('/api/auth/me')).status, 401);
});
