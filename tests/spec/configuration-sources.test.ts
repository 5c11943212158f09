// The rows of the specification's configuration tables that sources are made from, and those of this service beside them.
import { resolve } from 'node:path';
import { ConfigError } from '@sheaf/config';
import test from 'ava';
import { openConfiguration, type VariableRow } from '../support/configuration.ts';

const { load } = openConfiguration();

const ROWS: readonly VariableRow[] = [
  { table: 'Feature flags', name: 'FEATURE_SOURCES', read: ({ sources }) => sources.enabled, byDefault: true, given: ['false', false] },
  {
    table: 'Feature flags',
    name: 'FEATURE_WEBDAV',
    read: ({ sources }) => sources.webdavEnabled,
    byDefault: true,
    given: ['false', false],
  },
  {
    // Choice: 300, as WebDAV sources are checked about every 5 minutes; the 600 of the specification is an example.
    table: 'Health monitoring',
    name: 'SOURCE_CHECK_INTERVAL',
    read: ({ sources }) => sources.checkIntervalMs,
    byDefault: 300_000,
    given: ['600', 600_000],
  },
  { name: 'SYNC_PARALLEL_DOWNLOADS', read: ({ sources }) => sources.parallelDownloads, byDefault: 5, given: ['2', 2] },
  {
    name: 'LOCAL_SOURCE_ROOTS',
    read: ({ sources }) => sources.localRoots.join(),
    byDefault: '',
    given: ['/srv/papers, scans', `/srv/papers,${resolve('scans')}`],
  },
];

for (const { table, name, read, byDefault, given } of ROWS) {
  test(`${table ?? 'Beside the specification'}: ${name}`, (t) => {
    t.is(read(load()), byDefault);
    t.is(read(load({ [name]: given[0] })), given[1]);
  });
}

test('numbers out of their range are refused', (t) => {
  for (const [name, value] of [
    ['SOURCE_CHECK_INTERVAL', '9'],
    ['SYNC_PARALLEL_DOWNLOADS', '0'],
    ['FEATURE_SOURCES', 'maybe'],
  ] as const)
    t.throws(() => load({ [name]: value }), { instanceOf: ConfigError }, name);
});
