import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import { forEachLimit } from '../../../apps/watcher/src/for-each-limit.ts';

test('every item is worked on, and never more than the limit at once', async (t) => {
  let [running, most] = [0, 0];
  const done: number[] = [];
  await forEachLimit([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    running += 1;
    most = Math.max(most, running);
    await nextTurn();
    running -= 1;
    done.push(item);
  });
  t.is(most, 3);
  t.deepEqual(
    done.toSorted((a, b) => a - b),
    [1, 2, 3, 4, 5, 6, 7],
  );
});

test('after an error nothing new is begun, and the error is thrown when the rest has ended', async (t) => {
  const begun: number[] = [];
  let ended = 0;
  const work = async (item: number) => {
    begun.push(item);
    if (item === 1) throw new Error('first');
    await nextTurn();
    ended += 1;
  };
  await t.throwsAsync(forEachLimit([1, 2, 3, 4], 2, work), { message: 'first' });
  t.deepEqual(begun, [1, 2]);
  t.is(ended, 1);
});
