// The database behind a real connection pooler that lends a server for each transaction.
import { loadConfig } from '@sheaf/config';
import { Secret } from '@sheaf/contract';
import {
  completeDatabaseUrl,
  connectClient,
  type Database,
  findSetupError,
  isCancelledStatement,
  Listener,
  openDatabase,
  ReplicaLock,
  runPrepared,
} from '@sheaf/db';
import { PoolerError } from '@sheaf/db/testing';
import { silentLogger } from '@sheaf/process';
import { makePoolerCheck } from '@sheaf/program/testing';
import { openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import { CHANNELS } from '@sheaf/vocabulary/events';
import test, { type ExecutionContext } from 'ava';
import { makeNotedLogger } from '../../support/noted-logger.ts';
import { type PgBouncerSettings, startPgBouncer, whyNoPgBouncer } from '../../support/pgbouncer.ts';
import { waitFor } from '../../support/wait-for.ts';
import { givenFolder } from '../program/given-server.ts';

const missing = whyNoPgBouncer();
if (missing !== undefined) process.stdout.write(`tests of a connection pooler are skipped: ${missing}\n`);
const testPooler = missing === undefined ? test : test.skip;

let shared: Promise<TestDatabase> | undefined;
const testDatabase = (): Promise<TestDatabase> => (shared ??= openTestDatabase());
test.after.always(async () => {
  await (await shared)?.[Symbol.asyncDispose]();
});

const givenPooler = async (t: ExecutionContext, settings?: PgBouncerSettings): Promise<{ url: string; direct: string }> => {
  const { url } = await testDatabase();
  const pooler = await startPgBouncer(url, settings);
  t.teardown(() => pooler[Symbol.asyncDispose]());
  return { url: pooler.url, direct: url.reveal() };
};

/** A pool as the api opens it, by the variables in `environment`. */
const opening = async (t: ExecutionContext, environment: Record<string, string>, statementTimeoutMs = 30_000): Promise<Database> => {
  const { config } = loadConfig({ environment: { DATA_PATH: await givenFolder(t), DATABASE_SSL_MODE: 'disable', ...environment } });
  const complete = (url: Secret | undefined) => url && completeDatabaseUrl(url, config.database);
  const database = openDatabase(
    {
      ...config.database,
      url: complete(config.database.url) ?? new Secret(''),
      directUrl: complete(config.directDatabaseUrl),
      statementTimeoutMs,
      applicationName: 'pooler test',
    },
    silentLogger(),
  );
  t.teardown(() => database.close());
  return database;
};

const throughPooler = async (t: ExecutionContext, statementTimeoutMs?: number): Promise<Database> => {
  const { url, direct } = await givenPooler(t);
  return opening(t, { DATABASE_URL: url, DATABASE_DIRECT_URL: direct }, statementTimeoutMs);
};

testPooler('with DATABASE_DIRECT_URL, statements go through the pooler, with all that they expect of a session', async (t) => {
  const database = await throughPooler(t);
  const one = { name: 'one', text: 'select $1::int as value, pg_backend_pid() as pid' };
  // under one name, on more connections than the pooler has to the server
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, value) => runPrepared<{ value: number; pid: number }>(database.db, one, [value])),
  );
  t.deepEqual(
    answers.map(([row]) => row?.value),
    Array.from({ length: 40 }, (_, value) => value),
  );
  t.true(new Set(answers.map(([row]) => row?.pid)).size <= 4);
  const { rows } = await database.pool.query<{ zone: string; name: string }>(
    `select current_setting('timezone') as zone, current_setting('application_name') as name`,
  );
  t.deepEqual(rows, [{ zone: 'UTC', name: 'pooler test' }]);
});

testPooler('behind a pooler a statement is ended at its limit, in a transaction or not, and its connection is used no more', async (t) => {
  const database = await throughPooler(t, 500);
  for (const ask of [
    () => database.db.execute('select pg_sleep(60)'),
    () => database.db.transaction((tx) => tx.execute('select pg_sleep(60)')),
  ]) {
    const error = await t.throwsAsync(ask());
    t.true(isCancelledStatement(error), error?.message);
    t.is(database.pool.totalCount, 0);
  }
  const { pool } = await testDatabase();
  const running = await pool.query(
    `select from pg_stat_activity where datname = current_database() and query = 'select pg_sleep(60)' and state = 'active'`,
  );
  t.is(running.rowCount, 0, 'the server has ended it');
  t.is((await database.pool.query('select 1')).rowCount, 1);
});

