import { liveQuery } from '@sheaf/web/testing';
import test from 'ava';

test('while one types the last word may go on, but not where something else is meant', (t) => {
  for (const [typed, asked] of [
    ['human ri', 'human ri*'],
    ['Wür', 'Wür*'],
    ['42', '42*'],
    ['h', ''],
    ['', ''],
    ['inv*', 'inv*'],
    ['"human ri', '"human ri'],
    ['"human rights"', '"human rights"'],
    ['"human" ri', '"human" ri*'],
    ['title:inv', 'title:inv*'],
  ] as const)
    t.is(liveQuery(typed), asked, typed);
});
