import { fitting, isFresh, SHARED_LIMITS } from '@sheaf/web/testing';
import test from 'ava';

test('shared files wait in bounded number and size, and one that is too large keeps out no other', (t) => {
  const { files, bytes } = SHARED_LIMITS;
  t.deepEqual([...fitting([1, 2, 3], [])], [0, 1, 2]);
  t.is(
    fitting(
      Array.from({ length: files + 1 }, () => 1),
      [],
    ).size,
    files,
  );
  t.is(
    fitting(
      [1, 1, 1],
      Array.from({ length: files - 1 }, () => 1),
    ).size,
    1,
  );
  t.deepEqual([...fitting([10, bytes, 20], [])], [0, 2]);
  t.deepEqual([...fitting([bytes - 5, 5], [5])], [0]);
  t.deepEqual([...fitting([6], [bytes - 5])], []);
});

test('shared files are kept for a day', (t) => {
  const hourMs = 3_600_000;
  t.true(isFresh(0, 23 * hourMs));
  t.false(isFresh(0, 24 * hourMs));
  t.false(isFresh(hourMs, 0), 'of a clock that was set back');
  t.false(isFresh(Number.NaN, 0));
});
