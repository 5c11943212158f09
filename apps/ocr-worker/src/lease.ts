import { type ClaimedJob, type Db, LeaseLost, renewLease } from '@sheaf/db';
import type { Logger } from '@sheaf/runtime';

export interface Lease extends AsyncDisposable {
  /** Aborted when the lease is lost. */
  readonly signal: AbortSignal;
}

/**
 * Renews the lease of `job` three times in its length until it is disposed of. Losing it aborts `signal`: someone else
 * has the job then, and the fencing number refuses whatever is still written here.
 */
export const holdLease = (db: Db, job: ClaimedJob, leaseMs: number, log: Logger): Lease => {
  const lost = new AbortController();
  let renewing = Promise.resolve();
  const renew = async (): Promise<void> => {
    try {
      await renewLease(db, job, leaseMs);
    } catch (error) {
      if (error instanceof LeaseLost) lost.abort(error);
      else log.warn({ err: error }, 'lease not renewed, trying again'); // the database is away; the lease may still be held
    }
  };
  const timer = setInterval(() => {
    renewing = renewing.then(renew);
  }, leaseMs / 3);
  return {
    signal: lost.signal,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await renewing;
    },
  };
};
