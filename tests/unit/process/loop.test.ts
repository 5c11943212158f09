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
  return Object.assign(counted, { loop });
};

test('a pause longer than a timer can wait is a long one, and none that is over at once', async (t) => {
  const monthly = await givenLoop(t, 31 * 24 * 3_600_000);
  const quick = await givenLoop(t, 2);
  await waitFor(() => quick.rounds >= 20, { description: 'twenty rounds of the other loop', limitMs: 20_000 });
  t.is(monthly.rounds, 1);
});

test('nudges for later are one round, and a loop that stops has none', async (t) => {
  const counted = await givenLoop(t, 60_000);
  await waitFor(() => counted.rounds === 1, { description: 'the first round', limitMs: 20_000 });
  for (let n = 0; n < 10; n += 1) counted.loop.nudgeIn(5);
  await waitFor(() => counted.rounds > 1, { description: 'the round of the nudges', limitMs: 20_000 });
  t.is(counted.rounds, 2);
  counted.loop.nudgeIn(5);
  await counted.loop.stop();
  t.is(counted.rounds, 2);
});
