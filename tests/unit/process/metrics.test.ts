import { makeRegistry, waitFor } from '@sheaf/process';
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
