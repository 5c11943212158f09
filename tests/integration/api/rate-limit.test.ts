import { request } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { startApi } from '../../support/running-api.ts';
import { type Surface, startSurface } from '../../support/surface.ts';

const LIMIT = { RATE_LIMIT_PER_MINUTE: '4', RATE_LIMIT_BURST: '1', RATE_LIMIT_UPLOADS_PER_MINUTE: '2' };
const POINTS = 5;

const as = (who: string) => ({ Authorization: `Bearer ${who}` });
const times = <T>(count: number, make: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: count }, make));
const statusesOf = (responses: readonly Response[]): number[] => responses.map(({ status }) => status).toSorted((a, b) => a - b);
const remainingOf = (response: Response): number => Number(response.headers.get('x-ratelimit-remaining'));

const errorOf = async (response: Response) =>
  ((await response.json()) as { error: { code: string; details: Record<string, unknown>; request_id: string } }).error;

/** Uses up what an address has, or a user. */
const exhaust = async (t: ExecutionContext, api: Surface, path: string, headers = {}): Promise<void> => {
  await times(POINTS, () => api.get(path, headers));
  t.is((await api.get(path, headers)).status, 429);
};

test('100 requests a minute and 20 more in the same minute; every answer says what is left', async (t) => {
  await using api = await startSurface();
  const responses = await times(125, () => api.get('/api/open'));
  t.is(responses.filter(({ status }) => status === 200).length, 120);
  t.is(responses.filter(({ status }) => status === 429).length, 5);
  t.true(responses.every(({ headers }) => headers.get('x-ratelimit-limit') === '120'));
  const left = responses.filter(({ status }) => status === 200).map(remainingOf);
  t.is(new Set(left).size, 120, 'each answer counts one down');
  const reset = Number(responses[0]?.headers.get('x-ratelimit-reset'));
  const now = Date.now() / 1_000;
  t.true(reset > now + 30 && reset <= now + 61, String(reset - now));
});

test('who has had all is answered with 429, the envelope and when to come back', async (t) => {
  await using api = await startSurface(LIMIT);
  await exhaust(t, api, '/api/open');
  const response = await api.get('/api/open');
  t.is(response.headers.get('x-ratelimit-remaining'), '0');
  const seconds = Number(response.headers.get('retry-after'));
  t.true(seconds >= 1 && seconds <= 60);
  const { code, details, request_id: id } = await errorOf(response);
  t.is(code, 'RATE_LIMITED');
  t.deepEqual(details, { limit: POINTS, retry_after_seconds: seconds });
  t.is(id, response.headers.get('x-request-id') ?? '');
});

test('refusals, errors and what does not exist count and say what is left', async (t) => {
  await using api = await startSurface(LIMIT);
  const seen: [number, number][] = [];
  for (const path of ['/api/own', '/api/broken', '/api/nothing', '/api/open?x=1', '/api/open', '/api/nothing']) {
    const response = await api.get(path);
    seen.push([response.status, remainingOf(response)]);
  }
  t.deepEqual(seen, [
    [401, 4],
    [500, 3],
    [404, 2],
    [400, 1],
    [200, 0],
    [429, 0],
  ]);
});

test('users count each for themselves, and not for their address', async (t) => {
  await using api = await startSurface(LIMIT);
  await exhaust(t, api, '/api/open');
  t.is((await api.get('/api/own', as('ann'))).status, 200);
  await exhaust(t, api, '/api/own', as('ann'));
  t.is((await api.get('/api/own', as('bob'))).status, 200);
  t.is((await api.get('/api/audit', as('bob'))).status, 403);
});

test('all credentials of a user count together: more keys give no more', async (t) => {
  await using api = await startSurface(LIMIT);
  const left: number[] = [];
  for (const who of ['ann', 'ann.key', 'ann', 'ann.key']) left.push(remainingOf(await api.get('/api/own', as(who))));
  t.deepEqual(left, [4, 3, 2, 1]);
});

test('wrong credentials count for the address, so that guessing ends', async (t) => {
  await using api = await startSurface(LIMIT);
  const statuses: number[] = [];
  for (let i = 0; i < 7; i += 1) statuses.push((await api.get('/api/own', as(`guess${i}`))).status);
  t.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429]);
});

