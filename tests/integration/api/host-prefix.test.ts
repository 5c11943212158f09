// Over https the cookies have the prefix __Host-, so that no neighbouring host can write them.
import { PASSWORD } from '../../support/enrolled.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ PROXY_COUNT: '1' });

const HTTPS = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '198.51.100.1', 'content-type': 'application/json' };

const signIn = async ({ anyone }: RunningApi, headers: Record<string, string>) => {
  const body = JSON.stringify({ username: 'admin', password: PASSWORD, cookie: true });
  const response = await anyone.request('/api/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  const { csrf_token: csrf } = (await response.json()) as { csrf_token: string };
  return { lines: response.headers.getSetCookie(), csrf };
};

const pairs = (lines: readonly string[]): string => lines.map((line) => line.split(';')[0]).join('; ');

test('each has what browsers demand of the prefix, and the session works', async (t) => {
  const { anyone } = t.context;
  const { lines, csrf } = await signIn(t.context, HTTPS);
  t.deepEqual(
    lines.map((line) => line.split('=')[0]),
    ['__Host-sheaf_session', '__Host-sheaf_session_csrf', '__Host-sheaf_session_device'],
  );
  for (const line of lines) {
    t.regex(line, /; Path=\/(?:;|$)/);
    t.regex(line, /; Secure/);
    t.notRegex(line, /Domain/i);
  }
  const headers = { ...HTTPS, cookie: pairs(lines) };
  t.is((await anyone.request('/api/auth/me', { headers })).status, 200);
  t.like(await (await anyone.request('/api/auth/config', { headers })).json(), { csrf_cookie: '__Host-sheaf_session_csrf' });
  const out = await anyone.request('/api/auth/logout', { method: 'POST', headers: { ...headers, 'x-csrf-token': csrf }, body: '{}' });
  t.is(out.status, 200);
  t.true(out.headers.getSetCookie().every((line) => line.startsWith('__Host-sheaf_session') && line.includes('1970')));
});

test('a cookie without the prefix is not read over https, whoever wrote it', async (t) => {
  const { lines } = await signIn(t.context, HTTPS);
  const cookie = pairs(lines).replaceAll('__Host-', '');
  t.is((await t.context.anyone.request('/api/auth/me', { headers: { ...HTTPS, cookie } })).status, 401);
});

test('over plain http, where browsers take no such prefix, the names are as they were', async (t) => {
  const { lines } = await signIn(t.context, {});
  t.deepEqual(
    lines.map((line) => line.split('=')[0]),
    ['sheaf_session', 'sheaf_session_csrf', 'sheaf_session_device'],
  );
  t.is((await t.context.anyone.request('/api/auth/me', { headers: { cookie: pairs(lines) } })).status, 200);
});
