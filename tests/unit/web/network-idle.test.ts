import { NetworkIdle } from '@sheaf/web/testing';
import test from 'ava';
import { mockTime } from '../../support/mocked-time.ts';

test.serial('the page is idle when nothing was under way for a while', async (t) => {
  using time = mockTime();
  const networkIdle = new NetworkIdle();
  let times = 0;
  networkIdle.whenIdle(() => {
    times += 1;
  });
  const dismiss = networkIdle.whenIdle(() => t.fail());
  dismiss();
  const [first, second, third] = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const works = [networkIdle.track(first.promise), networkIdle.track(second.promise)];
  first.resolve();
  await time.pass(1_000);
  second.resolve();
  await Promise.all(works);
  await time.pass(199);
  const next = networkIdle.track(third.promise); // one request leads to the next
  await time.pass(1_000);
  t.is(times, 0);
  third.resolve();
  await next;
  await time.pass(199);
  t.is(times, 0);
  await time.pass(1);
  t.is(times, 1);
  networkIdle.whenIdle(() => {
    times += 1;
  });
  t.is(times, 2, 'at once from then on');
});

test.serial('what fails is not under way any more, and its error is not swallowed', async (t) => {
  using time = mockTime();
  const networkIdle = new NetworkIdle();
  await t.throwsAsync(networkIdle.track(Promise.reject(new Error('no'))), { message: 'no' });
  await time.pass(200);
  let isIdle = false;
  networkIdle.whenIdle(() => {
    isIdle = true;
  });
  t.true(isIdle);
});

test.serial('where something hangs the page counts as idle after five seconds', async (t) => {
  using time = mockTime();
  const networkIdle = new NetworkIdle();
  let isIdle = false;
  networkIdle.whenIdle(() => {
    isIdle = true;
  });
  void networkIdle.track(new Promise(() => {}));
  await time.pass(4_999);
  t.false(isIdle);
  await time.pass(1);
  t.true(isIdle);
});
