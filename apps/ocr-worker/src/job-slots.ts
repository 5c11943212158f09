import { type ClaimedJob, claimJob, type Db, hasRival } from '@sheaf/db';
import { type Component, type Logger, Loop } from '@sheaf/runtime';
import { type JobRunner, RunningJob } from './run-job.ts';

export interface SlotSettings {
  /** Documents read at the same time. */
  readonly slots: number;
  readonly leaseMs: number;
}

export interface JobSlotsDeps {
  readonly db: Db;
  readonly log: Logger;
  readonly runner: JobRunner;
  /** Who holds the leases of this process. */
  readonly worker: string;
  /** Read at each claim. */
  readonly settings: SlotSettings;
}

/** Nudges bring new work within milliseconds; the poll is for those that were lost and for retries that come due. */
const POLL_MS = 1_000;
/** A document that takes longer than this is a long one: others may be read beside it, sharing the page readers. */
const LONG_AFTER_MS = 1_000;
/** So many documents more than there are slots, while those in the slots are long ones. */
const GUESTS = 3;
/** Documents that are processed at the same time at most. */
export const mostDocuments = (slots: number): number => slots + GUESTS;

/** When even the guests are long ones, each may stay so long before it goes behind those that wait. */
const TURN_MS = 30_000;

/**
 * Claims jobs while slots are free and runs them. A long document does not hold its slot against others: they are read
 * beside it, and the readers take a page of each in turn. `stop` gives back what is under way.
 */
export class JobSlots implements Component {
  readonly name = 'job-slots';
  readonly #deps: JobSlotsDeps;
  readonly #running = new Set<RunningJob>();
  readonly #loop: Loop;

  constructor(deps: JobSlotsDeps) {
    this.#deps = deps;
    this.#loop = new Loop({ name: 'claim-jobs', intervalMs: POLL_MS, log: deps.log, run: () => this.#claim() });
  }

  start(): Promise<void> {
    return this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.all([...this.#running].map((running) => running.giveBack('kept')));
  }

  /** New work may be there. */
  nudge(): void {
    this.#loop.nudge();
  }

  /** A lease may have been taken away. */
  checkLeases(): void {
    for (const running of this.#running) running.checkLease();
  }

  health() {
    return this.#loop.health();
  }

  async #claim(): Promise<boolean> {
    const { db, worker, settings } = this.#deps;
    const { slots, leaseMs } = settings;
    const short = [...this.#running].filter((running) => running.elapsedMs < LONG_AFTER_MS).length;
    if (short >= slots) return false; // the end of a job nudges
    if (this.#running.size >= slots + GUESTS) {
      await this.#makeRoom();
      return false;
    }
    const job = await claimJob(db, worker, leaseMs);
    if (job === undefined) return false;
    this.#run(job);
    return true;
  }

  #run(job: ClaimedJob): void {
    const running = new RunningJob(job, this.#deps.runner);
    this.#running.add(running);
    void running.ended.finally(() => {
      this.#running.delete(running);
      this.#loop.nudge();
    });
  }

  /** Sends the document that has been read for longest behind the others, if its turn is over and another waits. */
  async #makeRoom(): Promise<void> {
    const [longest] = [...this.#running].toSorted((a, b) => b.elapsedMs - a.elapsedMs);
    if (longest === undefined || longest.elapsedMs < TURN_MS || !(await hasRival(this.#deps.db, longest.job))) return;
    await longest.giveBack('behind');
  }
}
