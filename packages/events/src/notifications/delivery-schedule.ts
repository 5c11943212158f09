import { MAX_DELIVERY_ATTEMPTS } from '@sheaf/vocabulary/limits';

/** After the first attempt, the second, and so on: some 13 minutes in all, for a receiver that starts anew or a network that is away. */
export const RETRY_DELAYS_MS: readonly number[] = [5_000, 30_000, 120_000, 600_000];

/**
 * How long after the `attempt`th failed attempt the next one is due: the delay and up to a fifth of it, so that what failed together
 * does not return together. Undefined after the last one.
 */
export const retryAfterMs = (
  attempt: number,
  delaysMs: readonly number[] = RETRY_DELAYS_MS,
  random: () => number = Math.random,
): number | undefined => {
  if (attempt >= MAX_DELIVERY_ATTEMPTS) return undefined;
  const delayMs = delaysMs[Math.min(attempt, delaysMs.length) - 1];
  return delayMs === undefined ? undefined : Math.round(delayMs * (1 + random() / 5));
};
