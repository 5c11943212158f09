import { progressSteps } from '@sheaf/ocr-worker/testing';
import test from 'ava';

test('each page of a batch is reported, and 100 percent by none of them', (t) => {
  t.deepEqual(progressSteps(0, 1, 1), [99]);
  t.deepEqual(progressSteps(0, 2, 4), [25, 50]);
  t.deepEqual(progressSteps(2, 4, 4), [75, 99]);
});

test('pages that make no percent more are not reported, so that a long document is reported 100 times at most', (t) => {
  t.deepEqual(progressSteps(0, 1, 1_000), [0], 'the first one says that it has begun');
  t.deepEqual(progressSteps(1, 9, 1_000), []);
  t.deepEqual(progressSteps(9, 30, 1_000), [1, 2, 3]);
  const all = Array.from({ length: 100 }, (_, batch) => progressSteps(batch * 10, (batch + 1) * 10, 1_000)).flat();
  t.deepEqual(all, [...new Set(all)]);
  t.is(all.length, 100);
});
