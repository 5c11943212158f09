import { moveEnd } from '@sheaf/web/testing';
import test from 'ava';

test('a range grows and shrinks at the end that moves', (t) => {
  t.deepEqual(moveEnd(3, 3, 5), { added: [4, 5], removed: undefined });
  t.deepEqual(moveEnd(3, 5, 4), { added: undefined, removed: [5, 5] });
  t.deepEqual(moveEnd(3, 3, 1), { added: [1, 2], removed: undefined });
  t.deepEqual(moveEnd(3, 1, 2), { added: undefined, removed: [1, 1] });
});

test('where it goes over to the other side, where it began stays selected', (t) => {
  t.deepEqual(moveEnd(3, 5, 1), { added: [1, 2], removed: [4, 5] });
  t.deepEqual(moveEnd(3, 0, 9), { added: [4, 9], removed: [0, 2] });
  t.deepEqual(moveEnd(3, 5, 3), { added: undefined, removed: [4, 5] });
});
