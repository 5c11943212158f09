import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '@sheaf/db';
import { findLedgerEntries } from '@sheaf/ingest';
import { constant, silentLogger } from '@sheaf/process';
import { factsOf } from '@sheaf/storage/folders';
import { givenUser } from '@sheaf/testkit';
import test from 'ava';
import { requireOtherFileSystem } from '../../fixtures/other-file-system.ts';
import { makeTestAcross } from '../../support/conditional-test.ts';
import { openWatchBench } from './fixture.ts';

const SETTINGS = {
  maxConnections: 1,
  minConnections: 0,
  acquireTimeoutMs: 5_000,
  idleTimeoutMs: 1_000,
  maxLifetimeMs: 60_000,
  applicationName: 'odd times',
};
const YEAR_50 = new Date('0050-06-01T00:00:00Z');
const YEAR_20000 = new Date('+020000-01-01T00:00:00Z');

test('times that no file has come back from the ledger as they went in, in any time zone', async (t) => {
  await using bench = await openWatchBench();
  await givenUser(bench.db, { role: 'admin' });
  const { drop, scan, database } = bench;
  await drop('a.txt', 'a');
  await scan();
  for (const zone of ['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
    await database.pool.query(`alter database ${database.name} set timezone to '${zone}'`);
    const elsewhere = openDatabase({ ...SETTINGS, url: database.url }, silentLogger());
    for (const time of [YEAR_50, YEAR_20000, new Date('-010000-01-01T00:00:00Z')]) {
      const { modifiedMs } = factsOf({ mtimeMs: time.getTime(), ctimeMs: 0, size: 1, ino: 1 });
      await elsewhere.pool.query('update ingest_ledger set modified_at = $1', [new Date(modifiedMs).toISOString()]);
      const [entry] = await findLedgerEntries(elsewhere.db, 'watch', ['a.txt']);
      t.is(entry?.modifiedAt?.getTime(), modifiedMs, `${zone} ${time.toISOString()}`);
    }
    await elsewhere.close();
  }
});

const testAcross = makeTestAcross();

testAcross('a file with a time of the first century is taken in once, and known after a restart', async (t): Promise<void> => {
  await using other = await requireOtherFileSystem();
  await using bench = await openWatchBench();
  const owner = { id: (await givenUser(bench.db)).id };
  const path = join(other.path, 'a.txt');
  await writeFile(path, 'a');
  await utimes(path, YEAR_50, YEAR_50);
  const rules = {
    patterns: { isWanted: () => true, findIgnoring: () => undefined },
    allowedExtensions: ['txt'],
    maxBytes: 100,
    maxAgeMs: 0,
  };
  const findRoots = async () => [{ path: other.path, ledgerPrefix: '', owner }];
  t.is((await bench.makeScanner({ findRoots, rules: constant(rules) }).scan()).taken, 1);
  t.is((await bench.makeScanner({ findRoots, rules: constant(rules) }).scan()).taken, 0);
});
