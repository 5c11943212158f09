import test from 'ava';
import { Calm } from '../../../apps/web/src/interface/calm.ts';

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test('there is calm when nothing was under way for a while', async (t) => {
  const calm = new Calm();
  let times = 0;
  calm.once(() => {
    times += 1;
  });
  const dismiss = calm.once(() => t.fail());
  dismiss();
  const first = calm.during(sleep(50));
  await calm.during(sleep(100));
  await first;
  await calm.during(sleep(300)); // one request leads to the next
  t.is(times, 0);
  await sleep(350);
  t.is(times, 1);
  calm.once(() => {
    times += 1;
  });
  t.is(times, 2, 'at once from then on');
});

test('what fails is not under way any more, and its error is not swallowed', async (t) => {
  const calm = new Calm();
  await t.throwsAsync(calm.during(Promise.reject(new Error('no'))), { message: 'no' });
  await sleep(350);
  let isCalm = false;
  calm.once(() => {
    isCalm = true;
  });
  t.true(isCalm);
});
