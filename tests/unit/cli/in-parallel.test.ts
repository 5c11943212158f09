import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { inParallel } from '../../../apps/cli/src/migrate-to-s3/in-parallel.ts';

async function* count(to: number, onEnd: () => void = () => {}): AsyncGenerator<number> {
  try {
    for (let i = 0; i < to; i += 1) yield i;
  } finally {
    onEnd();
  }
}

test('every item is worked on once, so many at a time and no more', async (t) => {
  const seen: number[] = [];
  let [now, most] = [0, 0];
  await inParallel(count(50), 4, async (i) => {
    now += 1;
    most = Math.max(most, now);
    await setImmediate();
    seen.push(i);
    now -= 1;
  });
  t.deepEqual(
    seen.toSorted((a, b) => a - b),
    Array.from({ length: 50 }, (_, i) => i),
  );
  t.is(most, 4);
});

test('after an error no further item is taken, those under way end first, and the source is closed', async (t) => {
  const ended: number[] = [];
  let isClosed = false;
  const all = count(50, () => (isClosed = true));
  const work = async (i: number): Promise<void> => {
    if (i === 5) throw new Error('the sixth');
    await setImmediate();
    await setImmediate();
    ended.push(i);
  };
  await t.throwsAsync(inParallel(all, 4, work), { message: 'the sixth' });
  t.true(ended.length >= 5 && ended.length < 12, `${ended.length}`);
  t.true(isClosed);
});
