import type { Db } from '@sheaf/db';
import { sleep } from '@sheaf/process';
import { beginAlone, type ClaimedJob } from '@sheaf/queue';

const RETRY_MS = 200;

/**
 * Returns when this process processes nothing but `job`, which is then recorded as started, or when `signal` is aborted. Throws
 * LeaseLost. Nothing else is claimed meanwhile, as the job is a suspect.
 */
export const untilAlone = async (db: Db, job: ClaimedJob, othersEnded: Promise<unknown>, signal: AbortSignal): Promise<void> => {
  await Promise.race([othersEnded, untilAborted(signal)]);
  // what has just ended may still have its lease in the database for a moment
  while (!signal.aborted && !(await beginAlone(db, job))) await sleep(RETRY_MS, signal);
};

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
