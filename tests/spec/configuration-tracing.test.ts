// The rows of the specification's tracing variables: default, and where another value arrives. What they change is in
// tests/integration/process/tracing.
import { ConfigError } from '@sheaf/config';
import test from 'ava';
import { openConfiguration, type VariableRow } from '../support/configuration.ts';

const { load } = openConfiguration();

const ENDPOINT = 'http://127.0.0.1:4318';
const COLLECTOR = { TRACE_COLLECTOR_ENDPOINT: ENDPOINT };
const ON = { ...COLLECTOR, TRACING_ENABLED: 'true' };

const ROWS: readonly VariableRow[] = [
  {
    name: 'TRACING_ENABLED',
    read: ({ telemetry }) => telemetry.tracing !== undefined,
    byDefault: false,
    given: ['true', true],
    beside: COLLECTOR,
  },
  {
    name: 'TRACE_COLLECTOR_ENDPOINT',
    read: ({ telemetry }) => telemetry.tracing?.endpoint,
    byDefault: undefined,
    given: [ENDPOINT, ENDPOINT],
    // required while tracing is on
    beside: {},
  },
  {
    name: 'TRACE_SAMPLE_RATE',
    read: ({ telemetry }) => telemetry.tracing?.sampleRate,
    byDefault: 0.1,
    given: ['0.5', 0.5],
    beside: ON,
  },
];

for (const { name, read, byDefault, given, beside = {} } of ROWS)
  test(`Monitoring: ${name}`, (t) => {
    t.deepEqual(read(load(beside)), byDefault);
    t.deepEqual(read(load({ ...ON, ...beside, [name]: given[0] })), given[1]);
  });

test('Monitoring: TRACE_COLLECTOR_ENDPOINT is required when tracing is enabled', (t) => {
  const refused = t.throws(() => load({ TRACING_ENABLED: 'true' }), { instanceOf: ConfigError });
  t.regex(refused.message, /TRACE_COLLECTOR_ENDPOINT is required when TRACING_ENABLED=true/);
});

test('Monitoring: TRACE_COLLECTOR_ENDPOINT is an address of HTTP', (t) => {
  for (const text of ['collector', 'grpc://127.0.0.1:4317', '127.0.0.1:4318'])
    t.regex(
      t.throws(() => load({ ...ON, TRACE_COLLECTOR_ENDPOINT: text }), { instanceOf: ConfigError }).message,
      /TRACE_COLLECTOR_ENDPOINT/,
    );
});

test('Monitoring: TRACE_SAMPLE_RATE is from 0 to 1', (t) => {
  for (const text of ['-0.1', '1.1', 'often'])
    t.regex(t.throws(() => load({ ...ON, TRACE_SAMPLE_RATE: text }), { instanceOf: ConfigError }).message, /TRACE_SAMPLE_RATE/);
});
