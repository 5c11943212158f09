import type { Db } from '@sheaf/db';
import { type ClaimedJob, LeaseLost, renewLease } from '@sheaf/ocr-queue';
import type { Logger } from '@sheaf/process';

export interface Lease extends AsyncDisposable {
  /** Aborted when the lease is lost. */
  readonly signal: AbortSignal;
  /** Renews now, so that a lease that was taken away is noticed now. */
  check(): void;
}

/**
 * Renews the lease of `job` three times in its length until it is disposed of. Losing it aborts `signal`: someone else
 * has the job then, or it was cancelled, and the fencing number refuses whatever is still written here.
 */
export const holdLease = (db: Db, job: ClaimedJob, leaseMs: number, log: Logger): Lease => {
  const lost = new AbortController();
  let renewing = Promise.resolve();
  const renew = async (): Promise<void> => {
    try {
      await renewLease(db, job, leaseMs);
    } catch (error) {
      if (error instanceof LeaseLost) lost.abort(error);
      else log.warn({ err: error }, 'lease renewal failed, retrying'); // the database is away; the lease may still be held
    }
  };
  const check = (): void => {
    renewing = renewing.then(renew);
  };
  const timer = setInterval(check, leaseMs / 3);
  return {
    signal: lost.signal,
    check,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await renewing;
    },
  };
};
