import { waitFor as waitForAtMost } from '@sheaf/process';

/**
 * How many times longer than its test says a condition is waited for. A limit only ends a test that would hang; a machine that
 * does other work at the same time, as those of CI, may be several times slower than the one on which the limit was chosen.
 */
const PATIENCE = 4;

/** As `waitFor` of the service, with patience. */
export const waitFor = <T>(
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  { limitMs, ...options }: Parameters<typeof waitForAtMost>[1],
): Promise<T> => waitForAtMost(probe, { limitMs: limitMs * PATIENCE, ...options });
