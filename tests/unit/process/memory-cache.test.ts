import { type CacheArea, constant, LiveValue, MemoryCache } from '@sheaf/process';
import test from 'ava';

const TEXTS: CacheArea<string> = { name: 'texts', sizeOf: (text) => text.length };

/** A cache whose time is moved by hand, and that counts what is made. */
const givenCache = (maxBytes: number, ttlMs: number) => {
  let nowMs = 0;
  const lookups: string[] = [];
  const made: string[] = [];
  const cache = new MemoryCache(constant({ maxBytes, ttlMs }), {
    nowMs: () => nowMs,
    onLookup: (area, outcome) => lookups.push(`${area} ${outcome}`),
  });
  const get = (key: string, value = key, area = TEXTS): Promise<string> =>
    cache.get(area, key, async () => {
      made.push(key);
      return value;
    });
  return { cache, get, made, lookups, pass: (ms: number) => (nowMs += ms) };
};

test('what was made is kept for as long as is said, and told as hit or miss', async (t) => {
  const { get, made, lookups, pass } = givenCache(10_000, 1_000);
  t.is(await get('a', 'first'), 'first');
  pass(999);
  t.is(await get('a', 'second'), 'first');
  pass(1);
  t.is(await get('a', 'third'), 'third');
  t.deepEqual(made, ['a', 'a']);
  t.deepEqual(lookups, ['texts miss', 'texts hit', 'texts miss']);
});

test('an area may keep for less than the cache, and never for more', async (t) => {
  const { get, made, pass } = givenCache(10_000, 1_000);
  await get('a', 'a', { ...TEXTS, ttlMs: 100 });
  await get('b', 'b', { ...TEXTS, ttlMs: 5_000 });
  pass(100);
  await get('a');
  pass(900);
  await get('b');
  t.deepEqual(made, ['a', 'b', 'a', 'b']);
});

test('one area does not find what another one keeps under the same key', async (t) => {
  const { get } = givenCache(10_000, 1_000);
  await get('a', 'mine');
  t.is(await get('a', 'theirs', { ...TEXTS, name: 'others' }), 'theirs');
});

test('there are never more bytes than allowed: the least used go first, and what is too large is not kept', async (t) => {
  const { cache, get, made } = givenCache(1_000, 1_000);
  const large = 'x'.repeat(200);
  for (const key of ['a', 'b']) await get(key, large);
  await get('a');
  await get('c', large);
  t.true(cache.bytes <= 1_000);
  await get('a');
  await get('c');
  t.deepEqual(made, ['a', 'b', 'c'], 'a was used after b');
  await get('b', large);
  t.deepEqual(made, ['a', 'b', 'c', 'b']);
  const before = cache.bytes;
  await get('huge', 'x'.repeat(1_000));
  await get('huge', 'x'.repeat(1_000));
  t.is(cache.bytes, before);
  t.is(made.filter((key) => key === 'huge').length, 2);
});

test('without room or time nothing is kept', async (t) => {
  for (const [maxBytes, ttlMs] of [
    [0, 1_000],
    [1_000, 0],
  ] as const) {
    const { get, made } = givenCache(maxBytes, ttlMs);
    await get('a');
    await get('a');
    t.is(made.length, 2);
  }
});

test('those who ask at the same time wait for one answer; a failure is theirs and kept for nobody', async (t) => {
  const { cache } = givenCache(10_000, 1_000);
  let makes = 0;
  const fail = (): Promise<string> => {
    makes += 1;
    return Promise.reject(new Error('away'));
  };
  const asked = await Promise.allSettled([1, 2, 3].map(() => cache.get(TEXTS, 'a', fail)));
  t.deepEqual(
    asked.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  );
  t.is(makes, 1);
  t.is(await cache.get(TEXTS, 'a', async () => 'here again'), 'here again');
});

test('who goes away leaves the others their answer; when all have gone it is not made on, nor kept', async (t) => {
  const { cache, get, made } = givenCache(10_000, 1_000);
  const [first, second] = [new AbortController(), new AbortController()];
  const answer = Promise.withResolvers<string>();
  let told: AbortSignal | undefined;
  const make = (signal: AbortSignal): Promise<string> => {
    told = signal;
    return answer.promise;
  };
  const waiting = [cache.get(TEXTS, 'a', make, first.signal), cache.get(TEXTS, 'a', make, second.signal)];
  first.abort();
  t.false(told?.aborted);
  second.abort();
  t.true(told?.aborted);
  t.is(await get('a', 'anew'), 'anew', 'who comes now does not wait for what is being stopped');
  answer.resolve('too late');
  t.deepEqual(await Promise.all(waiting), ['too late', 'too late']);
  t.is(await get('a', 'again'), 'anew');
  t.deepEqual(made, ['a']);
});

test('a change of the limits holds at once: what is kept shrinks and grows', async (t) => {
  const limits = new LiveValue({ maxBytes: 0, ttlMs: 1_000 });
  const cache = new MemoryCache(limits);
  const made: string[] = [];
  const get = (key: string): Promise<string> =>
    cache.get(TEXTS, key, async () => {
      made.push(key);
      return 'x'.repeat(1_000);
    });
  await get('a');
  t.is(cache.bytes, 0);
  limits.set({ maxBytes: 10_000, ttlMs: 1_000 });
  for (const key of ['a', 'b', 'c', 'a']) await get(key);
  t.deepEqual(made, ['a', 'a', 'b', 'c']);
  limits.set({ maxBytes: 3_000, ttlMs: 1_000 });
  t.true(cache.bytes > 0 && cache.bytes <= 3_000);
  await get('a');
  await get('b');
  t.deepEqual(made, ['a', 'a', 'b', 'c', 'b'], 'the least used went first');
});
