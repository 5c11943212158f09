import type { Db } from '@sheaf/db';
import type { Logger } from '@sheaf/process';
import { type ClaimedJob, LeaseLost, renewLease } from '@sheaf/queue';

/** The lease has ended for all that is known here: the database has not answered since. Whether another worker has the job is open. */
export class LeaseNotRenewed extends Error {
  override readonly name = 'LeaseNotRenewed';
}

export interface Lease extends AsyncDisposable {
  /** Aborted when the lease is lost, with LeaseLost, or could not be renewed in time, with LeaseNotRenewed. */
  readonly signal: AbortSignal;
  /** Renews now, so that a lease that was taken away is noticed now. */
  check(): void;
}

/**
 * Renews the lease of `job` three times in its length until it is disposed of. Losing it aborts `signal`: someone else
 * has the job then, or it was cancelled, and the fencing number refuses whatever is still written here. So does its end by the
 * clock of this process, after which another worker may begin with what is being processed here.
 */
export const holdLease = (db: Db, job: ClaimedJob, leaseMs: number, log: Logger): Lease => {
  const lost = new AbortController();
  let renewing = Promise.resolve();
  /** Renewals that have not ended; one that waits behind another is enough. */
  let open = 0;
  let endsAtMs = performance.now() + leaseMs;
  const renew = async (): Promise<void> => {
    const askedAtMs = performance.now();
    try {
      await renewLease(db, job, leaseMs);
      endsAtMs = askedAtMs + leaseMs;
    } catch (error) {
      if (error instanceof LeaseLost) lost.abort(error);
      else log.warn({ err: error }, 'lease renewal failed, retrying'); // the database is away; the lease may still be held
    } finally {
      open -= 1;
    }
  };
  const check = (): void => {
    if (open >= 2) return;
    open += 1;
    renewing = renewing.then(renew);
  };
  const renewal = setInterval(check, leaseMs / 3);
  const end = setInterval(() => {
    if (performance.now() < endsAtMs || lost.signal.aborted) return;
    log.warn('lease ended without an answer of the database, processing stops');
    lost.abort(new LeaseNotRenewed(`The lease of job ${job.id} could not be renewed`));
  }, leaseMs / 10);
  return {
    signal: lost.signal,
    check,
    [Symbol.asyncDispose]: async () => {
      clearInterval(renewal);
      clearInterval(end);
      await renewing;
    },
  };
};
