import { daysLeft } from '@sheaf/web/testing';
import test from 'ava';

test('a day that has begun counts until it is over', (t) => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  t.is(daysLeft('2026-03-31T12:00:00Z', now), 30);
  t.is(daysLeft('2026-03-02T11:00:00Z', now), 1);
  t.is(daysLeft('2026-03-02T13:00:00Z', now), 2);
  t.is(daysLeft('2026-03-01T11:00:00Z', now), 0);
});
