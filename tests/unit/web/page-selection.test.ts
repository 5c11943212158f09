import {
  extendTo,
  NO_PAGES,
  nextIndex,
  type PageSelection,
  prune,
  removeSheets,
  selectAll,
  selectOnly,
  sheetsOf,
  toggle,
} from '@sheaf/web/testing';
import test from 'ava';

const SHEETS = sheetsOf('this', 6);
const chosen = ({ keys }: PageSelection): string[] => [...keys].sort();

test('a range replaces the range before it, and keeps what was selected before', (t) => {
  const begun = toggle(toggle(NO_PAGES, '0-1'), '0-4');
  const far = extendTo(begun, SHEETS, '0-6');
  t.deepEqual(chosen(far), ['0-1', '0-4', '0-5', '0-6']);
  t.deepEqual(chosen(extendTo(far, SHEETS, '0-3')), ['0-1', '0-3', '0-4']);
});

test('a range begins where nothing was selected before at the page that the keyboard is at', (t) => {
  t.deepEqual(chosen(extendTo(NO_PAGES, SHEETS, '0-3', '0-2')), ['0-2', '0-3']);
  t.deepEqual(chosen(extendTo(NO_PAGES, SHEETS, '0-3')), ['0-3']);
  t.is(extendTo(NO_PAGES, SHEETS, 'gone'), NO_PAGES);
});

test('a page is selected, and not any more', (t) => {
  t.deepEqual(chosen(toggle(toggle(selectOnly('0-2'), '0-3'), '0-2')), ['0-3']);
  t.is(selectAll(SHEETS).keys.size, 6);
});

test('pages that are gone are not selected, nor does a range begin at one', (t) => {
  const left = removeSheets(SHEETS, new Set(['0-2']));
  const pruned = prune(toggle(selectOnly('0-3'), '0-2'), left);
  t.deepEqual(chosen(pruned), ['0-3']);
  t.deepEqual(chosen(extendTo(pruned, left, '0-5', '0-4')), ['0-3', '0-4', '0-5']);
});

test('arrow keys lead through rows and stay within the pages', (t) => {
  t.is(nextIndex('ArrowRight', 2, 10, 4), 3);
  t.is(nextIndex('ArrowDown', 2, 10, 4), 6);
  t.is(nextIndex('ArrowDown', 7, 10, 4), 7);
  t.is(nextIndex('ArrowUp', 2, 10, 4), 2);
  t.is(nextIndex('ArrowUp', 6, 10, 4), 2);
  t.is(nextIndex('Home', 6, 10, 4), 0);
  t.is(nextIndex('End', 6, 10, 4), 9);
  t.is(nextIndex('x', 6, 10, 4), undefined);
});
