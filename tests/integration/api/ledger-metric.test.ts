import { registerCountedMetrics } from '@sheaf/api/testing';
import type { Db } from '@sheaf/db';
import { recordLedger } from '@sheaf/ingest';
import { makeRegistry, type Registry } from '@sheaf/process';
import { type TestDatabase } from '@sheaf/testkit';
import { INGEST_ROUTES, LEDGER_STATES } from '@sheaf/vocabulary/documents';
import { drizzle } from 'drizzle-orm/node-postgres';
import { makeNotedLogger } from '../../support/noted-logger.ts';
import { startApi } from '../../support/running-api.ts';
import { testWithOwnDatabase } from '../../support/test-database.ts';

const test = testWithOwnDatabase();

const METRIC = /^sheaf_ingest_files\{.*\} \d+$/gm;

/** A process that has just started, with what it logs and how often it asks for the ledger. */
const startProcess = ({ pool }: TestDatabase) => {
  const registry = makeRegistry('api');
  const { log, lines } = makeNotedLogger();
  const asked: string[] = [];
  const logger = { logQuery: (text: string) => text.includes('ingest_ledger') && asked.push(text) };
  registerCountedMetrics(registry, drizzle(pool, { logger }) as unknown as Db, log);
  return { registry, lines, asked };
};

const linesOf = async (registry: Registry): Promise<string[]> => (await registry.metrics()).match(METRIC) ?? [];
const countOf = async (registry: Registry, route: string, state: string): Promise<number> => {
  const line = (await linesOf(registry)).find((each) => each.includes(`route="${route}"`) && each.includes(`state="${state}"`));
  return Number(line?.split(' ').at(-1));
};

test('files are counted by route and state, of every one, at the metrics of the api', async (t) => {
  const { anyone, admin, stop } = await startApi();
  try {
    await admin.upload({ name: 'a.txt', bytes: new TextEncoder().encode('a') });
    const text = await (await anyone.request('/metrics')).text();
    t.is(text.match(METRIC)?.length, INGEST_ROUTES.length * LEDGER_STATES.length);
    t.regex(text, /^sheaf_ingest_files\{route="upload",state="ingested",process="api"\} 1$/m);
    t.regex(text, /^sheaf_ingest_files\{route="watch",state="failed",process="api"\} 0$/m);
  } finally {
    await stop();
  }
});

test('the numbers are right at once after a start, also of what another process noted and of rows that went', async (t) => {
  const { db, pool } = t.context;
  for (const path of ['a.txt', 'b.txt']) await recordLedger(db, { route: 'watch', path, state: 'waiting' });
  t.is(await countOf(startProcess(t.context).registry, 'watch', 'waiting'), 2);
  await pool.query("delete from ingest_ledger where path = 'a.txt'");
  t.is(await countOf(startProcess(t.context).registry, 'watch', 'waiting'), 1);
});

test('who asks often or at the same time makes it count once', async (t) => {
  const { registry, asked } = startProcess(t.context);
  await Promise.all(Array.from({ length: 5 }, () => registry.metrics()));
  await recordLedger(t.context.db, { route: 'watch', path: 'a.txt', state: 'waiting' });
  t.is(await countOf(registry, 'watch', 'waiting'), 0);
  t.is(asked.length, 1);
});

test('a ledger that does not answer holds up the other metrics for a moment only', async (t) => {
  const { registry } = startProcess(t.context);
  const client = await t.context.pool.connect();
  await client.query('begin');
  await client.query('lock table ingest_ledger in access exclusive mode');
  const text = await registry.metrics();
  t.is(text.match(METRIC), null);
  t.regex(text, /^process_cpu_seconds_total/m);
  await client.query('rollback');
  client.release();
});

test('while the ledger cannot be counted nothing is reported of it, and the other metrics are', async (t) => {
  const { registry, lines } = startProcess(t.context);
  await t.context.pool.query('alter table ingest_ledger rename to gone');
  const text = await registry.metrics();
  t.is(text.match(METRIC), null);
  t.regex(text, /^process_cpu_seconds_total/m);
  t.is(lines.length, 1);
});
