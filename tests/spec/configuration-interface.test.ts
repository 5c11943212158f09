// The rows of the specification for how the interface answers: name, default, and where the value arrives.
import test from 'ava';
import { openConfiguration, type VariableRow } from '../support/configuration.ts';

const { load } = openConfiguration();

const ROWS: readonly VariableRow[] = [
  { table: 'Limits', name: 'REQUEST_TIMEOUT', read: ({ server }) => server.requestTimeoutMs, byDefault: 30_000, given: ['5', 5_000] },
  {
    table: 'Limits',
    name: 'JSON_BODY_LIMIT_MB',
    read: ({ server }) => server.jsonBodyLimitBytes,
    byDefault: 10 * 1024 ** 2,
    given: ['100', 100 * 1024 ** 2],
  },
  { table: 'Feature flags', name: 'FEATURE_API_V2', read: ({ features }) => features.apiV2, byDefault: false, given: ['true', true] },
];

for (const { table, name, read, byDefault, given } of ROWS) {
  test(`${table}: ${name}`, (t) => {
    t.deepEqual(read(load()), byDefault, 'by default');
    t.deepEqual(read(load({ [name]: given[0] })), given[1], 'when set');
  });
}
