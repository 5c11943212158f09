import { Loop, silentLogger } from '@sheaf/process';
import test, { type ExecutionContext } from 'ava';
import { waitFor } from '../../support/wait-for.ts';

const givenLoop = async (t: ExecutionContext, intervalMs: number) => {
  const counted = { rounds: 0 };
  const run = async (): Promise<false> => {
    counted.rounds += 1;
    return false;
  };
  const loop = new Loop({ name: 'count', intervalMs, log: silentLogger(), run });
  await loop.start();
  t.teardown(() => loop.stop());
  return counted;
};

test('a pause longer than a timer can wait is a long one, and none that is over at once', async (t) => {
  const monthly = await givenLoop(t, 31 * 24 * 3_600_000);
  const quick = await givenLoop(t, 2);
  await waitFor(() => quick.rounds >= 20, { description: 'twenty rounds of the other loop', limitMs: 20_000 });
  t.is(monthly.rounds, 1);
});
