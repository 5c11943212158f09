import { describeRoutes } from '@sheaf/api/testing';
import { loadConfig } from '@sheaf/config';
import { parseMetrics } from '../../support/metrics-text.ts';
import { startApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

const valueOf = (text: string, name: string, labels: Readonly<Record<string, string>> = {}): number | undefined =>
  [...parseMetrics(text).values()]
    .flatMap(({ samples }) => samples)
    .find((sample) => sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value))?.value;

test.serial('what users do is counted, and no label names them or what is theirs', async (t) => {
  const { anyone, admin } = t.context;
  const uploaded = await admin.upload({ name: 'secret.txt', bytes: new TextEncoder().encode('a') });
  await admin.get('/api/search?q=secret');
  await admin.get('/api/search/suggest?q=secret');
  await admin.post('/api/search/advanced', { query: { must: [{ field: 'content', value: 'secret', type: 'match' }] } });
  await admin.get(`/api/documents/${String(uploaded.body['id'])}`);
  await admin.get('/api/secret/path');
  await anyone.post('/api/auth/login', { username: 'secret', password: 'wrong' });
  const text = await (await anyone.request('/metrics')).text();
  for (const kind of ['simple', 'advanced', 'suggest']) {
    t.is(valueOf(text, 'sheaf_searches_total', { kind, outcome: 'answered' }), 1, kind);
    t.is(valueOf(text, 'sheaf_search_duration_seconds_count', { kind }), 1);
  }
  t.is(valueOf(text, 'sheaf_sign_ins_total', { step: 'first', outcome: 'failure' }), 1);
  t.is(valueOf(text, 'sheaf_sign_ins_total', { step: 'first', outcome: 'success' }), 1);
  t.is(valueOf(text, 'sheaf_ocr_queue_jobs', { status: 'pending' }), 1);
  t.true((valueOf(text, 'sheaf_ocr_queue_oldest_seconds') ?? 0) > 0);
  t.is(valueOf(text, 'sheaf_documents', { source: 'upload', status: 'pending' }), 1);
  t.is(valueOf(text, 'sheaf_alerts', { level: 'critical' }), 0);
  t.is(valueOf(text, 'sheaf_http_requests_total', { method: 'GET', route: '/api/documents/{id}', status: '2xx' }), 1);
  t.is(valueOf(text, 'sheaf_http_requests_total', { method: 'GET', route: 'unknown', status: '4xx' }), 1);
  t.notRegex(text, /secret|[0-9a-f]{8}-[0-9a-f]{4}|127\.0\.0\.1|admin@/);
});

test.serial('the metrics are tens of kilobytes after every route was used', async (t) => {
  const { anyone, admin, stop } = await startApi();
  t.teardown(stop);
  const { config } = loadConfig({ environment: {} });
  for (const { path } of describeRoutes(config).filter(({ method }) => method === 'get')) {
    const address = path.replaceAll(/\{[^}]+\}/g, crypto.randomUUID());
    for (const response of [admin.request(address), admin.request(`${address}?unknown=1`), anyone.request(address)])
      await (await response).body?.cancel();
  }
  const text = await (await anyone.request('/metrics')).text();
  t.true(text.length < 100_000, `${text.length} bytes`);
});

test.serial('methods that no route has are one label value together, in the metrics alone', async (t) => {
  const { anyone, registry } = t.context;
  for (const method of ['PROPFIND', 'MKCOL', 'LINK', 'DELETE']) t.is((await anyone.request('/nowhere', { method })).status, 404);
  const text = await registry.metrics();
  t.is(valueOf(text, 'sheaf_http_requests_total', { method: 'OTHER', route: 'unknown', status: '4xx' }), 3);
  t.is(valueOf(text, 'sheaf_http_requests_total', { method: 'DELETE', route: 'unknown', status: '4xx' }), 1);
});

test.serial('names keep to the conventions: a unit that is a base one, and _total for counters alone', async (t) => {
  const families = parseMetrics(await t.context.registry.metrics());
  for (const [name, { type, help }] of families) {
    t.true(help.length > 0, name);
    if (!name.startsWith('sheaf_')) continue;
    t.is(name.endsWith('_total'), type === 'counter', name);
    t.notRegex(name, /_(ms|milliseconds|minutes|kb|mb|percent|count|sum)(_|$)/, name);
    if (type === 'histogram') t.regex(name, /_seconds$/);
  }
});

test.serial('METRICS_ENABLED=false: the path answers that the feature is off', async (t) => {
  const { anyone, stop } = await startApi({ METRICS_ENABLED: 'false', RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_PER_MINUTE: '1' });
  try {
    const { status, body } = await anyone.get('/metrics');
    t.is(status, 404);
    t.like(body['error'], { code: 'NOT_FOUND', details: { reason: 'feature_disabled' } });
  } finally {
    await stop();
  }
});

test.serial('METRICS_ALLOWED_NETWORKS=10.0.0.0/8: nobody else is given metrics', async (t) => {
  for (const [networks, expected] of [
    ['10.0.0.0/8', 403],
    ['fd00::/8,127.0.0.2', 403],
    ['10.0.0.5,127.0.0.0/8', 200],
  ] as const) {
    const { anyone, stop } = await startApi({ METRICS_ALLOWED_NETWORKS: networks });
    try {
      const response = await anyone.request('/metrics');
      t.is(response.status, expected, networks);
      t.is((await response.text()).includes('sheaf_'), expected === 200, networks);
    } finally {
      await stop();
    }
  }
});
