import test from 'ava';
import { startSurface } from '../../support/surface.ts';

const APP = 'https://app.example.org';
const OTHER = 'https://other.example.org';

const preflight = (origin: string, method: string, headers = 'authorization,content-type') => ({
  Origin: origin,
  'Access-Control-Request-Method': method,
  'Access-Control-Request-Headers': headers,
});

test('by default every origin may call, and none with cookies', async (t) => {
  await using api = await startSurface();
  for (const response of [await api.get('/api/open', { Origin: OTHER }), await api.get('/api/open', preflight(OTHER, 'PUT'), 'OPTIONS')]) {
    t.is(response.headers.get('access-control-allow-origin'), '*');
    t.false(response.headers.has('access-control-allow-credentials'));
  }
});

test('a page may read what it needs to go on: limits, names of files, ids of requests', async (t) => {
  await using api = await startSurface();
  const { headers } = await api.get('/api/open', { Origin: OTHER });
  const exposed = headers.get('access-control-expose-headers')?.split(',') ?? [];
  for (const name of [
    'X-Request-Id',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'X-Per-Page-Limit',
    'Retry-After',
    'ETag',
    'Content-Disposition',
  ])
    t.true(exposed.includes(name), name);
});

test('a preflight is answered with the configured methods, the headers asked for and how long that holds', async (t) => {
  await using api = await startSurface();
  const { status, headers } = await api.get('/api/own', preflight(APP, 'DELETE', 'authorization,x-anything'), 'OPTIONS');
  t.is(status, 204);
  t.is(headers.get('access-control-allow-methods'), 'GET,POST,PUT,DELETE,OPTIONS');
  t.is(headers.get('access-control-allow-headers'), 'authorization,x-anything');
  t.is(headers.get('access-control-max-age'), '3600');
  await using narrow = await startSurface({ CORS_ALLOWED_METHODS: 'get,patch', CORS_ALLOWED_HEADERS: 'Authorization', CORS_MAX_AGE: '0' });
  const answer = await narrow.get('/api/own', preflight(APP, 'PATCH', 'x-anything'), 'OPTIONS');
  t.is(answer.headers.get('access-control-allow-methods'), 'GET,PATCH');
  t.is(answer.headers.get('access-control-allow-headers'), 'Authorization');
  t.is(answer.headers.get('access-control-max-age'), '0');
});

test('with a list only its origins are let in, cookies included, and caches are told so', async (t) => {
  await using api = await startSurface({ CORS_ALLOWED_ORIGINS: `${APP},http://localhost:3000` });
  for (const origin of [APP, 'http://localhost:3000']) {
    const { headers } = await api.get('/api/open', { Origin: origin });
    t.is(headers.get('access-control-allow-origin'), origin);
    t.is(headers.get('access-control-allow-credentials'), 'true');
    t.regex(headers.get('vary') ?? '', /Origin/);
  }
  for (const origin of [
    OTHER,
    `${APP}.evil.example`,
    'https://evilapp.example.org',
    'http://app.example.org',
    `${APP}:8443`,
    'null',
    '*',
  ]) {
    for (const method of ['GET', 'OPTIONS']) {
      const { headers } = await api.get('/api/open', preflight(origin, 'PUT'), method);
      t.deepEqual(
        [...headers.keys()].filter((name) => name.startsWith('access-control-')),
        [],
        `${method} from ${origin}`,
      );
      t.regex(headers.get('vary') ?? '', /Origin/);
    }
  }
});

test('`null`, the origin of sandboxed pages, is let in by no setting', async (t) => {
  await using api = await startSurface();
  const { headers } = await api.get('/api/open', { Origin: 'null' });
  t.false(headers.has('access-control-allow-origin'));
});

test('errors can be read by those who may call', async (t) => {
  await using api = await startSurface({ CORS_ALLOWED_ORIGINS: APP });
  for (const path of ['/api/own', '/api/nothing', '/api/broken'])
    t.is((await api.get(path, { Origin: APP })).headers.get('access-control-allow-origin'), APP, path);
});

test('disabled, no origin hears a word', async (t) => {
  await using api = await startSurface({ CORS_ENABLED: 'false' });
  for (const method of ['GET', 'OPTIONS']) {
    const { headers } = await api.get('/api/open', preflight(APP, 'GET'), method);
    t.false([...headers.keys()].some((name) => name.startsWith('access-control-')));
  }
});
