import { RequestCounter, SharedCounts } from '@sheaf/api/testing';
import type { RateLimitAddition, RateLimitCount } from '@sheaf/db/rate-limits';
import { constant, LiveValue, silentLogger } from '@sheaf/process';
import test from 'ava';
import { waitFor } from '../../support/wait-for.ts';

const LONG_MS = 60_000;

/** Counts as the database does, but when the test says so. */
class HeldStore {
  readonly statements: (readonly RateLimitAddition[])[] = [];
  readonly #points = new Map<string, number>();
  #answer: ((fails?: Error) => void)[] = [];

  readonly add = async (additions: readonly RateLimitAddition[]): Promise<readonly RateLimitCount[]> => {
    this.statements.push(additions);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#answer.push((fails) => (fails === undefined ? resolve() : reject(fails)));
    await promise;
    return additions.map(({ subject, points }) => {
      const sum = (this.#points.get(subject) ?? 0) + points;
      this.#points.set(subject, sum);
      return { subject, points: sum, msLeft: LONG_MS, endsAtMs: 1 };
    });
  };

  answer(fails?: Error): void {
    for (const answer of this.#answer.splice(0)) answer(fails);
  }
}

const sharedOn = (store: HeldStore, hasOthers = constant(true)): SharedCounts =>
  new SharedCounts({ addCounts: store.add, hasOthers, log: silentLogger() });

test('one statement at a time takes along all that came meanwhile, and each request gets its own place in the count', async (t) => {
  const store = new HeldStore();
  const shared = sharedOn(store);
  const first = shared.add('a', 1, LONG_MS);
  const others = [shared.add('a', 1, LONG_MS), shared.add('b', 1, LONG_MS), shared.add('a', 2, LONG_MS)];
  t.is(store.statements.length, 1);
  store.answer();
  t.is((await first)?.points, 1);
  await waitFor(() => store.statements.length === 2, { description: 'the second statement', limitMs: 5_000 });
  store.answer();
  t.deepEqual(
    (await Promise.all(others)).map((count) => count?.points),
    [2, 1, 4],
  );
  t.deepEqual(store.statements[1], [
    { subject: 'a', points: 3, msLeft: LONG_MS },
    { subject: 'b', points: 1, msLeft: LONG_MS },
  ]);
});

test('a process that is alone asks nobody; once it is not, what it counted before counts for all', async (t) => {
  const store = new HeldStore();
  const hasOthers = new LiveValue(false);
  const shared = sharedOn(store, hasOthers);
  const [here, there] = [1, 2].map(() => new RequestCounter(constant(4), { name: 'user', shared }));
  for (let request = 0; request < 3; request += 1) await here?.count('a');
  t.deepEqual(store.statements, []);
  hasOthers.set(true);
  const fourth = here?.count('a');
  store.answer();
  t.false((await fourth)?.isOver);
  t.is(store.statements[0]?.[0]?.points, 4);
  const fifth = there?.count('a');
  store.answer();
  t.true((await fifth)?.isOver, 'one that the other process counts');
});

test('of a subject that is over its limit nobody asks any more', async (t) => {
  const store = new HeldStore();
  const counter = new RequestCounter(constant(1), { shared: sharedOn(store) });
  for (let request = 0; request < 2; request += 1) {
    const count = counter.count('a');
    store.answer();
    t.is((await count).isOver, request > 0);
  }
  const asked = store.statements.length;
  for (let request = 0; request < 10; request += 1) t.true((await counter.count('a')).isOver);
  t.is(store.statements.length, asked);
});

test('while the database fails or is silent each process counts for itself, says so, and shares what it counted afterwards', async (t) => {
  const store = new HeldStore();
  const shared = sharedOn(store);
  const counter = new RequestCounter(constant(3), { shared });
  const failed = counter.count('a');
  store.answer(new Error('the server is gone'));
  t.is((await failed).remaining, 2);
  t.deepEqual(
    shared.health().problems?.map(({ code, details }) => ({ code, details })),
    [{ code: 'rate_limits_not_shared', details: { error: 'the server is gone' } }],
  );
  t.is((await counter.count('a')).remaining, 1);
  t.is(store.statements.length, 1, 'it is not asked at once again');

  // after the pause: a statement that is not answered in time
  await waitFor(
    async () => {
      void counter.count('a');
      return store.statements.length === 2;
    },
    { description: 'another statement', limitMs: 10_000 },
  );
  t.true((store.statements[1]?.[0]?.points ?? 0) >= 3, 'with all that came meanwhile');
  t.true((await counter.count('a')).isOver, 'nobody waits for it, and the limit holds');
  const late = sharedOn(new HeldStore());
  t.is(await late.add('b', 1, LONG_MS), undefined);
  t.is(late.health().problems?.[0]?.code, 'rate_limits_not_shared');
});
