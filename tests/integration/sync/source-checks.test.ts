import { constant } from '@sheaf/process';
import { makeSourceChecks } from '@sheaf/sync/testing';
import test from 'ava';
import { faults } from '../../support/fault-proxy.ts';
import { waitFor } from '../../support/wait-for.ts';
import { openSyncBench, type SyncBench } from './fixture.ts';

const alerts = async ({ rows }: SyncBench): Promise<unknown[]> =>
  (await rows("select data->>'level' as level from events where type = 'alert' order by id")).map(({ level }) => level);

test('the connection of a source is looked at every interval, and only a change is told', async (t) => {
  await using bench = await openSyncBench();
  const { addSource, proxy, rows, deps } = bench;
  const id = await addSource();
  const disabled = await addSource({ isEnabled: false });
  const stateOf = async (sourceId: string) => (await rows('select is_reachable, check_message from sources where id = $1', sourceId))[0];
  const checks = makeSourceChecks(deps, constant(20));
  t.teardown(() => checks.stop());
  await checks.start();
  const untilChecked = (times: number): Promise<true> => {
    const before = proxy.seen.length;
    return waitFor(() => proxy.seen.length >= before + times, { description: 'checks', limitMs: 20_000 });
  };
  await waitFor(async () => (await stateOf(id))?.['is_reachable'] === true, { description: 'a good look', limitMs: 20_000 });
  t.deepEqual(await alerts(bench), [], 'that a new source works is no news');
  proxy.inject({ fault: faults.answer(401) });
  await waitFor(async () => (await stateOf(id))?.['is_reachable'] === false, { description: 'a bad look', limitMs: 20_000 });
  await untilChecked(4);
  t.deepEqual(await alerts(bench), ['warning']);
  t.regex(String((await stateOf(id))?.['check_message']), /user name and password/);
  proxy.heal();
  await waitFor(async () => (await stateOf(id))?.['is_reachable'] === true, { description: 'a good look', limitMs: 20_000 });
  await untilChecked(4);
  t.deepEqual(await alerts(bench), ['warning', 'info']);
  await checks.stop();
  t.deepEqual(await stateOf(disabled), { is_reachable: null, check_message: null });
});
