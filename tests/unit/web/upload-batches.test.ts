import { batchSize, sharesOf } from '@sheaf/web/testing';
import test from 'ava';

const MB = 1024 ** 2;

test('a request carries as many files as there are for it, at most ten, and one at least', (t) => {
  const small = (count: number): number[] => Array.from({ length: count }, () => 1_000);
  t.deepEqual(
    [1, 2, 3, 4, 7, 30, 100].map((count) => batchSize(small(count), 3)),
    [1, 1, 1, 2, 3, 10, 10],
  );
  t.is(batchSize(small(100), 1), 10);
  t.is(batchSize([], 3), 0);
});

test('what is heavy goes alone', (t) => {
  t.is(batchSize([400 * MB, 1, 1], 1), 1);
  t.is(batchSize([1, 400 * MB, 1], 1), 1);
  t.is(batchSize([6 * MB, 6 * MB, 6 * MB, 6 * MB], 1), 2);
});

test('of files that go out one after the other each has its own share', (t) => {
  t.deepEqual(sharesOf([100, 300], 0), [0, 0]);
  t.deepEqual(sharesOf([100, 300], 0.125), [0.5, 0]);
  t.deepEqual(sharesOf([100, 300], 0.625), [1, 0.5]);
  t.deepEqual(sharesOf([100, 300], 1), [1, 1]);
  t.deepEqual(sharesOf([0, 10], 0.5), [0.5, 0.5]);
});
