import { dueAfterMs, filesAtOnce, isLate, makeThrottle, pauseAfter } from '@sheaf/ingest/testing/integrity';
import test from 'ava';

const NOW = new Date('2026-11-20T10:00:00.000Z');
const PERIOD_MS = 30 * 24 * 3_600_000;
const fileOf = (sizeBytes: number, deadline = new Date(NOW.getTime() + PERIOD_MS)) => ({ sha256: 'ab'.repeat(32), sizeBytes, deadline });

test('the pauses of all files together are shorter than the period', (t) => {
  const sizes = Array.from({ length: 10_000 }, (_, n) => (n % 100) * 50_000);
  const totals = { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
  const wholeMs = sizes.reduce((sum, size) => sum + pauseAfter(fileOf(size), totals, PERIOD_MS, NOW), 0);
  t.true(wholeMs < PERIOD_MS, 'it would be late');
  t.true(wholeMs > PERIOD_MS / 2, 'it would be done long before');
  t.is(Math.round(wholeMs), Math.round(dueAfterMs(PERIOD_MS)));
});

test('a large file is followed by a longer pause, and an empty one by some', (t) => {
  const totals = { files: 100_000, bytes: 1e11 };
  const [empty, small, large] = [0, 1_000_000, 20_000_000].map((size) => pauseAfter(fileOf(size), totals, PERIOD_MS, NOW));
  t.true(0 < (empty ?? 0) && (empty ?? 0) < (small ?? 0) && (small ?? 0) < (large ?? 0));
});

test('no pause is longer than an hour, however few files there are', (t) => {
  t.is(pauseAfter(fileOf(1), { files: 0, bytes: 0 }, PERIOD_MS, NOW), 3_600_000);
});

test('who is late goes faster', (t) => {
  const totals = { files: 100_000, bytes: 1e11 };
  const late = fileOf(1_000_000, new Date(NOW.getTime() - 1));
  t.true(isLate(late, NOW));
  t.false(isLate(fileOf(1), NOW));
  t.is(pauseAfter(late, totals, PERIOD_MS, NOW), pauseAfter(fileOf(1_000_000), totals, PERIOD_MS, NOW) / 4);
});

test('a throttle lets through no more than it is asked to', async (t) => {
  const throttle = makeThrottle(1_000_000, new AbortController().signal);
  const startedAt = performance.now();
  for (let n = 0; n < 20; n += 1) await throttle(10_000);
  t.true(performance.now() - startedAt >= 195);
});

test('a throttle lets go when it is to stop', async (t) => {
  const abort = new AbortController();
  abort.abort();
  await t.notThrowsAsync(makeThrottle(1, abort.signal)(1_000_000)); // a pause of eleven days would run into the limit of the test
});

test('of a large library more files are looked up at once, for half an hour whatever its size', (t) => {
  t.deepEqual([0, 1_000, 1_000_000, 1_000_000_000].map(filesAtOnce), [100, 100, 1_000, 10_000]);
  const [files, sizeBytes] = [1_000_000, 100_000];
  const pauseMs = pauseAfter(fileOf(sizeBytes), { files, bytes: files * sizeBytes }, PERIOD_MS, NOW);
  t.true(filesAtOnce(files) * pauseMs < 3_600_000);
});
