import { RETRY_DELAYS_MS, retryAfterMs } from '@sheaf/events/testing/notifications';
import test from 'ava';

test('five attempts are some 13 minutes apart in all, each pause longer than the one before it', (t) => {
  const pauses = [1, 2, 3, 4, 5, 6].map((attempt) => retryAfterMs(attempt, RETRY_DELAYS_MS, () => 0));
  t.deepEqual(pauses, [5_000, 30_000, 120_000, 600_000, undefined, undefined]);
});

test('what failed together is spread over a fifth of the pause', (t) => {
  t.is(
    retryAfterMs(1, RETRY_DELAYS_MS, () => 1),
    6_000,
  );
  t.is(
    retryAfterMs(3, [10], () => 0),
    10,
    'the last pause counts for what comes after it',
  );
});
