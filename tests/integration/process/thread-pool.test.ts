import { constant, ThreadPool } from '@sheaf/process';
import test from 'ava';
import type { Order } from '../../fixtures/runtime/thread-task.ts';
import { fullOnly } from '../../support/full-run.ts';
import { waitFor } from '../../support/wait-for.ts';

const file = new URL('../../fixtures/runtime/thread-task.ts', import.meta.url);
const PATIENT_MS = 60_000;

const openPool = ({ threads = 2, idleMs = 30_000 }: { threads?: number; idleMs?: number } = {}) => {
  const pool = new ThreadPool<Order, number>({ file, threads: constant(threads), memoryBytes: 32 * 1024 * 1024, idleMs });
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.close() });
};

const double = (value: number) => ({ input: { kind: 'double', value } as const, timeoutMs: PATIENT_MS });

test('a task is done in a thread that stays for the next', async (t) => {
  await using pool = openPool({ threads: 1 });
  t.is(pool.size, 0, 'no thread before the first task');
  t.deepEqual(await pool.run(double(4)), { ok: true, value: 8 });
  t.deepEqual(await pool.run(double(5)), { ok: true, value: 10 });
  t.is(pool.size, 1);
});

test('a task that takes too long ends with its thread, and the tasks beside and behind it do not', async (t) => {
  await using pool = openPool({ threads: 1 });
  const stuck = pool.run({ input: { kind: 'spin' }, timeoutMs: 500 });
  const behind = [pool.run(double(1)), pool.run(double(2))];
  t.like(await stuck, { ok: false, reason: 'timeout' });
  t.deepEqual(await Promise.all(behind), [
    { ok: true, value: 2 },
    { ok: true, value: 4 },
  ]);
});

fullOnly(test)('the time in which a task waits for a thread does not count', async (t) => {
  await using pool = openPool({ threads: 1 });
  const stuck = [1, 2, 3].map(() => pool.run({ input: { kind: 'spin' }, timeoutMs: 2_500 }));
  const behind = pool.run({ ...double(3), timeoutMs: 7_000 });
  for (const outcome of await Promise.all(stuck)) t.like(outcome, { ok: false, reason: 'timeout' });
  t.deepEqual(await behind, { ok: true, value: 6 });
});

test('a task that takes too much memory, or ends its thread, fails alone', async (t) => {
  await using pool = openPool();
  const [swollen, good] = await Promise.all([pool.run({ input: { kind: 'swell' }, timeoutMs: PATIENT_MS }), pool.run(double(7))]);
  t.like(swollen, { ok: false, reason: 'out_of_memory' });
  t.deepEqual(good, { ok: true, value: 14 });
  t.like(await pool.run({ input: { kind: 'exit' }, timeoutMs: PATIENT_MS }), { ok: false, reason: 'died' });
  t.deepEqual(await pool.run(double(8)), { ok: true, value: 16 });
});

test('where no thread starts the tasks fail with the reason instead of waiting for ever, and later ones are tried anew', async (t) => {
  const unusable = new URL('../../fixtures/runtime/thread-that-fails-to-load.ts', import.meta.url);
  const pool = new ThreadPool<Order, number>({ file: unusable, threads: constant(2), memoryBytes: 32 * 1024 * 1024, idleMs: 30_000 });
  t.teardown(() => pool.close());
  for (let round = 0; round < 2; round += 1)
    for (const outcome of await Promise.all([1, 2, 3].map((value) => pool.run({ input: { kind: 'double', value } }))))
      t.like(outcome, { ok: false, reason: 'failed', error: { message: 'this module cannot be loaded' } });
});

test('a task that throws leaves its thread as it is', async (t) => {
  await using pool = openPool({ threads: 1 });
  t.like(await pool.run({ input: { kind: 'throw' }, timeoutMs: PATIENT_MS }), { ok: false, reason: 'failed' });
  t.is(pool.size, 1);
});

test('an aborted task throws the reason, and its thread ends', async (t) => {
  await using pool = openPool({ threads: 1 });
  const abort = new AbortController();
  const stuck = pool.run({ input: { kind: 'spin' }, timeoutMs: PATIENT_MS, signal: abort.signal });
  await waitFor(() => pool.size === 1, { description: 'a thread', limitMs: 10_000 });
  abort.abort(new Error('no longer wanted'));
  await t.throwsAsync(stuck, { message: 'no longer wanted' });
  t.deepEqual(await pool.run(double(9)), { ok: true, value: 18 });
});

test('threads without a task go away', async (t) => {
  await using pool = openPool({ idleMs: 50 });
  await pool.run(double(1));
  await waitFor(() => pool.size === 0, { description: 'the idle thread to end', limitMs: 10_000 });
  t.deepEqual(await pool.run(double(2)), { ok: true, value: 4 }, 'and come again');
});
