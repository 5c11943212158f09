import { depthOf, parentOf, refusalOfParts, showPath } from '@sheaf/sources/testing';
import test from 'ava';

test('parts that make no path are refused', (t) => {
  for (const part of ['', '.', '..', 'a/b', 'a\0', 'a\nb', '\u007f', '\ud800']) t.truthy(refusalOfParts(['a', part]), JSON.stringify(part));
  t.is(refusalOfParts(['...', '.hidden', 'a\\b', 'e\u0301', ' ']), undefined);
});

test('what is shown of a path can be stored and printed', (t) => {
  t.is(showPath('a\0b\n\u001b[31m'), 'a\\x00b\\x0a\\x1b[31m');
  t.is(showPath('\ud800'), '\ufffd');
  t.is(showPath('x'.repeat(5_000)).length, 1_000);
});

test('paths know their folder and their depth', (t) => {
  t.deepEqual(['', 'a', 'a/b', 'a/b/c'].map(parentOf), ['', '', 'a', 'a/b']);
  t.deepEqual(['a', 'a/b', 'a/b/c'].map(depthOf), [0, 1, 2]);
});
