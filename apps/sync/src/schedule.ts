const MINUTE_MS = 60_000;
const MAX_BACKOFF_MS = 6 * 60 * MINUTE_MS;

const doubled = (attempt: number): number => Math.min(MAX_BACKOFF_MS, MINUTE_MS * 2 ** Math.min(attempt - 1, 20));

/** When the next run follows one that went well: the interval and up to a tenth of it, so that sources do not run in step. */
export const nextAfterSuccessMs = (intervalMs: number, random: () => number = Math.random): number | undefined =>
  intervalMs === 0 ? undefined : Math.round(intervalMs * (1 + random() / 10));

/**
 * When the next run follows one that failed for the `failures`th time in a row: after one minute, two, four, up to six hours, and
 * not before the source wants it, but never later than the interval, or six hours. Undefined for a source that runs only by hand.
 */
export const nextAfterFailureMs = (
  {
    intervalMs,
    failures,
    retryAfterMs = 0,
  }: { readonly intervalMs: number; readonly failures: number; readonly retryAfterMs?: number | undefined },
  random: () => number = Math.random,
): number | undefined => {
  if (intervalMs === 0) return undefined;
  const backoffMs = Math.round(doubled(failures) * (1 + random() / 10));
  return Math.min(Math.max(backoffMs, retryAfterMs), Math.max(intervalMs, MAX_BACKOFF_MS));
};

/** For how long a single file is left alone that failed for the `attempt`th time in a row. */
export const fileRetryMs = (attempt: number): number => doubled(attempt);
