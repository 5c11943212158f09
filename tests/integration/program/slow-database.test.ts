// Probes while the database is there and does not answer.

import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '@sheaf/contract';
import { unhealthy } from '@sheaf/contract/operations';
import { openDatabase } from '@sheaf/db';
import { silentLogger } from '@sheaf/process';
import { SchemaCheck } from '@sheaf/program';
import { startingWithDatabase, waitForDatabase } from '@sheaf/program/testing';
import { openTestDatabase } from '@sheaf/testkit';
import test, { type ExecutionContext } from 'ava';
import { canMount, mountSmallDisk } from '../../fixtures/small-disk.ts';
import { testWhere } from '../../support/conditional-test.ts';
import { startApi } from '../../support/running-api.ts';
import { waitFor } from '../../support/wait-for.ts';

const LIMIT_MS = 3_000;

test('readiness says in time that all connections are in use, and is there again with the first free one', async (t) => {
  await using database = await openTestDatabase();
  const check = new SchemaCheck({ database, log: silentLogger(), limitMs: LIMIT_MS, onDifference: (error) => t.fail(error.message) });
  t.teardown(() => check.stop());
  await check.start();
  const clients = await Promise.all(Array.from({ length: database.pool.options.max }, () => database.pool.connect()));
  const health = await check.ready();
  for (const client of clients) client.release();
  t.deepEqual(health, unhealthy('database_connections_in_use', { connections: 10 }));
  t.deepEqual(await check.ready(), { status: 'healthy' });
});

testWhere(canMount(), 'this user may not mount a small disk')(
  'readiness names the full disk of the embedded database that is down, and no disk that has room',
  async (t) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-database-disk-'));
    const disk = join(folder.path, 'disk');
    await using _disk = await mountSmallDisk(disk);
    const url = new Secret('postgresql://nobody@127.0.0.1:1/nothing');
    const limits = { maxConnections: 1, minConnections: 0, acquireTimeoutMs: 2_000, idleTimeoutMs: 1_000, maxLifetimeMs: 10_000 };
    const database = openDatabase({ ...limits, url, applicationName: 'down' }, silentLogger());
    const onDifference = (): void => t.fail();
    const readyOf = (embeddedPath: string) => new SchemaCheck({ database, log: silentLogger(), embeddedPath, onDifference }).ready();
    t.deepEqual(await readyOf(disk), unhealthy('database_disk_full'));
    t.deepEqual(await readyOf(folder.path), unhealthy('database_unreachable'));
    t.deepEqual(await readyOf(join(folder.path, 'absent')), unhealthy('database_unreachable'));
    await database.close();
  },
);

test('readiness says in time that the database does not answer, asks once whoever wants to know, and recovers', async (t) => {
  await using database = await openTestDatabase();
  const check = new SchemaCheck({ database, log: silentLogger(), limitMs: LIMIT_MS, onDifference: (error) => t.fail(error.message) });
  t.teardown(() => check.stop());
  await check.start();
  const locker = await database.pool.connect();
  try {
    await locker.query('begin; lock table migrations in access exclusive mode');
    const waiting = async (): Promise<number> =>
      (await database.pool.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`))
        .rowCount ?? 0;
    const over = new AbortController();
    const answers = Promise.all(Array.from({ length: 5 }, () => check.ready())).finally(() => over.abort());
    let most = 0;
    while (!over.signal.aborted) most = Math.max(most, await waiting());
    t.true(most <= 1, `${most} questions waited`);
    for (const answer of await answers) t.deepEqual(answer, unhealthy('database_silent', { limit_seconds: 3 }));
    await waitFor(async () => (await waiting()) === 0, { description: 'the server to end the question', limitMs: 20_000 });
  } finally {
    await locker.query('rollback');
    locker.release();
  }
  t.deepEqual(await check.ready(), { status: 'healthy' });
});

test('every answer on health comes in time while the rows cannot be read, and says so', async (t) => {
  t.timeout(3 * 120_000); // an answer that waits for REQUEST_TIMEOUT is too late
  const { anyone, database, stop } = await startApi({ REQUEST_TIMEOUT: '600' });
  const locker = await database.pool.connect();
  try {
    await locker.query('begin; lock table processes, documents, ocr_jobs in access exclusive mode');
    const [health, ready, status, metrics, alive] = await Promise.all([
      anyone.get('/api/health'),
      anyone.get('/ready'),
      anyone.request('/status'),
      anyone.request('/metrics'),
      anyone.get('/health'),
    ]);
    t.is(health.status, 200);
    t.is(health.body['status'], 'unhealthy');
    t.like(health.body['problems'], { database: [{ code: 'database_silent', details: { limit_seconds: 6 } }] });
    t.is(ready.status, 503);
    t.like(ready.body['problems'], [{ code: 'database_silent' }]);
    t.is(status.status, 200);
    t.regex(await status.text(), /database +unhealthy/);
    t.is(metrics.status, 200);
    t.is(alive.status, 200);
    await locker.query('rollback');
    await waitFor(async () => (await anyone.get('/ready')).status === 200, { description: 'the api to be ready again', limitMs: 20_000 });
  } finally {
    await locker.query('rollback');
    locker.release();
    await stop();
  }
});

test('the status comes in time while what it counts cannot be read, without the counts', async (t) => {
  t.timeout(3 * 120_000); // an answer that waits for REQUEST_TIMEOUT is too late
  const { anyone, database, stop } = await startApi({ REQUEST_TIMEOUT: '600' });
  const locker = await database.pool.connect();
  try {
    await locker.query('begin; lock table ocr_jobs in access exclusive mode');
    const text = await (await anyone.request('/status')).text();
    t.regex(text, /database +healthy/);
    t.notRegex(text, /pending/);
  } finally {
    await locker.query('rollback');
    locker.release();
    await stop();
  }
});

/** A server that takes connections and says nothing, as one of a busy machine, until it is told to hand them on. */
const slowServer = async (t: ExecutionContext, target: { host: string; port: number }) => {
  let isAwake = false;
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => {});
    if (!isAwake) return;
    const upstream = connect(target.port, target.host).on('error', () => socket.destroy());
    socket.pipe(upstream).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return { port: (server.address() as AddressInfo).port, wake: () => (isAwake = true), connections: () => connections };
};

test('a part that asks the database when it starts waits for one that is slow to connect', async (t) => {
  await using database = await openTestDatabase();
  const url = new URL(database.url.reveal());
  const server = await slowServer(t, { host: url.hostname, port: Number(url.port) });
  url.port = String(server.port);
  url.searchParams.set('connect_timeout', '1');
  const slow = openDatabase(
    {
      url: new Secret(url.href),
      maxConnections: 1,
      minConnections: 0,
      acquireTimeoutMs: 60_000,
      idleTimeoutMs: 60_000,
      maxLifetimeMs: 600_000,
      applicationName: 'slow',
    },
    silentLogger(),
  );
  t.teardown(() => slow.close());
  let starts = 0;
  const part = startingWithDatabase(
    {
      name: 'part',
      start: async () => {
        starts += 1;
        await slow.pool.query('select 1');
      },
      stop: async () => {},
    },
    silentLogger(),
  );
  const started = part.start();
  await waitFor(() => server.connections() >= 2, { description: 'two connections that get no answer', limitMs: 20_000 });
  server.wake();
  await started;
  t.true(starts >= 3);
  await t.throwsAsync(
    waitForDatabase(() => Promise.reject(new Error('another')), silentLogger(), new AbortController().signal),
    {
      message: 'another',
    },
  );
});
