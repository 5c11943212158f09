// DATABASE_READ_URL against a real primary and a standby that follows it, whose replay is held up and let go.

import { join } from 'node:path';
import { Secret } from '@sheaf/contract';
import { connectClient, type Database, openDatabase } from '@sheaf/db';
import { migrateUp, readMigrations } from '@sheaf/db/migrations';
import { parseWalPosition, ReadReplica, type WalPosition } from '@sheaf/db/replica';
import { silentLogger } from '@sheaf/process';
import type { PostgresServer } from '@sheaf/program/embedded-postgres';
import { ApiClient } from '@sheaf/testkit';
import test, { type ExecutionContext } from 'ava';
import { startComposedApi } from '../../support/composed-api.ts';
import { freePort } from '../../support/free-port.ts';
import { fullOnly } from '../../support/full-run.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ask, givenFolder } from '../program/given-server.ts';
import { givenPair, starting, urlOf } from './given-pair.ts';

const openOn = (url: string): Database =>
  openDatabase(
    {
      url: new Secret(url),
      maxConnections: 5,
      minConnections: 0,
      acquireTimeoutMs: 2_000,
      idleTimeoutMs: 60_000,
      maxLifetimeMs: 600_000,
      applicationName: 'read replica',
    },
    silentLogger(),
  );

const given = async (t: ExecutionContext, primaryUrl: string, replicaUrl: string): Promise<{ reads: ReadReplica; primary: Database }> => {
  const primary = openOn(primaryUrl);
  const reads = new ReadReplica({ primary, replica: openOn(replicaUrl), log: silentLogger() });
  t.teardown(async () => {
    await reads.stop();
    await primary.close();
  });
  await reads.start();
  return { reads, primary };
};

const untilHealthy = (reads: ReadReplica): Promise<unknown> =>
  waitFor(async () => reads.health().status === 'healthy' || undefined, { description: 'the replica to answer', limitMs: 20_000 });

const pause = (standby: PostgresServer): Promise<unknown> => ask(standby.url, 'select pg_wal_replay_pause()');
const resume = (standby: PostgresServer): Promise<unknown> => ask(standby.url, 'select pg_wal_replay_resume()');

test('a replica answers once it has what was noted, and the primary until then', async (t) => {
  const { primary: server, standby } = await givenPair(t);
  const { reads, primary } = await given(t, server.url, standby.url);
  t.false((await reads.choose()).isReplica, 'nobody has asked the replica yet');
  await untilHealthy(reads);
  t.true((await reads.choose()).isReplica);

  await primary.pool.query('create table written (number int)');
  await reads.noteChange();
  const { db, isReplica } = await reads.choose();
  t.true(isReplica);
  t.deepEqual((await db.execute('select from written')).rows, [], 'the table is there');

  await pause(standby);
  await primary.pool.query('insert into written values (1)');
  t.true((await reads.choose()).isReplica, 'somebody else did that');
  const position = (await reads.noteChange()) as WalPosition;
  t.false((await reads.choose()).isReplica);
  await resume(standby);
  const source = await waitFor(async () => reads.choose().then((found) => (found.isReplica ? found : undefined)), {
    description: 'the replica to have the row',
    limitMs: 20_000,
  });
  t.is((await source.db.execute('select from written')).rows.length, 1);

  // what another api has noted comes with the request
  await pause(standby);
  await primary.pool.query('insert into written values (2)');
  const later = parseWalPosition(String(await ask(server.url, 'select pg_current_wal_lsn()'))) ?? 0n;
  t.true(later > position);
  t.false((await reads.choose(later)).isReplica);
  t.true((await reads.choose(position)).isReplica);
  await resume(standby);
});

