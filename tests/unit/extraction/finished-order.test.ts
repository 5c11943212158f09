import { inFinishedOrder } from '@sheaf/extraction/testing/ocr';
import test from 'ava';
import { collect } from '../../support/collect.ts';

test('results come as they are finished, at most so many under way', async (t) => {
  const gates = new Map([1, 2, 3, 4].map((item) => [item, Promise.withResolvers<void>()]));
  const started: number[] = [];
  const results = inFinishedOrder([1, 2, 3, 4], 2, async (item) => {
    started.push(item);
    await gates.get(item)?.promise;
    return item;
  });
  gates.get(2)?.resolve();
  t.is((await results.next()).value, 2);
  t.deepEqual(started, [1, 2, 3]);
  for (const gate of gates.values()) gate.resolve();
  t.deepEqual(
    (await collect(results)).toSorted((a, b) => a - b),
    [1, 3, 4],
  );
});

test('the end of the iteration waits for what is under way, also after a failure', async (t) => {
  let isFinished = false;
  const results = inFinishedOrder(['slow', 'broken'], 2, async (item) => {
    await new Promise((resolve) => setTimeout(resolve, item === 'slow' ? 50 : 0));
    if (item === 'broken') throw new Error('broken');
    isFinished = true;
  });
  await t.throwsAsync(collect(results), { message: 'broken' });
  t.true(isFinished);
});
