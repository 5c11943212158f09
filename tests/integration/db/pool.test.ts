// What the variables of the pool do, against a real PostgreSQL.

import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { toAppError } from '@sheaf/api/testing';
import { loadConfig } from '@sheaf/config';
import { Secret } from '@sheaf/contract';
import { completeDatabaseUrl, type Database, isDatabaseUnavailable, KeepConnections, openDatabase } from '@sheaf/db';
import { silentLogger } from '@sheaf/process';
import { openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import test, { type ExecutionContext } from 'ava';
import { waitFor } from '../../support/wait-for.ts';
import { givenFolder } from '../program/given-server.ts';

let shared: Promise<TestDatabase> | undefined;
const testDatabase = (): Promise<TestDatabase> => (shared ??= openTestDatabase({ empty: true }));
test.after.always(async () => {
  await (await shared)?.[Symbol.asyncDispose]();
});

interface Opened extends AsyncDisposable, Database {
  /** Ids of its connections in the server, oldest first. */
  pids(): Promise<number[]>;
}

let opened = 0;

/** A pool as the api opens it, by the variables in `environment`. */
const opening = async (t: ExecutionContext, environment: Record<string, string>): Promise<Opened> => {
  const { url, pool } = await testDatabase();
  const given = { DATA_PATH: await givenFolder(t), DATABASE_URL: url.reveal(), ...environment };
  const { database: settings } = loadConfig({ environment: given }).config;
  const applicationName = `pool ${(opened += 1)}`;
  const database = openDatabase(
    { ...settings, url: completeDatabaseUrl(settings.url ?? new Secret(''), settings), applicationName },
    silentLogger(),
  );
  return {
    ...database,
    pids: async () => {
      const query = 'select pid from pg_stat_activity where application_name = $1 order by backend_start, pid';
      return (await pool.query<{ pid: number }>(query, [applicationName])).rows.map(({ pid }) => pid);
    },
    [Symbol.asyncDispose]: () => database.close(),
  };
};

const until = (description: string, probe: () => Promise<boolean>): Promise<boolean> => waitFor(probe, { description, limitMs: 20_000 });

test('DATABASE_MAX_CONNECTIONS is the most there are, and DATABASE_ACQUIRE_TIMEOUT how long a caller waits for one of them', async (t) => {
  await using database = await opening(t, { DATABASE_MAX_CONNECTIONS: '2', DATABASE_ACQUIRE_TIMEOUT: '1' });
  t.timeout(3 * 20_000);
  const held = await Promise.all([database.pool.connect(), database.pool.connect()]);
  const error = await t.throwsAsync(database.db.execute('select 1'));
  t.true(isDatabaseUnavailable(error));
  t.like(toAppError(error), { status: 503, code: 'SERVICE_UNAVAILABLE' });
  t.regex(String(error?.cause), /within 1000 ms \(DATABASE_ACQUIRE_TIMEOUT\): 2 of 2 .*DATABASE_MAX_CONNECTIONS/);
  t.is((await database.pids()).length, 2);
  // who comes in time gets the connection that is released, although somebody gave up before them
  const inTime = database.pool.query('select 1');
  held[0].release();
  t.is((await inTime).rowCount, 1);
  held[1].release();
});

/** Takes connections and says nothing for as long as it is told to. */
const givenSilence = async (t: ExecutionContext): Promise<{ url: string; taken: Socket[] }> => {
  const taken: Socket[] = [];
  const server = createServer((socket) => taken.push(socket.on('error', () => {}).resume()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(async () => {
    for (const socket of taken) socket.destroy();
    server.close();
  });
  return { url: `postgresql://nobody@127.0.0.1:${(server.address() as AddressInfo).port}/none`, taken };
};

test('DATABASE_CONNECT_TIMEOUT ends a connection that is not made in time, whatever else a caller would wait', async (t) => {
  const silence = await givenSilence(t);
  const patient = { DATABASE_URL: silence.url, DATABASE_SSL_MODE: 'disable', DATABASE_ACQUIRE_TIMEOUT: '600' };
  await using database = await opening(t, { ...patient, DATABASE_CONNECT_TIMEOUT: '1' });
  const error = await t.throwsAsync(database.db.execute('select 1'));
  t.true(isDatabaseUnavailable(error));
  t.regex(String(error?.cause), /timeout expired/);
  await until('the connection to be closed', async () => silence.taken[0]?.readyState !== 'open');
  // the other way round: the caller leaves, the connection is still being made
  await using hurried = await opening(t, { ...patient, DATABASE_CONNECT_TIMEOUT: '600', DATABASE_ACQUIRE_TIMEOUT: '1' });
  t.regex((await t.throwsAsync(hurried.pool.query('select 1')))?.message ?? '', /DATABASE_ACQUIRE_TIMEOUT/);
  t.is(silence.taken[1]?.readyState, 'open');
  silence.taken[1]?.destroy();
});

test('DATABASE_MIN_CONNECTIONS are open from the start on, and again after they were lost', async (t) => {
  await using database = await opening(t, { DATABASE_MIN_CONNECTIONS: '3', DATABASE_MAX_CONNECTIONS: '4' });
  const keeper = new KeepConnections(database, silentLogger());
  await keeper.start();
  try {
    await until('three connections', async () => (await database.pids()).length === 3);
    const before = await database.pids();
    await (await testDatabase()).pool.query('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [before]);
    await until('three others', async () => {
      const now = await database.pids();
      return now.length === 3 && now.every((pid) => !before.includes(pid));
    });
    t.pass();
  } finally {
    await keeper.stop();
  }
});

test('when a pool is at rest after work, its connections are replaced by new ones', async (t) => {
  await using database = await opening(t, { DATABASE_MIN_CONNECTIONS: '3' });
  const keeper = new KeepConnections(database, silentLogger(), { restMs: 1_000 });
  await keeper.start();
  try {
    await until('three connections', async () => (await database.pids()).length === 3);
    const unused = await database.pids();
    for (let n = 0; n < 5; n += 1) {
      await database.pool.query('select pg_sleep(0.3)'); // the keeper looks once a second
    }
    t.deepEqual(await database.pids(), unused, 'a few polls are no work');
    await Promise.all(Array.from({ length: 100 }, () => database.pool.query('select 1')));
    const used = await database.pids();
    t.true(used.length > 3);
    const inHand = await database.pool.connect(); // nobody takes it away
    const { rows } = await inHand.query<{ pid: number }>('select pg_backend_pid() as pid');
    await until('the others to be replaced', async () => {
      const now = await database.pids();
      return now.length <= 4 && now.every((pid) => pid === rows[0]?.pid || !used.includes(pid));
    });
    t.true((await database.pids()).includes(rows[0]?.pid ?? 0));
    inHand.release();
    await until('all to be replaced', async () => {
      const now = await database.pids();
      return now.length === 3 && now.every((pid) => !used.includes(pid));
    });
  } finally {
    await keeper.stop();
  }
});

test('DATABASE_IDLE_TIMEOUT closes what nobody uses, down to the least number', async (t) => {
  await using database = await opening(t, { DATABASE_IDLE_TIMEOUT: '1', DATABASE_MIN_CONNECTIONS: '1' });
  await using patient = await opening(t, { DATABASE_IDLE_TIMEOUT: '600', DATABASE_MIN_CONNECTIONS: '0' });
  await patient.pool.query('select 1');
  const held = await Promise.all([1, 2, 3].map(() => database.pool.connect()));
  t.is((await database.pids()).length, 3);
  for (const client of held) client.release();
  await until('one to be left', async () => (await database.pids()).length === 1);
  t.is((await patient.pids()).length, 1);
});

test('DATABASE_MAX_LIFETIME replaces a connection, however busy it is', async (t) => {
  await using database = await opening(t, { DATABASE_MAX_LIFETIME: '1', DATABASE_MAX_CONNECTIONS: '2', DATABASE_MIN_CONNECTIONS: '0' });
  await using lasting = await opening(t, { DATABASE_MAX_LIFETIME: '600', DATABASE_MIN_CONNECTIONS: '0' });
  await lasting.pool.query('select 1');
  const before = await lasting.pids();
  await database.pool.query('select 1');
  const [first] = await database.pids();
  await until('another connection', async () => {
    await database.pool.query('select 1');
    const [now] = await database.pids();
    return now !== undefined && now !== first;
  });
  t.deepEqual(await lasting.pids(), before);
});

test('the server ends a session whose client says nothing any more after some ten seconds, and with it what its transaction holds', async (t) => {
  await using database = await opening(t, {});
  const { rows } = await database.pool.query<{ name: string; setting: string }>(
    "select name, setting from pg_settings where name like 'tcp_keepalives_%' or name = 'tcp_user_timeout'",
  );
  const of = Object.fromEntries(rows.map(({ name, setting }) => [name, Number(setting)]));
  t.deepEqual(of, { tcp_keepalives_idle: 6, tcp_keepalives_interval: 2, tcp_keepalives_count: 2, tcp_user_timeout: 10_000 });
});
