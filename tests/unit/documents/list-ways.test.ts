import { waysToPage } from '@sheaf/documents/testing';
import test from 'ava';

const MILLION = 1_000_000;
const told = (total: number, readable: number, needed: number, { needsOthers = false } = {}): string =>
  waysToPage({ total, readable, needed, needsOthers })
    .map((way) => (way.kind === 'gather' ? 'gather' : `walk ${way.reach}${way.lookup === 'hashed' ? ' hashed' : ''}`))
    .join(', ');

test('few documents are gathered at once, many are walked to for a while and gathered only if they are not met', (t) => {
  t.is(told(100, MILLION, 20), 'gather');
  t.is(told(17_664, MILLION, 20), 'walk 4529, gather');
  t.is(told(1_000, MILLION, 1), 'walk 4000, gather');
  t.is(told(5_400, MILLION, 100), 'walk 21600, gather');
  t.is(told(400_000, MILLION, 20), 'walk Infinity');
});

test('on the way to a far page the documents of a label are looked up together, where there are not many more of them', (t) => {
  const needsOthers = true;
  t.is(told(40_000, 100_000, 8_020, { needsOthers }), 'walk Infinity hashed');
  t.is(told(400_000, MILLION, 8_020, { needsOthers }), 'walk Infinity');
  t.is(told(40_000, 100_000, 20, { needsOthers }), 'walk Infinity');
});

test('all documents are walked to, however far', (t) => {
  t.is(told(MILLION, MILLION, 20), 'walk Infinity');
  t.is(told(MILLION, MILLION, MILLION), 'walk Infinity');
});

test('a small library is walked to its end', (t) => {
  t.is(told(400, 900, 20), 'walk Infinity');
});
