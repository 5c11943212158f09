import { BoundedWork } from '@sheaf/accounts/testing';
import type { AppError } from '@sheaf/contract';
import test from 'ava';

test('no more runs at once than may, all that may wait is done in order, and one more is told to come back', async (t) => {
  const work = new BoundedWork({ atOnce: 2, maxWaiting: 3 });
  const done: number[] = [];
  let [running, most] = [0, 0];
  const piece = (n: number) =>
    work.run(async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      done.push(n);
    });
  const pieces = [0, 1, 2, 3, 4].map((n) => piece(n));
  const error = await t.throwsAsync<AppError>(piece(5));
  t.is(error?.code, 'SERVICE_UNAVAILABLE');
  await Promise.all(pieces);
  t.deepEqual(done, [0, 1, 2, 3, 4]);
  t.is(most, 2);
});

test('work that fails makes room as well', async (t) => {
  const work = new BoundedWork({ atOnce: 1, maxWaiting: 1 });
  await t.throwsAsync(
    work.run(() => Promise.reject(new Error('no'))),
    { message: 'no' },
  );
  t.is(await work.run(async () => 'yes'), 'yes');
});
