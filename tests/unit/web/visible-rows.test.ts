import { rangeOf, scrollNeeded } from '@sheaf/web/testing';
import test from 'ava';

const place = { windowPx: 800, rowPx: 50, count: 100_000 };

test('the rows in the window exist, and some around them', (t) => {
  const { first, last } = rangeOf({ ...place, top: -50 * 1_000 });
  t.true(first <= 1_000 - 4 && first > 1_000 - 12, String(first));
  t.true(last >= 1_016 + 4 && last < 1_016 + 12, String(last));
});

test('a small step of the window changes nothing', (t) => {
  const before = rangeOf({ ...place, top: -50 * 1_001 });
  t.deepEqual(rangeOf({ ...place, top: -50 * 1_001 - 30 }), before);
});

test('the list ends where it ends', (t) => {
  t.deepEqual(rangeOf({ ...place, top: 200 }).first, 0);
  t.is(rangeOf({ ...place, top: -50 * 100_000 + 800 }).last, 99_999);
  t.deepEqual(rangeOf({ ...place, count: 3, top: 100 }), { first: 0, last: 2 });
  t.deepEqual(rangeOf({ ...place, count: 3, top: -5_000 }), { first: 2, last: 2 });
  t.deepEqual(rangeOf({ ...place, count: 0, top: 0 }), { first: 0, last: -1 });
});

test('a row is brought into the window from both sides, and stays where it is when it is seen', (t) => {
  const at = { windowPx: 800, rowPx: 50, top: -1_000 };
  t.is(scrollNeeded(25, at, 100), 0);
  t.is(scrollNeeded(20, at, 100), -100, 'it is covered by the head');
  t.is(scrollNeeded(36, at, 100), 50);
});
