// The rows of the specification's monitoring variables: default, where another value arrives, and which values are refused.
import { ConfigError } from '@sheaf/config';
import test from 'ava';
import { openConfiguration, type VariableRow } from '../support/configuration.ts';

const { load } = openConfiguration();

const ROWS: readonly VariableRow[] = [
  { name: 'METRICS_ENABLED', read: ({ telemetry }) => telemetry.metricsEnabled, byDefault: true, given: ['false', false] },
  { name: 'EXPORTER_ENABLED', read: ({ telemetry }) => telemetry.exporterPort, byDefault: undefined, given: ['true', 9_090] },
  {
    name: 'EXPORTER_PORT',
    read: ({ telemetry }) => telemetry.exporterPort,
    byDefault: 9_090,
    given: ['9191', 9_191],
    beside: { EXPORTER_ENABLED: 'true' },
  },
  { name: 'HEALTH_CHECK_PATH', read: ({ server }) => server.healthPath, byDefault: '/health', given: ['/a/live', '/a/live'] },
  { name: 'READY_CHECK_PATH', read: ({ server }) => server.readyPath, byDefault: '/ready', given: ['/go', '/go'] },
  { name: 'METRICS_PATH', read: ({ server }) => server.metricsPath, byDefault: '/metrics', given: ['/m', '/m'] },
];

for (const { name, read, byDefault, given, beside = {} } of ROWS)
  test(`Monitoring: ${name}`, (t) => {
    t.deepEqual(read(load(beside)), byDefault);
    t.deepEqual(read(load({ ...beside, [name]: given[0] })), given[1]);
  });

const refusal = (environment: Record<string, string>) => {
  try {
    load(environment);
    return '';
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message;
  }
};

test('Monitoring: paths that are taken, are no paths, or are one and the same are refused', (t) => {
  for (const path of ['/api', '/api/health', '/ws', '/socket.io/x', '/status', '/', 'health', '/a b', '/{id}', '/a/', '/:id', '/a?b'])
    t.regex(refusal({ METRICS_PATH: path }), /METRICS_PATH must/, path);
  const both = refusal({ READY_CHECK_PATH: '/probe', HEALTH_CHECK_PATH: '/probe' });
  t.regex(both, /HEALTH_CHECK_PATH must not be \/probe, which READY_CHECK_PATH uses/);
  t.regex(both, /READY_CHECK_PATH must not be \/probe/);
  t.regex(refusal({ READY_CHECK_PATH: '/health' }), /READY_CHECK_PATH/, 'a default counts as well');
  t.is(refusal({ METRICS_PATH: '/apis/metrics.txt' }), '');
});

test('Monitoring: an exporter without metrics is refused', (t) => {
  t.regex(refusal({ EXPORTER_ENABLED: 'true', METRICS_ENABLED: 'false' }), /EXPORTER_ENABLED requires METRICS_ENABLED=true/);
});
