// What NOTIFY tells the parts of a process.

import { Listener } from '@sheaf/db';
import { silentLogger } from '@sheaf/process';
import { openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import { CHANNELS, type Channel } from '@sheaf/vocabulary/events';
import test, { type ExecutionContext } from 'ava';
import { waitFor } from '../../support/wait-for.ts';

const connectionsOf = async ({ pool }: TestDatabase): Promise<number[]> => {
  const { rows } = await pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and application_name = 'sheaf listener'`,
  );
  return rows.map(({ pid }) => pid);
};

const givenListener = async (t: ExecutionContext, { url }: TestDatabase, channels: readonly Channel[]) => {
  const nudges: string[] = [];
  const onNudge = (channel: Channel, payload?: string): void => void nudges.push(payload === undefined ? channel : `${channel}:${payload}`);
  const listener = new Listener({ url, channels, log: silentLogger(), onNudge });
  t.teardown(() => listener.stop());
  await listener.start();
  await waitFor(() => listener.isConnected, { description: 'the listener to be connected', limitMs: 10_000 });
  return { listener, nudges };
};

const notify = ({ pool }: TestDatabase, channel: Channel, payload: string): Promise<unknown> =>
  pool.query('select pg_notify($1, $2)', [channel, payload]);

test('all listeners of a process share a connection, and each hears of its channels until it stops', async (t) => {
  await using database = await openTestDatabase({ empty: true });
  const first = await givenListener(t, database, [CHANNELS.jobs, CHANNELS.settings]);
  const second = await givenListener(t, database, [CHANNELS.settings, CHANNELS.rules]);
  t.is((await connectionsOf(database)).length, 1);
  await notify(database, CHANNELS.jobs, '1');
  await notify(database, CHANNELS.settings, '2');
  await notify(database, CHANNELS.rules, '3');
  await waitFor(() => second.nudges.includes(`${CHANNELS.rules}:3`), { description: 'the last notification', limitMs: 10_000 });
  t.deepEqual(first.nudges, [CHANNELS.jobs, CHANNELS.settings, `${CHANNELS.jobs}:1`, `${CHANNELS.settings}:2`]);
  t.deepEqual(second.nudges, [CHANNELS.settings, CHANNELS.rules, `${CHANNELS.settings}:2`, `${CHANNELS.rules}:3`]);

  await first.listener.stop();
  t.false(first.listener.isConnected);
  await notify(database, CHANNELS.settings, '4');
  await waitFor(() => second.nudges.includes(`${CHANNELS.settings}:4`), {
    description: 'the notification after one has stopped',
    limitMs: 10_000,
  });
  t.false(first.nudges.includes(`${CHANNELS.settings}:4`));
  await second.listener.stop();
  await waitFor(async () => (await connectionsOf(database)).length === 0, { description: 'the connection to end', limitMs: 10_000 });
});

test('when their connection is lost, all listeners are nudged again by the next one', async (t) => {
  await using database = await openTestDatabase({ empty: true });
  const all = [await givenListener(t, database, [CHANNELS.jobs]), await givenListener(t, database, [CHANNELS.rules])];
  const [pid] = await connectionsOf(database);
  for (const { nudges } of all) nudges.length = 0;
  await database.pool.query('select pg_terminate_backend($1)', [pid]);
  await waitFor(() => all.every(({ nudges }) => nudges.length > 0), { description: 'both to be nudged', limitMs: 10_000 });
  t.deepEqual(
    all.map(({ nudges }) => nudges),
    [[CHANNELS.jobs], [CHANNELS.rules]],
  );
  t.true(all.every(({ listener }) => listener.isConnected));
  t.is((await connectionsOf(database)).length, 1);
});

test('a listener that starts after the others have stopped hears again', async (t) => {
  await using database = await openTestDatabase({ empty: true });
  const { listener } = await givenListener(t, database, [CHANNELS.jobs]);
  const stopping = listener.stop();
  const { nudges } = await givenListener(t, database, [CHANNELS.jobs]);
  await stopping;
  await notify(database, CHANNELS.jobs, 'next');
  await waitFor(() => nudges.includes(`${CHANNELS.jobs}:next`), { description: 'the notification', limitMs: 10_000 });
  t.is((await connectionsOf(database)).length, 1);
});
