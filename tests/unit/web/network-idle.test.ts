import test from 'ava';
import { NetworkIdle } from '../../../apps/web/src/interface/network-idle.ts';

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test('there is calm when nothing was under way for a while', async (t) => {
  const networkIdle = new NetworkIdle();
  let times = 0;
  networkIdle.whenIdle(() => {
    times += 1;
  });
  const dismiss = networkIdle.whenIdle(() => t.fail());
  dismiss();
  const first = networkIdle.track(sleep(50));
  await networkIdle.track(sleep(100));
  await first;
  await networkIdle.track(sleep(300)); // one request leads to the next
  t.is(times, 0);
  await sleep(350);
  t.is(times, 1);
  networkIdle.whenIdle(() => {
    times += 1;
  });
  t.is(times, 2, 'at once from then on');
});

test('what fails is not under way any more, and its error is not swallowed', async (t) => {
  const networkIdle = new NetworkIdle();
  await t.throwsAsync(networkIdle.track(Promise.reject(new Error('no'))), { message: 'no' });
  await sleep(350);
  let isCalm = false;
  networkIdle.whenIdle(() => {
    isCalm = true;
  });
  t.true(isCalm);
});
