import { waysToPage } from '@sheaf/documents/internals';
import test from 'ava';

const MILLION = 1_000_000;
const reaches = (ways: ReturnType<typeof waysToPage>): (number | 'gather')[] =>
  ways.map((way) => (way.kind === 'gather' ? 'gather' : way.reach));

test('few documents are gathered at once, many are walked to for a while and gathered only if they are not met', (t) => {
  t.deepEqual(reaches(waysToPage({ total: 100, readable: MILLION, needed: 20 })), ['gather']);
  t.deepEqual(reaches(waysToPage({ total: 17_664, readable: MILLION, needed: 20 })), [9_058, 'gather']);
  t.deepEqual(reaches(waysToPage({ total: 400_000, readable: MILLION, needed: 20 })), [1_000, 'gather']);
  t.deepEqual(reaches(waysToPage({ total: 400_000, readable: MILLION, needed: 8_020 })), [160_400, 'gather']);
});

test('all documents are walked to, however far', (t) => {
  t.deepEqual(reaches(waysToPage({ total: MILLION, readable: MILLION, needed: 20 })), [Number.POSITIVE_INFINITY]);
  t.deepEqual(reaches(waysToPage({ total: MILLION, readable: MILLION, needed: MILLION })), [Number.POSITIVE_INFINITY]);
});

test('a small library is walked to its end', (t) => {
  t.deepEqual(reaches(waysToPage({ total: 400, readable: 900, needed: 20 })), [Number.POSITIVE_INFINITY]);
});
