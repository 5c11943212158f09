import { type ComponentHealth, warning } from '@sheaf/contract/operations';
import type { RateLimitAddition, RateLimitCount } from '@sheaf/db/rate-limits';
import { backoffMs, type Component, type Live, type Logger } from '@sheaf/process';

/** A request waits so long for its count at most. */
const WAIT_LIMIT_MS = 500;
/** Subjects of one statement. */
const MAX_BATCH = 1_000;
const PAUSE = { baseMs: 1_000, maxMs: 15_000 };

/** Adds to the counts that all processes share, and returns what they are then. */
export type AddCounts = (additions: readonly RateLimitAddition[]) => Promise<readonly RateLimitCount[]>;

export interface SharedCountsDeps {
  readonly addCounts: AddCounts;
  /** Whether other processes count too. While none does, nothing is shared. */
  readonly hasOthers: Live<boolean>;
  readonly log: Logger;
}

interface Failure {
  readonly reason: string;
  readonly attempt: number;
  /** Nothing is asked before. */
  readonly untilMs: number;
  /** The statement that was not answered in time is still under way. */
  readonly isPending: boolean;
}

interface Addition {
  points: number;
  msLeft: number;
}

/** What goes into the next statement. */
class Batch {
  readonly additions = new Map<string, Addition>();
  readonly #outcome = Promise.withResolvers<ReadonlyMap<string, RateLimitCount> | undefined>();

  /** What the count is after these points, and before those that others add to the same batch later. */
  async add(subject: string, points: number, msLeft: number): Promise<RateLimitCount | undefined> {
    const addition = this.additions.get(subject) ?? { points: 0, msLeft };
    addition.points += points;
    const upToHere = addition.points;
    this.additions.set(subject, addition);
    const count = (await this.#outcome.promise)?.get(subject);
    return count && { ...count, points: count.points - (addition.points - upToHere) };
  }

  /** Undefined: they could not be counted. */
  settle(counts: readonly RateLimitCount[] | undefined): void {
    this.#outcome.resolve(counts && new Map(counts.map((count) => [count.subject, count])));
  }
}

/**
 * The counts that all api processes share. One statement at a time is under way, and takes along all that came up during the one before:
 * the database is asked no more often than it answers. While it does not answer in time, each process counts for itself.
 */
export class SharedCounts implements Component {
  readonly name = 'rate-limits';
  readonly #deps: SharedCountsDeps;
  #next = new Batch();
  #isSending = false;
  /** Undefined while the counts are shared. */
  #failure: Failure | undefined;

  constructor(deps: SharedCountsDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  health(): ComponentHealth {
    const isAlone = !this.#deps.hasOthers.current();
    return isAlone || this.#failure === undefined
      ? { status: 'healthy' }
      : warning('rate_limits_not_shared', { error: this.#failure.reason });
  }

  /** Whether others count too. */
  get areNeeded(): boolean {
    return this.#deps.hasOthers.current();
  }

  /**
   * Adds to the count of a subject, whose window lasts `msLeft` if this begins it. Undefined where that could not be done in time; it may
   * have been done all the same.
   */
  async add(subject: string, points: number, msLeft: number): Promise<RateLimitCount | undefined> {
    const isPaused = this.#failure !== undefined && (this.#failure.isPending || performance.now() < this.#failure.untilMs);
    if (isPaused || this.#next.additions.size >= MAX_BATCH) return undefined;
    const count = this.#next.add(subject, points, msLeft);
    if (!this.#isSending) void this.#send();
    return count;
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    while (this.#next.additions.size > 0) {
      const batch = this.#next;
      this.#next = new Batch();
      await this.#ask(batch);
    }
    this.#isSending = false;
  }

  /** Ends when the statement has: another one would wait behind it. */
  async #ask(batch: Batch): Promise<void> {
    const additions = [...batch.additions].map(([subject, addition]) => ({ subject, ...addition }));
    const late = setTimeout(() => {
      this.#fail(`no answer within ${WAIT_LIMIT_MS} ms`, true);
      for (const waiting of [batch, this.#next]) waiting.settle(undefined);
      this.#next = new Batch();
    }, WAIT_LIMIT_MS);
    try {
      batch.settle(await this.#deps.addCounts(additions));
      if (this.#failure?.isPending === true) this.#failure = { ...this.#failure, isPending: false };
      else this.#recover();
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error), false);
      batch.settle(undefined);
    } finally {
      clearTimeout(late);
    }
  }

  #fail(reason: string, isPending: boolean): void {
    const attempt = (this.#failure?.attempt ?? 0) + 1;
    if (attempt === 1) this.#deps.log.warn({ reason }, 'rate limit counts unavailable, each api process counts for itself');
    this.#failure = { reason, attempt, untilMs: performance.now() + backoffMs(attempt, PAUSE), isPending };
  }

  #recover(): void {
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    this.#deps.log.info('rate limit counts shared again');
  }
}
