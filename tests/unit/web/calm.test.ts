import test from 'ava';
import { Calm } from '../../../apps/web/src/interface/calm.ts';
import { mockTime } from '../../support/mocked-time.ts';

test.serial('there is calm when nothing was under way for a while', async (t) => {
  using time = mockTime();
  const calm = new Calm();
  let times = 0;
  calm.once(() => {
    times += 1;
  });
  const dismiss = calm.once(() => t.fail());
  dismiss();
  const [first, second, third] = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const works = [calm.during(first.promise), calm.during(second.promise)];
  first.resolve();
  await time.pass(1_000);
  second.resolve();
  await Promise.all(works);
  await time.pass(199);
  const next = calm.during(third.promise); // one request leads to the next
  await time.pass(1_000);
  t.is(times, 0);
  third.resolve();
  await next;
  await time.pass(199);
  t.is(times, 0);
  await time.pass(1);
  t.is(times, 1);
  calm.once(() => {
    times += 1;
  });
  t.is(times, 2, 'at once from then on');
});

test.serial('what fails is not under way any more, and its error is not swallowed', async (t) => {
  using time = mockTime();
  const calm = new Calm();
  await t.throwsAsync(calm.during(Promise.reject(new Error('no'))), { message: 'no' });
  await time.pass(200);
  let isCalm = false;
  calm.once(() => {
    isCalm = true;
  });
  t.true(isCalm);
});

test.serial('where something hangs there is calm enough after five seconds', async (t) => {
  using time = mockTime();
  const calm = new Calm();
  let isCalm = false;
  calm.once(() => {
    isCalm = true;
  });
  void calm.during(new Promise(() => {}));
  await time.pass(4_999);
  t.false(isCalm);
  await time.pass(1);
  t.true(isCalm);
});