test('addresses count each for themselves', async (t) => {
  await using api = await startSurface({ ...LIMIT, PROXY_COUNT: '1' });
  const from = (address: string) => ({ 'X-Forwarded-For': address });
  await exhaust(t, api, '/api/open', from('203.0.113.1'));
  t.is((await api.get('/api/open', from('203.0.113.2'))).status, 200);
  await exhaust(t, api, '/api/open', from('2001:db8:1:2::1'));
  t.is((await api.get('/api/open', from('2001:db8:1:2:aaaa::2'))).status, 429, 'one network of IPv6');
  t.is((await api.get('/api/open', from('2001:db8:1:3::1'))).status, 200);
});

test('where nobody signs in, addresses count', async (t) => {
  await using api = await startSurface({ ...LIMIT, PROXY_COUNT: '1' });
  const from = (address: string) => ({ ...as('nobody.disabled-auth'), 'X-Forwarded-For': address });
  await exhaust(t, api, '/api/own', from('203.0.113.1'));
  t.is((await api.get('/api/own', from('203.0.113.2'))).status, 200);
  const uploads = await times(3, () => api.get('/api/documents/upload', from('203.0.113.3'), 'POST'));
  t.deepEqual(statusesOf(uploads), [201, 201, 429]);
});

test('uploads have a limit of their own beside that of requests', async (t) => {
  await using api = await startSurface({ ...LIMIT, RATE_LIMIT_PER_MINUTE: '10' });
  const upload = (path: string) => api.get(path, as('ann'), 'POST');
  const first = await upload('/api/documents/upload');
  t.is(first.status, 201);
  t.deepEqual([first.headers.get('x-ratelimit-limit'), remainingOf(first)], ['2', 1]);
  t.is((await upload('/api/documents/bulk-upload')).status, 201);
  const third = await upload('/api/documents/upload');
  t.is(third.status, 429);
  t.true(third.headers.has('retry-after'));
  const other = await api.get('/api/own', as('ann'));
  t.is(other.status, 200);
  t.is(remainingOf(other), 11 - 4, 'they count as requests too');
  t.is((await api.get('/api/documents/upload', as('bob'), 'POST')).status, 201);
});

test('many at once get through no more than the limit lets', async (t) => {
  await using api = await startSurface(LIMIT);
  const responses = await times(40, () => api.get('/api/own', as('ann')));
  t.deepEqual(statusesOf(responses), [...Array<number>(POINTS).fill(200), ...Array<number>(40 - POINTS).fill(429)]);
});

test('what monitoring asks is never limited', async (t) => {
  await using api = await startSurface(LIMIT);
  await exhaust(t, api, '/api/open');
  for (const path of ['/health', '/ready', '/metrics', '/status', '/api/health', '/api/health/auth/oidc']) {
    const response = await api.get(path);
    t.is(response.status, 200, path);
    t.false(response.headers.has('x-ratelimit-limit'), path);
  }
});

test('a body is not read for who has had all', async (t) => {
  await using api = await startSurface(LIMIT);
  await exhaust(t, api, '/api/own', as('ann'));
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const headers = { ...as('ann'), 'content-type': 'application/json', 'content-length': '1000000' };
    const call = request({ host: '127.0.0.1', port: api.port, path: '/api/documents/upload', method: 'POST', headers }, (response) => {
      resolve(response.statusCode);
      call.destroy();
    });
    call.once('error', reject);
    call.flushHeaders();
  });
  t.is(status, 429);
});

test('the limit can be changed while the service runs', async (t) => {
  await using api = await startSurface(LIMIT);
  await exhaust(t, api, '/api/open');
  const config = api.settings.current();
  api.settings.set({ ...config, rateLimit: { ...config.rateLimit, perMinute: 20 } });
  const response = await api.get('/api/open');
  t.is(response.status, 200);
  t.is(response.headers.get('x-ratelimit-limit'), '21');
});

test('disabled, nothing is counted and nothing is said', async (t) => {
  await using api = await startSurface({ ...LIMIT, RATE_LIMIT_ENABLED: 'false' });
  const responses = await times(20, () => api.get('/api/open'));
  t.true(responses.every(({ status, headers }) => status === 200 && !headers.has('x-ratelimit-limit')));
});

test('thumbnails are counted apart, ten times as many, so that looking at a library leaves what one may ask', async (t) => {
  const api = await startApi({ RATE_LIMIT_ENABLED: 'true', ...LIMIT });
  try {
    const picture = async (): Promise<number> => (await api.admin.request(`/api/documents/${crypto.randomUUID()}/thumbnail`)).status;
    const statuses = await times(POINTS * 10 + 1, picture);
    t.is(statuses.filter((status) => status === 404).length, POINTS * 10);
    t.is(statuses.filter((status) => status === 429).length, 1);
    t.is((await api.admin.get('/api/auth/me')).status, 200);
  } finally {
    await api.stop();
  }
});
