import { type ComponentHealth, unhealthy, warning } from '@sheaf/contract/operations';
import { Gauge, makeRegistry, ProbeServer, silentLogger } from '@sheaf/process';
import test, { type ExecutionContext } from 'ava';

const given = async (t: ExecutionContext, more: Partial<ConstructorParameters<typeof ProbeServer>[0]> = {}) => {
  const server = new ProbeServer({
    host: '127.0.0.1',
    port: 0,
    log: silentLogger(),
    registry: makeRegistry('watcher'),
    paths: { healthPath: '/health', readyPath: '/ready', metricsPath: '/metrics' },
    metricsEnabled: true,
    health: () => ({}),
    ready: async () => ({ status: 'healthy' }),
    ...more,
  });
  await server.start();
  t.teardown(() => server.stop());
  return async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
    return { status: response.status, text: await response.text() };
  };
};

test('HEALTH_CHECK_PATH, READY_CHECK_PATH and METRICS_PATH are where the probes answer', async (t) => {
  const ask = await given(t, { paths: { healthPath: '/alive', readyPath: '/go', metricsPath: '/numbers' } });
  t.is((await ask('/alive')).status, 200);
  t.is((await ask('/go')).status, 200);
  t.regex((await ask('/numbers')).text, /^sheaf_build_info\{.*process="watcher"\} 1$/m);
  for (const path of ['/health', '/ready', '/metrics']) t.is((await ask(path)).status, 404);
});

test('METRICS_ENABLED=false: nothing is measured by itself, and who asks is told so', async (t) => {
  const registry = makeRegistry('watcher', { isCollecting: false });
  t.deepEqual(registry.getMetricsAsArray(), []);
  const ask = await given(t, { metricsEnabled: false, registry });
  const { status, text } = await ask('/metrics');
  t.is(status, 404);
  t.regex(text, /"code":"NOT_FOUND".*"reason":"feature_disabled".*"variable":"METRICS_ENABLED"/);
});

test('it is ready unless one of its parts does not work at all', async (t) => {
  const slow = warning('loop_failing', { loop: 'loop', error: 'slow' });
  const parts: Record<string, ComponentHealth> = { loop: slow, file_storage: { status: 'healthy' } };
  const ask = await given(t, { health: () => parts });
  t.deepEqual(await ask('/ready'), { status: 200, text: JSON.stringify(slow) });
  const gone = unhealthy('storage_failing', { error: 'the disk is gone' });
  parts['file_storage'] = gone;
  t.deepEqual(await ask('/ready'), { status: 503, text: JSON.stringify(gone) });
  const { status, text } = await ask('/health');
  t.is(status, 200, 'no restart brings the disk back');
  t.is((JSON.parse(text) as ComponentHealth).status, 'unhealthy');
});

test('a metric with a label of any number of values is refused', (t) => {
  const registry = makeRegistry('watcher');
  const define = (label: string) => new Gauge({ name: `sheaf_of_${label}`, help: 'x', labelNames: [label], registers: [registry] });
  for (const label of ['document_id', 'path', 'user', 'address']) t.throws(() => define(label), { message: /unbounded values/ });
  t.notThrows(() => define('route'));
});
