import { loadConfig } from '@sheaf/config';
import { Secret } from '@sheaf/contract';
import { completeDatabaseUrl, isDatabaseUnavailable, openDatabase, sqlState } from '@sheaf/db';
import { silentLogger } from '@sheaf/process';
import test from 'ava';
import { waitFor } from '../../support/wait-for.ts';
import { ask, givenData, givenFolder } from '../program/given-server.ts';
import { starting, urlOf } from './given-pair.ts';

test('a commit whose wait for the synchronous standby is cancelled fails, although the server reports success', async (t) => {
  const server = await starting(t, await givenData(t));
  const { database: settings } = loadConfig({
    environment: { DATA_PATH: await givenFolder(t), DATABASE_URL: urlOf([server.port]) },
  }).config;
  const url = completeDatabaseUrl(settings.url ?? new Secret(''), settings);
  const database = openDatabase({ ...settings, minConnections: 0, url, applicationName: 'commits' }, silentLogger());
  t.teardown(() => database.close());
  const { db, pool } = database;
  await pool.query('create table written (number int)');
  await ask(server.url, `alter system set synchronous_standby_names = 'nobody'`);
  await ask(server.url, 'select pg_reload_conf()');
  const isWaiting = `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`;
  const untilCancelled = () =>
    waitFor(async () => (await ask(server.url, isWaiting)) === true, { description: 'a commit to wait', limitMs: 20_000 });
  const commits = [
    () => db.transaction((tx) => tx.execute('insert into written values (1)')),
    () => pool.query('insert into written values (2)'),
    () => db.execute('insert into written values (3)'),
  ];
  for (const commit of commits) {
    const [error] = await Promise.all([t.throwsAsync(commit()), untilCancelled()]);
    t.true(isDatabaseUnavailable(error), error?.message);
    t.is(sqlState(error), 'COMMIT_NOT_REPLICATED');
  }
  await ask(server.url, 'alter system reset synchronous_standby_names');
  await ask(server.url, 'select pg_reload_conf()');
  await waitFor(
    () =>
      pool.query('insert into written values (4)').then(
        () => true,
        () => false,
      ),
    {
      description: 'a commit that waits for nobody',
      limitMs: 20_000,
    },
  );
});
