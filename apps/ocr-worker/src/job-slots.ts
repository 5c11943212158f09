import { type ClaimedJob, claimJob, type Db } from '@sheaf/db';
import { type Component, type Logger, Loop } from '@sheaf/runtime';
import type { JobRunner } from './run-job.ts';

export interface JobSlotsSettings {
  readonly db: Db;
  readonly log: Logger;
  readonly runner: JobRunner;
  /** Who holds the leases of this process. */
  readonly worker: string;
  /** Documents read at the same time. */
  readonly slots: number;
  readonly leaseMs: number;
}

/** Nudges bring new work within milliseconds; the poll is for those that were lost and for retries that come due. */
const POLL_MS = 1_000;

/** Claims jobs while slots are free and runs them. `stop` gives back what is under way. */
export class JobSlots implements Component {
  readonly name = 'job-slots';
  readonly #settings: JobSlotsSettings;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #loop: Loop;

  constructor(settings: JobSlotsSettings) {
    this.#settings = settings;
    this.#loop = new Loop({ name: 'claim-jobs', intervalMs: POLL_MS, log: settings.log, run: () => this.#claim() });
  }

  start(): Promise<void> {
    return this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  nudge(): void {
    this.#loop.nudge();
  }

  health() {
    return this.#loop.health();
  }

  async #claim(): Promise<boolean> {
    const { db, worker, slots, leaseMs } = this.#settings;
    if (this.#running.size >= slots) return false; // the end of a job nudges
    const job = await claimJob(db, worker, leaseMs);
    if (job === undefined) return false;
    this.#run(job);
    return true;
  }

  #run(job: ClaimedJob): void {
    const running = this.#settings.runner.run(job, this.#stop.signal).finally(() => {
      this.#running.delete(running);
      this.#loop.nudge();
    });
    this.#running.add(running);
  }
}
