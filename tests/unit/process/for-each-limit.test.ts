import { setImmediate as nextTurn } from 'node:timers/promises';
import { forEachLimit } from '@sheaf/process';
import test from 'ava';

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

async function* count(to: number, onEnd: () => void = () => {}): AsyncGenerator<number> {
  try {
    for (let i = 0; i < to; i += 1) yield i;
  } finally {
    onEnd();
  }
}

test('every item of a generator is worked on once, so many at a time and no more', async (t) => {
  const seen: number[] = [];
  let [now, most] = [0, 0];
  await forEachLimit(count(50), 4, async (i) => {
    now += 1;
    most = Math.max(most, now);
    await nextTurn();
    seen.push(i);
    now -= 1;
  });
  t.deepEqual(
    seen.toSorted((a, b) => a - b),
    Array.from({ length: 50 }, (_, i) => i),
  );
  t.is(most, 4);
});

test('after an error no further item of a generator is taken, those under way end first, and the source is closed', async (t) => {
  const ended: number[] = [];
  let isClosed = false;
  const all = count(50, () => (isClosed = true));
  const work = async (i: number): Promise<void> => {
    if (i === 5) throw new Error('the sixth');
    await nextTurn();
    await nextTurn();
    ended.push(i);
  };
  await t.throwsAsync(forEachLimit(all, 4, work), { message: 'the sixth' });
  t.true(ended.length >= 5 && ended.length < 12, `${ended.length}`);
  t.true(isClosed);
});
