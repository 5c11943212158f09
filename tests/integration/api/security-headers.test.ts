import test from 'ava';
import { startSurface } from '../../support/surface.ts';

const SENT = [
  'content-security-policy',
  'x-frame-options',
  'x-content-type-options',
  'referrer-policy',
  'cross-origin-resource-policy',
  'cross-origin-opener-policy',
];

test('every answer carries the headers: successes, refusals, errors, what does not exist', async (t) => {
  await using api = await startSurface();
  for (const [path, status] of [
    ['/api/open', 200],
    ['/page', 200],
    ['/health', 200],
    ['/api/own', 401],
    ['/api/broken', 500],
    ['/api/nothing', 404],
    ['/%ff', 404],
    ['/api/open?unknown=1', 400],
  ] as const) {
    const response = await api.get(path);
    t.is(response.status, status, path);
    for (const name of SENT) t.true(response.headers.has(name), `${path}: ${name}`);
    t.false(response.headers.has('x-powered-by'));
  }
});

test('the defaults let nothing in from elsewhere, and no other site show our pages', async (t) => {
  await using api = await startSurface();
  const { headers } = await api.get('/page');
  const policy = headers.get('content-security-policy') ?? '';
  for (const directive of ["default-src 'self'", "script-src 'self'", "object-src 'none'", "base-uri 'self'", "frame-ancestors 'self'"])
    t.true(policy.split('; ').includes(directive), directive);
  t.notRegex(policy, /unsafe-eval|https?:/);
  t.is(headers.get('x-frame-options'), 'SAMEORIGIN');
  t.is(headers.get('x-content-type-options'), 'nosniff');
  t.is(headers.get('referrer-policy'), 'same-origin');
  t.is(headers.get('cross-origin-resource-policy'), 'same-origin');
});

test('each header is what the operator says, or is not sent', async (t) => {
  await using api = await startSurface({
    SECURITY_CSP: "default-src 'none'; img-src 'self'",
    SECURITY_X_FRAME_OPTIONS: 'DENY',
    SECURITY_REFERRER_POLICY: 'no-referrer',
  });
  const { headers } = await api.get('/page');
  t.is(headers.get('content-security-policy'), "default-src 'none'; img-src 'self'");
  t.is(headers.get('x-frame-options'), 'DENY');
  t.is(headers.get('referrer-policy'), 'no-referrer');
  await using without = await startSurface({
    SECURITY_CSP: 'off',
    SECURITY_X_FRAME_OPTIONS: 'off',
    SECURITY_X_CONTENT_TYPE_OPTIONS: 'false',
    SECURITY_REFERRER_POLICY: 'off',
  });
  const { headers: fewer } = await without.get('/page');
  for (const name of SENT.slice(0, 4)) t.false(fewer.has(name), name);
});

test('all of them can be disabled; answers of the interface are kept by no cache even then', async (t) => {
  await using api = await startSurface({ SECURITY_HEADERS_ENABLED: 'false' });
  const { headers } = await api.get('/api/open');
  for (const name of SENT) t.false(headers.has(name), name);
  t.is(headers.get('cache-control'), 'no-store');
});

test('a route that sets a policy or a rule for caches by itself has the last word', async (t) => {
  await using api = await startSurface();
  const { headers } = await api.get('/api/file');
  t.is(headers.get('content-security-policy'), 'sandbox');
  t.is(headers.get('cache-control'), 'private, no-cache');
  t.is(headers.get('x-content-type-options'), 'nosniff');
});

test('what the interface answers is kept by no cache, errors neither', async (t) => {
  await using api = await startSurface();
  for (const path of ['/api/open', '/api/own', '/api/nothing', '/api/broken'])
    t.is((await api.get(path)).headers.get('cache-control'), 'no-store', path);
});

test('browsers are told to insist on https only over https, of which only a trusted proxy can tell', async (t) => {
  const https = { 'X-Forwarded-Proto': 'https' };
  await using direct = await startSurface();
  t.false((await direct.get('/page', https)).headers.has('strict-transport-security'));
  await using behind = await startSurface({ PROXY_COUNT: '1' });
  t.is((await behind.get('/page', https)).headers.get('strict-transport-security'), 'max-age=31536000');
  t.false((await behind.get('/page', { 'X-Forwarded-Proto': 'http' })).headers.has('strict-transport-security'));
  await using elsewhere = await startSurface({ TRUSTED_PROXIES: '192.0.2.1' });
  t.false((await elsewhere.get('/page', https)).headers.has('strict-transport-security'));
  await using wide = await startSurface({
    PROXY_COUNT: '1',
    SECURITY_HSTS_SECONDS: '60',
    SECURITY_HSTS_INCLUDE_SUBDOMAINS: 'true',
  });
  t.is((await wide.get('/page', https)).headers.get('strict-transport-security'), 'max-age=60; includeSubDomains');
  await using off = await startSurface({ PROXY_COUNT: '1', SECURITY_HSTS_SECONDS: '0' });
  t.false((await off.get('/page', https)).headers.has('strict-transport-security'));
});
