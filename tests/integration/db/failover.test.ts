// Several hosts in DATABASE_URL, against real servers: one that is gone, a standby that is promoted, and one that becomes read-only.

import { loadConfig } from '@sheaf/config';
import { Secret } from '@sheaf/contract';
import { completeDatabaseUrl, connectClient, type Database, isDatabaseUnavailable, openDatabase, sqlState } from '@sheaf/db';
import { silentLogger } from '@sheaf/process';
import test, { type ExecutionContext } from 'ava';
import { freePort } from '../../support/free-port.ts';
import { fullOnly } from '../../support/full-run.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ask, givenData, givenFolder } from '../program/given-server.ts';
import { givenPair, starting, urlOf } from './given-pair.ts';

interface Opened extends Database {
  /** Port of the server that answers on the pool, and on a connection outside of it. */
  ports(): Promise<number[]>;
}

const opening = async (t: ExecutionContext, text: string): Promise<Opened> => {
  const { database: settings } = loadConfig({ environment: { DATA_PATH: await givenFolder(t), DATABASE_URL: text } }).config;
  const url = completeDatabaseUrl(settings.url ?? new Secret(''), settings);
  const database = openDatabase({ ...settings, minConnections: 0, url, applicationName: 'failover' }, silentLogger());
  t.teardown(() => database.close());
  const query = 'select inet_server_port() as port';
  return {
    ...database,
    ports: async () => {
      const alone = await connectClient(url, { applicationName: 'failover' });
      const answers = [await database.pool.query<{ port: number }>(query), await alone.query<{ port: number }>(query)];
      await alone.end();
      return answers.map(({ rows }) => rows[0]?.port ?? 0);
    },
  };
};

test('of several hosts the first that answers is used, by the pool and by connections outside of it', async (t) => {
  const server = await starting(t, await givenData(t));
  const gone = await freePort();
  const database = await opening(t, urlOf([gone, server.port], '?target_session_attrs=any'));
  t.deepEqual(await database.ports(), [server.port, server.port]);
  // many at once, none of which may fail
  await Promise.all(Array.from({ length: 20 }, () => database.pool.query('select 1')));

  const away = await opening(t, urlOf([gone, await freePort()]));
  t.true(isDatabaseUnavailable(await t.throwsAsync(away.db.execute('select 1'))));
});

fullOnly(test)('a server that rejects the password ends the search, as the next one would not do what was meant', async (t) => {
  const server = await starting(t, await givenData(t));
  const other = await starting(t, await givenData(t));
  const database = await opening(t, urlOf([server.port, other.port]).replace('test-password', 'wrong'));
  t.is(sqlState(await t.throwsAsync(database.db.execute('select 1'))), '28P01');
});

test('target_session_attrs selects between primary and standby, and a promoted standby takes over', async (t) => {
  t.timeout(3 * 60_000);
  const { primary, standby } = await givenPair(t);
  const ports = [standby.port, primary.port];
  const portsWith = async (target: string): Promise<number[]> =>
    (await opening(t, urlOf(ports, `?target_session_attrs=${target}`))).ports();
  for (const target of ['primary', 'read-write']) t.deepEqual(await portsWith(target), [primary.port, primary.port], target);
  for (const target of ['standby', 'prefer-standby', 'read-only', 'any'])
    t.deepEqual(await portsWith(target), [standby.port, standby.port], target);

  const database = await opening(t, urlOf(ports));
  await database.pool.query('create table written (number int)');
  await database.pool.query('insert into written values (1)');
  t.deepEqual(await database.ports(), [primary.port, primary.port], 'one that can be written to, where nothing is said');
  await waitFor(async () => (await ask(standby.url, `select to_regclass('written') is not null`)) === true, {
    description: 'the standby to have followed',
    limitMs: 30_000,
  });
  await primary.stop();
  const refused = await t.throwsAsync(database.db.execute('insert into written values (2)'));
  t.true(isDatabaseUnavailable(refused), String(refused?.cause));
  await ask(standby.url, 'select pg_promote()');
  await waitFor(
    async () => {
      const answer = await database.pool.query('insert into written values (2)').catch((error: unknown) => {
        if (!isDatabaseUnavailable(error)) throw error;
      });
      return answer !== undefined;
    },
    { description: 'the pool to write again', limitMs: 30_000 },
  );
  t.is(Number(await ask(standby.url, 'select count(*) from written')), 2);
  t.deepEqual(await database.ports(), [standby.port, standby.port]);
  // none is left that is a standby
  const sole = await opening(t, urlOf(ports, '?target_session_attrs=prefer-standby'));
  t.deepEqual(await sole.ports(), [standby.port, standby.port]);
});

fullOnly(test)('connections to a server that became read-only are replaced by some to the one that can be written to', async (t) => {
  const [first, second] = [await starting(t, await givenData(t)), await starting(t, await givenData(t))];
  for (const { url } of [first, second]) await ask(url, 'create table written (number int)');
  const database = await opening(t, urlOf([first.port, second.port], '?target_session_attrs=read-write'));
  const held = await Promise.all([1, 2, 3].map(() => database.pool.connect()));
  for (const client of held) client.release();
  t.deepEqual(await database.ports(), [first.port, first.port]);

  await ask(first.url, 'alter system set default_transaction_read_only = on');
  await ask(first.url, 'select pg_reload_conf()');
  const write = (): Promise<unknown> => database.db.transaction((tx) => tx.execute('insert into written values (1)'));
  const refused = await waitFor(
    () =>
      write().then(
        () => undefined,
        (error: unknown) => error,
      ),
    { description: 'the first server to refuse', limitMs: 20_000 },
  );
  t.is(sqlState(refused), '25006');
  t.true(isDatabaseUnavailable(refused), 'a request is answered 503');
  await Promise.all([write(), write(), write()]);
  t.is(Number(await ask(second.url, 'select count(*) from written')), 3);
  t.deepEqual(await database.ports(), [second.port, second.port]);
});
