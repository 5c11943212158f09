// Whoever knows a name can fail at it. That must not keep out who it belongs to.
import type { Answer } from '@sheaf/testkit';
import { errorOf, PASSWORD } from '../../support/enrolled.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ PROXY_COUNT: '1', MAX_LOGIN_ATTEMPTS: '3', LOCKOUT_DURATION: '600' });

interface From {
  readonly address: string;
  readonly cookie?: string;
}

const login = async (
  { anyone }: RunningApi,
  username: string,
  password: string,
  { address, cookie }: From,
): Promise<Answer & { cookies: string[] }> => {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': address, ...(cookie === undefined ? {} : { cookie }) };
  const body = JSON.stringify({ username, password, cookie: true });
  const response = await anyone.request('/api/auth/login', { method: 'POST', headers, body });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
    cookies: response.headers.getSetCookie().map((line) => line.split(';')[0] ?? ''),
  };
};

let strangers = 0;
const stranger = (): From => ({ address: `198.51.100.${(strangers += 1)}` });

test.serial('five wrong passwords of a stranger lock out the stranger, and not the only administrator', async (t) => {
  const thief = stranger();
  for (let n = 0; n < 5; n += 1) await login(t.context, 'admin', `guess ${n}`, thief);
  const locked = await login(t.context, 'admin', PASSWORD, thief);
  t.deepEqual([locked.status, errorOf(locked)], [429, 'ACCOUNT_LOCKED']);
  t.true(Number(locked.headers.get('retry-after')) > 500);
  t.is((await login(t.context, 'admin', PASSWORD, stranger())).status, 200);
});

test.serial('strangers from many places are slowed down, and the browser that signed in before is not, wherever it is', async (t) => {
  const api = t.context;
  await api.admin.register('zoe', 'viewer');
  const first = await login(api, 'zoe', PASSWORD, stranger());
  const device = first.cookies.find((cookie) => cookie.startsWith('sheaf_session_device=')) ?? '';
  t.regex(device, /=[\w-]{43}$/);
  for (let n = 0; n < 12; n += 1) await login(api, 'zoe', `guess ${n}`, stranger());
  const held = await login(api, 'zoe', PASSWORD, stranger());
  t.deepEqual([held.status, errorOf(held)], [429, 'ACCOUNT_LOCKED']);
  t.true(Number(held.headers.get('retry-after')) <= 60);
  const again = await login(api, 'zoe', PASSWORD, { ...stranger(), cookie: device });
  t.is(again.status, 200);
  t.true(again.cookies.includes(device), 'it keeps its cookie');
});

test.serial('the cookie of a device opens nothing by itself', async (t) => {
  const { cookies } = await login(t.context, 'admin', PASSWORD, stranger());
  const device = cookies.find((cookie) => cookie.includes('_device=')) ?? '';
  t.is((await t.context.anyone.request('/api/auth/me', { headers: { cookie: device } })).status, 401);
});