fullOnly(test)('a replica that is away or no replica is told of and left alone, and used again when it is back', async (t) => {
  t.timeout(3 * 60_000);
  const { primary: server, standby, restartStandby } = await givenPair(t);
  const away = await given(t, server.url, urlOf([await freePort()]));
  await waitFor(async () => away.reads.health().problems?.[0]?.details['error'] !== 'not connected yet' || undefined, {
    description: 'the replica to be looked for',
    limitMs: 20_000,
  });
  t.like(away.reads.health(), { status: 'warning', problems: [{ code: 'read_replica_unreachable' }] });
  t.false((await away.reads.choose()).isReplica);

  const other = await given(t, server.url, (await starting(t, join(await givenFolder(t), 'postgres'))).url);
  await waitFor(async () => other.reads.health().problems?.[0]?.code === 'read_replica_foreign' || undefined, {
    description: 'another database to be told from a replica',
    limitMs: 20_000,
  });
  t.false((await other.reads.choose()).isReplica);

  const { reads } = await given(t, server.url, standby.url);
  await untilHealthy(reads);
  await standby.stop('immediate');
  await waitFor(async () => reads.health().status === 'warning' || undefined, { description: 'the loss to be told', limitMs: 20_000 });
  t.false((await reads.choose()).isReplica);
  await restartStandby();
  await untilHealthy(reads);
  t.true((await reads.choose()).isReplica);
});

/** How many requests a replica has answered, by the metrics of the api. */
const answeredBy = async (client: ApiClient, source: 'primary' | 'replica'): Promise<number> => {
  const text = await (await fetch(`${client.url}/metrics`)).text();
  return Number(new RegExp(`^sheaf_database_reads_total\\{[^}]*source="${source}"[^}]*\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
};

test('searches, lists and analytics are answered by the replica, and what one did is in the answer', async (t) => {
  t.timeout(3 * 120_000);
  const { primary: server, standby } = await givenPair(t);
  const migrating = await connectClient(new Secret(server.url), { applicationName: 'read replica' });
  await migrateUp(migrating, await readMigrations());
  await migrating.end();
  const database = openOn(server.url);
  t.teardown(() => database.close());
  const environment = { DATABASE_URL: server.url, DATABASE_READ_URL: standby.url };
  const apis = [
    await startComposedApi(database, environment, silentLogger()),
    await startComposedApi(database, environment, silentLogger()),
  ];
  for (const api of apis) t.teardown(api.stop);
  const [anyone, other] = apis.map(({ port }) => new ApiClient(`http://127.0.0.1:${port}`)) as [ApiClient, ApiClient];
  const admin = await anyone.register('admin');
  const elsewhere = await other.login('admin', 'correct horse battery');

  const questions = [
    '/api/documents',
    '/api/labels',
    '/api/search?q=paper',
    '/api/search/suggest?q=pap',
    '/api/analytics/documents',
    '/api/analytics/users',
  ];
  await waitFor(async () => (await admin.get('/api/labels'), (await answeredBy(anyone, 'replica')) > 0 || undefined), {
    description: 'the replica to answer',
    limitMs: 30_000,
  });
  for (const path of questions) {
    const before = await answeredBy(anyone, 'replica');
    t.is((await admin.get(path)).status, 200, path);
    t.is(await answeredBy(anyone, 'replica'), before + 1, path);
  }

  await pause(standby);
  t.is((await admin.get('/api/labels')).status, 200);
  const before = await answeredBy(anyone, 'replica');
  const made = await admin.post('/api/labels', { name: 'written' });
  t.is(made.status, 201);
  t.like(await admin.get('/api/labels'), { body: { labels: [{ name: 'written' }] } });
  t.is(await answeredBy(anyone, 'replica'), before);
  // at another api by what the answer carried
  const position = made.headers.get('X-Database-Position') ?? '';
  t.truthy(parseWalPosition(position));
  t.like(await elsewhere.get('/api/labels', { 'X-Database-Position': position }), { body: { labels: [{ name: 'written' }] } });
  // a position that nobody ever reaches costs a moment, no more
  t.is((await elsewhere.get('/api/labels', { 'X-Database-Position': 'FFFFFFFF/FFFFFFFF' })).status, 200);
  await resume(standby);
});
