import type { Db } from '@sheaf/db';
import { type Component, type Live, type Logger, Loop } from '@sheaf/process';
import { getJobDocument, type JobFailure, recoverJobs } from '@sheaf/queue';
import { type FinishSettings, failForGood } from './finish-job.ts';

export interface CrashRecoverySettings extends FinishSettings {
  readonly leaseMs: number;
}

export interface CrashRecoveryDeps {
  readonly db: Db;
  readonly log: Logger;
  /** Who holds the leases of this process. */
  readonly worker: string;
  readonly settings: Live<CrashRecoverySettings>;
}

const INTERVAL_MS = 3_000;
const POISON: JobFailure = { reason: 'reader_died' };

/** Returns the jobs of workers that died to the queue, and fails the documents that made them die. */
export class CrashRecovery {
  readonly #deps: CrashRecoveryDeps;
  /** In the time of `performance.now`. While the database was away nobody could renew a lease. */
  #trustsLeasesAtMs = 0;

  constructor(deps: CrashRecoveryDeps) {
    this.#deps = deps;
  }

  /** One round. Throws when the database is away. */
  async recover(): Promise<void> {
    if (performance.now() < this.#trustsLeasesAtMs) return;
    const { db, worker, settings, log } = this.#deps;
    const { leaseMs } = settings.current();
    try {
      const { pending, poison } = await recoverJobs(db, worker, leaseMs);
      for (const { documentId, crashes, isSuspect } of pending)
        log.warn({ document_id: documentId, crashes, is_suspect: isSuspect }, 'lease expired, job returned to the queue');
      for (const job of poison) await this.#fail(job);
    } catch (error) {
      this.#trustsLeasesAtMs = performance.now() + leaseMs;
      throw error;
    }
  }

  async #fail(job: Parameters<typeof getJobDocument>[1]): Promise<void> {
    const { db, settings, log } = this.#deps;
    const document = await getJobDocument(db, job);
    if (document === undefined) return; // deleted, and the job with it
    await db.transaction((tx) => failForGood(tx, job, document, POISON, settings.current()));
    log.error({ document_id: job.documentId, crashes: job.crashes }, 'document failed: worker crashed repeatedly');
  }
}

/** Looks for jobs of dead workers, also while the queue is paused. */
export const makeCrashRecovery = (deps: CrashRecoveryDeps): Component => {
  const recovery = new CrashRecovery(deps);
  const run = async (): Promise<boolean> => {
    await recovery.recover();
    return false;
  };
  return new Loop({ name: 'crash-recovery', intervalMs: INTERVAL_MS, log: deps.log, run });
};
