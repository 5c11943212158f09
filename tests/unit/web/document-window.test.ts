import { isNear, pagesOf } from '@sheaf/web/testing';
import test from 'ava';

test('the pages of the rows on the screen are asked for, and the first one, which knows how many there are', (t) => {
  t.deepEqual(pagesOf(0, 30), [1]);
  t.deepEqual(pagesOf(90, 120), [1, 2]);
  t.deepEqual(pagesOf(99_990, 99_999), [1, 1_000]);
  t.deepEqual(pagesOf(0, -1), [1]);
});

test('scrolling on asks at once, a jump waits', (t) => {
  t.true(isNear([1], [1, 2]));
  t.true(isNear([1, 7, 8], [1, 8]));
  t.false(isNear([1, 7], [1, 8, 9]), 'two pages further');
  t.false(isNear([1, 2], [1, 900]));
  t.true(isNear([1, 900], [1]), 'the first page is always there');
});