testPooler('locks and LISTEN go past the pooler to DATABASE_DIRECT_URL', async (t) => {
  const database = await throughPooler(t);
  const lockOf = () =>
    new ReplicaLock({ url: database.directUrl, processName: 'watcher', log: silentLogger(), onLost: (error) => t.fail(error.message) });
  const [held, second] = [lockOf(), lockOf()];
  await held.start();
  const nudges: (string | undefined)[] = [];
  const listener = new Listener({
    url: database.directUrl,
    channels: [CHANNELS.settings],
    log: silentLogger(),
    onNudge: (_, payload) => nudges.push(payload),
  });
  await listener.start();
  await waitFor(() => nudges.length > 0, { description: 'the listener to be connected', limitMs: 20_000 });
  await database.db.execute(`select pg_notify('${CHANNELS.settings}', 'through the pooler')`);
  await waitFor(() => nudges.includes('through the pooler'), { description: 'the notification', limitMs: 20_000 });
  // what the pooler does to its servers meanwhile takes no lock away
  await Promise.all(Array.from({ length: 20 }, () => database.db.execute('select pg_sleep(0.01)')));
  await t.throwsAsync(second.start(), { message: /already runs as watcher/ });
  await listener.stop();
  await held.stop();
});

const REMEDY = /Set DATABASE_DIRECT_URL to the address of PostgreSQL itself/;

testPooler('a pooler without DATABASE_DIRECT_URL is refused at the start with what to set', async (t) => {
  const { url } = await givenPooler(t);
  const database = await opening(t, { DATABASE_URL: url });
  const error = await t.throwsAsync(database.db.execute('select 1'));
  t.regex(findSetupError(error)?.message ?? '', REMEDY);

  // one that has been told to ignore what it does not keep
  const lax = await givenPooler(t, { lines: ['ignore_startup_parameters = options,statement_timeout'] });
  const quiet = await opening(t, { DATABASE_URL: lax.url });
  t.is((await quiet.pool.query('select 1')).rowCount, 1);
  for (const open of [() => makePoolerCheck(quiet, silentLogger()).start(), () => connectClient(quiet.url, { applicationName: 'test' })])
    t.is((await t.throwsAsync(open(), { instanceOf: PoolerError, message: REMEDY }))?.exitCode, 78);

  // so is one that is busy, and one that leads to itself
  const busy = Promise.all(Array.from({ length: 200 }, () => quiet.pool.query('select pg_sleep(0.005)')));
  await t.throwsAsync(connectClient(quiet.url, { applicationName: 'test' }), { instanceOf: PoolerError });
  await busy;
  const looped = await opening(t, { DATABASE_URL: lax.url, DATABASE_DIRECT_URL: url });
  await t.throwsAsync(async () => makePoolerCheck(looped, silentLogger()).start(), { instanceOf: PoolerError, message: REMEDY });
});

testPooler('a pooler in session mode needs no DATABASE_DIRECT_URL', async (t) => {
  const { url } = await givenPooler(t, { mode: 'session', poolSize: 1 });
  const client = await connectClient(new Secret(url), { applicationName: 'test' });
  t.is((await client.query('select 1')).rowCount, 1);
  await client.end();
});

testPooler('the start says how to switch jit off, which a session behind a pooler cannot do', async (t) => {
  const { pool, name } = await testDatabase();
  const database = await throughPooler(t);
  const { log: silence, lines: none } = makeNotedLogger();
  await makePoolerCheck(database, silence).start();
  t.deepEqual(none, []);
  await pool.query(`alter database ${name} set jit = on`);
  const compiling = await throughPooler(t);
  const { log, lines } = makeNotedLogger();
  await makePoolerCheck(compiling, log).start();
  t.regex(lines.join('\n'), /alter role sheaf set jit = off/);
});
