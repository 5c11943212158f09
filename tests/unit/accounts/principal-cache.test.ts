import { PrincipalCache } from '@sheaf/accounts/testing';
import type { Principal } from '@sheaf/vocabulary/permissions';
import test from 'ava';

const principal = (userId: string): Principal => ({ userId, username: userId, role: 'viewer', permissions: [], via: 'token' });

test('what is remembered is found until its time is over', (t) => {
  const cache = new PrincipalCache();
  cache.remember('key', principal('ann'), 1_000, cache.epoch);
  t.is(cache.find('key', 999)?.userId, 'ann');
  t.is(cache.find('key', 1_000), undefined);
  t.is(cache.size, 0);
});

test('everything of a user is forgotten together, and nothing of another', (t) => {
  const cache = new PrincipalCache();
  for (const [key, user] of Object.entries({ a: 'ann', b: 'ann', c: 'ben' })) cache.remember(key, principal(user), 1_000, cache.epoch);
  cache.forget('ann');
  t.deepEqual(
    ['a', 'b', 'c'].map((key) => cache.find(key, 0)?.userId),
    [undefined, undefined, 'ben'],
  );
  cache.forgetAll();
  t.is(cache.size, 0);
});

test('an answer that was read before something was forgotten is not remembered', (t) => {
  const cache = new PrincipalCache();
  const { epoch } = cache;
  cache.forget('ann'); // she was disabled while her row was on its way
  cache.remember('key', principal('ann'), 1_000, epoch);
  t.is(cache.find('key', 0), undefined);
});

test('the least recently used make room', (t) => {
  const cache = new PrincipalCache(2);
  for (const key of ['a', 'b']) cache.remember(key, principal(key), 1_000, cache.epoch);
  cache.find('a', 0);
  cache.remember('c', principal('c'), 1_000, cache.epoch);
  t.deepEqual(
    ['a', 'b', 'c'].map((key) => cache.find(key, 0) !== undefined),
    [true, false, true],
  );
});
