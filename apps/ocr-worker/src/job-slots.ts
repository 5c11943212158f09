import type { Db } from '@sheaf/db';
import { type Component, type Live, type Logger, Loop } from '@sheaf/process';
import { type ClaimedJob, claimJob, hasMoreUrgent, hasRival } from '@sheaf/queue';
import type { WorkingSpace } from '@sheaf/storage';
import { FILTERS, freePlaces, isCrowded, nextLongMs, type Place } from './places.ts';
import { type JobRunner, RunningJob } from './run-job.ts';

export interface SlotSettings {
  /** Documents read at the same time. */
  readonly slots: Live<number>;
  /** Pages read at the same time. */
  readonly readers: number;
  readonly leaseMs: number;
}

export interface JobSlotsDeps {
  readonly db: Db;
  readonly log: Logger;
  readonly runner: Pick<JobRunner, 'run'> & { readonly space: Pick<WorkingSpace, 'hasRoom'> };
  readonly host: string;
  /** Those that this host recognises. */
  readonly languages: readonly string[];
  /** Who holds the leases of this process. */
  readonly worker: string;
  readonly settings: SlotSettings;
  /** Called when a document begins to be processed. */
  readonly onBegin?: () => void;
}

/** Nudges bring new work within milliseconds; the poll is for those that were lost and for retries that come due. */
const POLL_MS = 5_000;
/** When even the guests are long ones, each may stay so long before it goes behind those that wait. */
const TURN_MS = 30_000;

/**
 * Claims jobs while places are free and runs them. A long document does not hold its slot against others: they are read
 * beside it, and the readers take a page of each in turn. `stop` gives back what is under way.
 */
export class JobSlots implements Component {
  readonly name = 'job-slots';
  readonly #deps: JobSlotsDeps;
  readonly #running = new Set<RunningJob>();
  readonly #loop: Loop;
  /** How often new work was reported, and up to which of these, and when, urgent jobs were looked for and none was due. */
  #news = 0;
  #lookedUpTo = -1;
  #lookedAtMs = 0;

  constructor(deps: JobSlotsDeps) {
    this.#deps = deps;
    this.#loop = new Loop({
      name: 'claim-jobs',
      intervalMs: POLL_MS,
      log: deps.log,
      nudgedBy: deps.settings.slots,
      run: () => this.#claim(),
    });
  }

  start(): Promise<void> {
    return this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.all([...this.#running].map((running) => running.release('kept')));
  }

  /** New work may be there. */
  nudge(): void {
    this.#news += 1;
    this.#loop.nudge();
  }

  /** A lease may have been taken away. */
  checkLeases(): void {
    for (const running of this.#running) running.checkLease();
  }

  /** The documents that are being processed. */
  running(): Iterable<RunningJob> {
    return this.#running;
  }

  health() {
    return this.#loop.health();
  }

  async #claim(): Promise<boolean | number> {
    const { db, host, languages, worker, settings, runner } = this.#deps;
    const { leaseMs, readers } = settings;
    if (!(await runner.space.hasRoom())) return false;
    const capacity = { slots: settings.slots.current(), readers };
    for (const place of freePlaces([...this.#running], capacity)) {
      if (place === 'urgent' && this.#knowsOfNoneUrgent()) continue;
      const [news, atMs] = [this.#news, performance.now()];
      const job = await claimJob(db, worker, leaseMs, { ...FILTERS[place], host, languages });
      // the most urgent one is claimed first
      if (place !== 'short' && job?.isUrgent !== true) [this.#lookedUpTo, this.#lookedAtMs] = [news, atMs];
      if (job !== undefined) {
        this.#run(job, place);
        return true;
      }
      if (place === 'any') break; // nothing is due, and the end of a job nudges
    }
    await this.#yieldToUrgent();
    if (isCrowded([...this.#running], capacity)) await this.#makeRoom();
    return Math.min(POLL_MS, Math.ceil(nextLongMs([...this.#running]) ?? POLL_MS));
  }

  /** Whoever makes a job urgent says so. What was missed, and what comes due, is looked for as often as the loop does by itself. */
  #knowsOfNoneUrgent(): boolean {
    return this.#lookedUpTo === this.#news && performance.now() - this.#lookedAtMs < POLL_MS;
  }

  #run(job: ClaimedJob, place: Place): void {
    const running = new RunningJob(job, this.#deps.runner, { place, others: this.#running, onRecognise: () => this.#loop.nudge() });
    this.#running.add(running);
    this.#deps.onBegin?.();
    void running.ended.finally(() => {
      this.#running.delete(running);
      this.#loop.nudge();
    });
  }

  /** A document that is processed alone keeps the whole process to itself, but not from more urgent ones. */
  async #yieldToUrgent(): Promise<void> {
    const suspect = [...this.#running].find(({ job }) => job.isSuspect);
    if (suspect === undefined || suspect.isLeaving) return;
    if (await hasMoreUrgent(this.#deps.db, suspect.job, this.#deps.languages)) void suspect.release('kept');
  }

  /** Sends the document that has been read for longest behind the others, if its turn is over and another waits. */
  async #makeRoom(): Promise<void> {
    const inTheWay = [...this.#running].filter(({ place }) => place === 'any');
    if (inTheWay.some(({ isLeaving }) => isLeaving)) return;
    const [longest] = inTheWay.toSorted((a, b) => b.elapsedMs - a.elapsedMs);
    if (longest === undefined || longest.elapsedMs < TURN_MS || !(await hasRival(this.#deps.db, longest.job, this.#deps.languages))) return;
    void longest.release('behind'); // not waited for: its programs may take their time to end, and urgent documents must not
  }
}
