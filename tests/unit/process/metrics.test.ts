import { Gauge, Histogram, makeRegistry, type Registry, waitFor } from '@sheaf/process';
import { METRICS_AS_JSON, mergeMetrics, readMetrics, renderMetrics } from '@sheaf/process/metrics';
import test from 'ava';

const valueOf = (text: string, name: string): number => Number(new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1]);

const LARGEST = 'nodejs_eventloop_lag_max_seconds';

test.serial('the delay of the event loop is measured, and each collection begins anew', async (t) => {
  const registry = makeRegistry('trial');
  const end = performance.now() + 1_200;
  while (performance.now() < end); // longer than two samples are apart, so a timer is late
  await waitFor(async () => valueOf(await registry.metrics(), LARGEST) > 0.1, { description: 'a sample', limitMs: 30_000 });
  await waitFor(async () => valueOf(await registry.metrics(), LARGEST) < 0.1, { description: 'later samples alone', limitMs: 30_000 });
  t.pass();
});

test.serial('the timer of prom-client that wakes an idle process a hundred times a second is off', async (t) => {
  const text = await makeRegistry('trial').metrics();
  t.regex(text, /^nodejs_eventloop_lag_p99_seconds\{/m);
  t.false(text.includes('nodejs_eventloop_lag_mean_seconds'), 'a figure of that timer');
});

test.serial('no gauge of a process ends like a counter', async (t) => {
  const gauges = (await makeRegistry('trial').getMetricsAsJSON()).filter(({ type }) => String(type) === 'gauge').map(({ name }) => name);
  t.deepEqual(
    gauges.filter((name) => name.endsWith('_total')),
    [],
  );
});

const collected = async (registry: Registry) => readMetrics((await renderMetrics(registry, METRICS_AS_JSON)).body) ?? [];

test('what one process tells is merged with what others tell, each sample under the labels of its process', async (t) => {
  const registry = makeRegistry('sync', { isCollecting: false });
  new Histogram({ name: 'run_seconds', help: 'Runs', labelNames: ['kind'], buckets: [1], registers: [registry] }).observe(
    { kind: 'full' },
    2,
  );
  new Gauge({ name: 'odd', help: 'No number of JSON', registers: [registry] }).set(Number.NaN);
  new Gauge({ name: 'endless', help: 'No number of JSON', registers: [registry] }).set(Number.POSITIVE_INFINITY);
  const metrics = await collected(registry);
  const text = await mergeMetrics([
    { labels: { process: 'sync' }, metrics },
    { labels: { process: 'ocr-worker', instance: '2' }, metrics },
  ]);
  t.is(text.match(/^# TYPE run_seconds histogram$/gm)?.length, 1);
  for (const line of [
    'run_seconds_bucket{le="1",kind="full",process="sync"} 0',
    'run_seconds_bucket{le="+Inf",kind="full",process="ocr-worker",instance="2"} 1',
    'run_seconds_sum{kind="full",process="sync"} 2',
    'odd{process="sync"} Nan',
    'endless{process="ocr-worker",instance="2"} +Inf',
  ])
    t.true(text.split('\n').includes(line), line);
});

test('a merge leaves out nothing, but for a family that an earlier process has as another type', async (t) => {
  const one = makeRegistry('api');
  const namesOf = (text: string) => text.match(/^# TYPE \S+/gm)?.toSorted() ?? [];
  t.deepEqual(namesOf(await mergeMetrics([{ labels: { process: 'api' }, metrics: await collected(one) }])), namesOf(await one.metrics()));
  const metric = { name: 'x', help: '', values: [{ value: 1, labels: {} }] };
  const text = await mergeMetrics([
    { labels: { process: 'api' }, metrics: [{ ...metric, type: 'gauge' }] },
    { labels: { process: 'sync' }, metrics: [{ ...metric, type: 'counter' }] },
  ]);
  t.deepEqual(text.trim().split('\n').slice(1), ['# TYPE x gauge', 'x{process="api"} 1']);
});

test('what is no list of metrics is refused', (t) => {
  for (const body of ['', 'x 1', '{}', '[{"name":"x"}]', '[{"name":"x 1\\ny","help":"","type":"gauge","values":[]}]'])
    t.is(readMetrics(body), undefined, body);
});
