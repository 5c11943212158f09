import { mkdirSync, renameSync } from 'node:fs';
import { chmod, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { ledgerReason } from '@sheaf/contract/imports';
import { constant } from '@sheaf/process';
import { givenUser } from '@sheaf/testkit';
import type { FindRoots } from '@sheaf/watcher/testing';
import anyTest, { type TestFn } from 'ava';
import { isRoot, testWhere } from '../../support/conditional-test.ts';
import { fullOnly } from '../../support/full-run.ts';
import { text } from '../../support/messages.ts';
import { makeNotedLogger } from '../../support/noted-logger.ts';
import { openWatchBench, type WatchBench } from './fixture.ts';

const test = anyTest as TestFn<WatchBench>;

test.beforeEach(async (t) => {
  t.context = await openWatchBench();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const GONE = 'ignored gone_while_waiting';
const NO_ADMINISTRATOR = 'waiting no_owner_yet';

const eventsOf = async ({ database }: WatchBench): Promise<string[]> => {
  const { rows } = await database.pool.query(
    "select data->>'filename' as f, data->>'state' as s from events where type = 'ingest' order by id",
  );
  return rows.map(({ f, s }) => `${f} ${s}`);
};

test('a file that waited and went is said to be gone, once, also when it went while no watcher ran', async (t) => {
  const { makeScanner, drop, ledger } = t.context;
  const { log, lines } = makeNotedLogger();
  const { scan } = makeScanner({ log });
  const [a, b] = [await drop('in/a.txt', 'a'), await drop('b.txt', 'b')];
  await drop('c.txt', 'c');
  await scan();
  await rm(a);
  await scan();
  await scan();
  t.deepEqual(await ledger(), [`b.txt ${NO_ADMINISTRATOR}`, `c.txt ${NO_ADMINISTRATOR}`, `in/a.txt ${GONE}`]);
  await rm(b);
  await makeScanner({ log }).scan();
  t.deepEqual(await ledger(), [`b.txt ${GONE}`, `c.txt ${NO_ADMINISTRATOR}`, `in/a.txt ${GONE}`]);
  t.deepEqual((await eventsOf(t.context)).slice(3), ['a.txt ignored', 'b.txt ignored']);
  t.is(lines.filter((line) => line.includes(text('importLog.gone_while_waiting'))).length, 2);
});

test('a file that was gone and comes back as it was is imported, also when it has grown old meanwhile', async (t) => {
  const { makeScanner, drop, ledger, watch, folder, db } = t.context;
  const { scan } = makeScanner();
  const path = await drop('a.txt', 'a');
  await scan();
  await rename(watch, join(folder, 'unmounted'));
  await scan();
  t.deepEqual(await ledger(), [`a.txt ${GONE}`]);
  const longAgo = new Date(Date.now() - 48 * 3_600_000);
  await rm(watch, { recursive: true });
  await rename(join(folder, 'unmounted'), watch);
  await utimes(path, longAgo, longAgo);
  await scan();
  t.deepEqual(await ledger(), [`a.txt ${NO_ADMINISTRATOR}`]);
  await givenUser(db, { role: 'admin' });
  await scan();
  t.deepEqual(await ledger(), ['a.txt ingested']);
});

test('a file that was gone and comes back with nothing changed is imported too', async (t) => {
  const { scan, makeScanner, drop, ledger, watch, folder, db } = t.context;
  await drop('a.txt', 'a');
  await scan();
  await rename(join(watch, 'a.txt'), join(folder, 'a.txt'));
  await scan();
  t.deepEqual(await ledger(), [`a.txt ${GONE}`]);
  await rename(join(folder, 'a.txt'), join(watch, 'a.txt'));
  await givenUser(db, { role: 'admin' });
  await makeScanner().scan();
  t.deepEqual(await ledger(), ['a.txt ingested']);
});

test('nothing is said of files below a root that is not there or was not read, until it was', async (t) => {
  const { makeScanner, drop, ledger, watch, folder } = t.context;
  const path = await drop('a.txt', 'a');
  const root = { path: watch, ledgerPrefix: '', owner: { missing: ledgerReason('no_owner_yet') } };
  const findRoots: FindRoots = async () => [root];
  const { scan } = makeScanner({ findRoots });
  const waiting = ['a.txt waiting no_owner_yet'];
  await scan();
  await rename(watch, join(folder, 'away'));
  await scan();
  t.deepEqual(await ledger(), waiting, 'the root is absent');
  await rename(join(folder, 'away'), watch);
  await rm(path);
  const abort = new AbortController();
  abort.abort();
  await scan(abort.signal);
  t.deepEqual(await ledger(), waiting, 'the scan was ended');
  await makeScanner({ findRoots: async () => [] }).scan();
  t.deepEqual(await ledger(), waiting, 'it is no root now');
  await scan();
  t.deepEqual(await ledger(), [`a.txt ${GONE}`]);
});

testWhere(
  isRoot,
  'only root may take rights away from a process',
  test.serial,
)('a folder that cannot be read says nothing of its files', async (t) => {
  const { scan, drop, ledger, watch, folder } = t.context;
  await drop('in/a.txt', 'a');
  await scan();
  await chmod(join(watch, 'in'), 0);
  await chmod(folder, 0o755);
  process.seteuid?.(65_534);
  try {
    await scan();
  } finally {
    process.seteuid?.(0);
  }
  await chmod(join(watch, 'in'), 0o755);
  t.deepEqual(await ledger(), [`in/a.txt ${NO_ADMINISTRATOR}`]);
});

test('nor does a root that goes away in the middle of a scan, or becomes another folder', async (t) => {
  const { scan, makeScanner, drop, ledger, watch, folder } = t.context;
  await drop('in/a.txt', 'a');
  await scan();
  const remount = (name: string): undefined => {
    if (name !== 'in') return;
    renameSync(watch, join(folder, 'unmounted'));
    mkdirSync(watch);
  };
  const patterns = { isWanted: () => true, findIgnoring: remount };
  const rules = { patterns, allowedExtensions: ['txt'], maxBytes: 100, maxAgeMs: 0 };
  await makeScanner({ rules: constant(rules) }).scan();
  t.deepEqual(await ledger(), [`in/a.txt ${NO_ADMINISTRATOR}`]);
});

fullOnly(test)('more files than one batch are told of, and only those that went', async (t) => {
  const { scan, drop, watch, database } = t.context;
  const count = 1_203;
  for (let i = 0; i < count; i += 1) await drop(`in/${i}.txt`, 'x');
  await drop('stays.txt', 'stays');
  await scan();
  await rm(join(watch, 'in'), { recursive: true });
  await scan();
  const { rows } = await database.pool.query('select state, count(*)::int from ingest_ledger group by state order by state');
  t.deepEqual(rows, [
    { state: 'ignored', count },
    { state: 'waiting', count: 1 },
  ]);
});
