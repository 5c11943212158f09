import { constant, LiveValue, select } from '@sheaf/process';
import test from 'ava';

test('a live value has the value of the moment, and tells those who subscribe of each change', (t) => {
  const live = new LiveValue(1);
  const seen: number[] = [];
  const unsubscribe = live.subscribe((value) => seen.push(value));
  t.is(live.current(), 1);
  live.set(2);
  t.is(live.current(), 2);
  unsubscribe();
  unsubscribe();
  live.set(3);
  t.deepEqual(seen, [2]);
});

test('one function may subscribe twice, and each subscription ends by itself', (t) => {
  const live = new LiveValue(1);
  const seen: number[] = [];
  const note = (value: number): void => void seen.push(value);
  const [first, second] = [live.subscribe(note), live.subscribe(note)];
  first();
  live.set(2);
  second();
  live.set(3);
  t.deepEqual(seen, [2]);
});

test('a listener that throws keeps no other from the value, and the error reaches whoever changed it', (t) => {
  const live = new LiveValue(1);
  const seen: number[] = [];
  live.subscribe(() => {
    throw new Error('the first fails');
  });
  live.subscribe((value) => seen.push(value));
  t.throws(() => live.set(2), { message: 'the first fails' });
  t.deepEqual(seen, [2]);
});

test('who is unsubscribed by a listener before it is not called', (t) => {
  const live = new LiveValue(1);
  const seen: string[] = [];
  const ends: (() => void)[] = [];
  live.subscribe(() => ends[0]?.());
  ends.push(live.subscribe(() => seen.push('second')));
  live.set(2);
  t.deepEqual(seen, []);
});

test('subscriptions that are never ended are found out', (t) => {
  const live = new LiveValue(1);
  for (let n = 0; n < 100; n += 1) live.subscribe(() => {});
  t.throws(() => live.subscribe(() => {}), { message: /unsubscribe/ });
  const renewed = new LiveValue(1);
  for (let n = 0; n < 1_000; n += 1) renewed.subscribe(() => {})();
  t.notThrows(() => renewed.subscribe(() => {}));
});

test('a part follows its value, and tells of changes of itself alone', (t) => {
  const live = new LiveValue({ watch: { intervalMs: 1, patterns: ['*'], kinds: new Set(['a']) }, level: 'info' });
  const watch = select(live, (value) => value.watch);
  const seen: number[] = [];
  const unsubscribe = watch.subscribe(({ intervalMs }) => seen.push(intervalMs));
  const before = watch.current();
  live.set({ watch: { intervalMs: 1, patterns: ['*'], kinds: new Set(['a']) }, level: 'debug' });
  t.deepEqual(seen, []);
  t.is(watch.current(), before, 'an equal part stays the same object');
  live.set({ watch: { intervalMs: 2, patterns: ['*'], kinds: new Set(['a']) }, level: 'debug' });
  live.set({ watch: { intervalMs: 2, patterns: ['*', '.*'], kinds: new Set(['a']) }, level: 'debug' });
  live.set({ watch: { intervalMs: 2, patterns: ['*', '.*'], kinds: new Set(['b']) }, level: 'debug' });
  t.deepEqual(seen, [2, 2, 2]);
  unsubscribe();
  live.set({ watch: { intervalMs: 3, patterns: [], kinds: new Set() }, level: 'debug' });
  t.deepEqual(seen, [2, 2, 2]);
  t.is(watch.current().intervalMs, 3);
});

test('a part that is read between two changes still tells of the second', (t) => {
  const live = new LiveValue({ limit: 1 });
  const limit = select(live, (value) => value.limit);
  const seen: number[] = [];
  live.subscribe(() => void limit.current()); // before the listener of the part itself
  limit.subscribe((value) => seen.push(value));
  live.set({ limit: 2 });
  live.set({ limit: 1 });
  t.deepEqual(seen, [2, 1]);
});

test('what is made from a value is made once for each, also through another part', (t) => {
  const live = new LiveValue({ rules: { patterns: ['*'] }, other: 1 });
  let made = 0;
  const matchers = select(
    select(live, ({ rules }) => rules),
    ({ patterns }) => {
      made += 1;
      return patterns.map((pattern) => (name: string) => pattern === '*' || pattern === name);
    },
  );
  matchers.current();
  live.set({ rules: { patterns: ['*'] }, other: 2 });
  matchers.current();
  t.is(made, 1);
  live.set({ rules: { patterns: ['a'] }, other: 2 });
  t.is(matchers.current()[0]?.('b'), false);
  t.is(made, 2);
});

test('values that show nothing of themselves are equal to themselves alone', (t) => {
  class Sealed {
    readonly #text: string;
    constructor(text: string) {
      this.#text = text;
    }
    reveal(): string {
      return this.#text;
    }
  }
  const live = new LiveValue({ secret: new Sealed('one') });
  const secret = select(live, (value) => ({ secret: value.secret }));
  t.is(secret.current().secret.reveal(), 'one');
  live.set({ secret: new Sealed('two') });
  t.is(secret.current().secret.reveal(), 'two');
});

test('a constant never changes', (t) => {
  const fixed = constant({ limit: 1 });
  const unsubscribe = fixed.subscribe(() => t.fail());
  t.deepEqual(fixed.current(), { limit: 1 });
  t.notThrows(unsubscribe);
});
