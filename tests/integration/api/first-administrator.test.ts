// While no user exists, who registers becomes administrator: somebody at this machine, or who can read its log.
import { type Answer } from '@sheaf/testkit';
import type { ExecutionContext } from 'ava';
import anyTest from 'ava';
import { type EmptyApi, startEmptyApi } from '../../support/running-api.ts';

const test = anyTest;

const ACCOUNT = { username: 'ada', email: 'ada@example.org', password: 'correct horse battery' };
/** What a proxy writes before the service, which then sees its address alone. */
const FROM_AFAR = { 'x-forwarded-for': '192.0.2.7' };

const opened = async (t: ExecutionContext, environment: Record<string, string> = {}): Promise<EmptyApi> => {
  const api = await startEmptyApi(environment);
  t.teardown(() => api.stop());
  return api;
};

const register = async ({ anyone }: EmptyApi, headers: Record<string, string>, more: Record<string, unknown> = {}) => {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...ACCOUNT, ...more }),
  };
  const response = await anyone.request('/api/auth/register', init);
  const { error } = (await response.json()) as { error?: { details: Record<string, unknown> } };
  return { status: response.status, reason: error?.details['reason'] };
};

const options = async ({ anyone }: EmptyApi, headers: Record<string, string> = {}) =>
  (await (await anyone.request('/api/auth/config', { headers })).json()) as Record<string, unknown>;

const codeIn = async (api: EmptyApi): Promise<string> => /setup code (\S+)/.exec((await api.notices()).join('\n'))?.[1] ?? '';

test('from this machine nothing more is asked, and the first form does not ask either', async (t) => {
  const api = await opened(t);
  t.like(await options(api), { setup_required: true, setup_code_required: false });
  t.deepEqual(await register(api, {}), { status: 201, reason: undefined });
  t.like(await options(api), { setup_required: false, setup_code_required: false });
});

test('from elsewhere the code of the log is asked for, whatever proxies are trusted', async (t) => {
  for (const environment of [{}, { PROXY_COUNT: '1' }, { TRUSTED_PROXIES: '127.0.0.1' }] as Record<string, string>[]) {
    const api = await opened(t, environment);
    for (const headers of [
      FROM_AFAR,
      { 'x-forwarded-for': '127.0.0.1' },
      { forwarded: 'for=127.0.0.1' },
      { 'x-real-ip': '::1' },
      { via: '1.1 proxy' },
    ]) {
      t.like(await options(api, headers), { setup_required: true, setup_code_required: true });
      t.deepEqual(await register(api, headers), { status: 403, reason: 'setup_code_required' });
    }
    t.deepEqual(await register(api, FROM_AFAR, { setup_code: 'aaaa-bbbb-cccc' }), { status: 403, reason: 'setup_code_wrong' });
    t.deepEqual(await register(api, FROM_AFAR, { setup_code: '' }), { status: 403, reason: 'setup_code_required' });
    const code = await codeIn(api);
    t.regex(code, /^[0-9a-z]{4}(?:-[0-9a-z]{4}){2}$/);
    t.is(await codeIn(api), code, 'it stays the same');
    t.deepEqual(await register(api, FROM_AFAR, { setup_code: code.toUpperCase().replaceAll('-', ' ') }), {
      status: 201,
      reason: undefined,
    });
    t.deepEqual(await api.notices(), [], 'it is printed no more');
    const second = { setup_code: code, username: 'eve', email: 'eve@example.org' };
    t.deepEqual(await register(api, FROM_AFAR, second), { status: 403, reason: 'registration_closed' }, 'it works once');
  }
});

test('two services have two codes', async (t) => {
  t.not(await codeIn(await opened(t)), await codeIn(await opened(t)));
});

test('a page of another site makes no administrator, not even with the code', async (t) => {
  const api = await opened(t);
  const setup_code = await codeIn(api);
  for (const headers of [
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'null' },
    { 'sec-fetch-site': 'same-site' },
  ]) {
    t.deepEqual(await register(api, headers), { status: 403, reason: 'foreign_page' });
    t.deepEqual(await register(api, headers, { setup_code }), { status: 403, reason: 'foreign_page' });
  }
  t.deepEqual(await register(api, { origin: api.anyone.url, 'sec-fetch-site': 'same-origin' }), { status: 201, reason: undefined });
});

test('no answer has the code', async (t) => {
  const api = await opened(t);
  const code = await codeIn(api);
  const answers: Answer[] = await Promise.all(
    ['/api/auth/config', '/status', '/api/health', '/ready', '/metrics', '/api/openapi.json'].map((path) => api.anyone.get(path)),
  );
  t.false(JSON.stringify(answers.map(({ body }) => body)).includes(code));
});
