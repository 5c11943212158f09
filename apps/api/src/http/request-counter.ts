import type { Live } from '@sheaf/process';
import { RateLimiterMemory } from 'rate-limiter-flexible';

const WINDOW_SECONDS = 60;
/** So many subjects cost 55 MB; whoever has more addresses than this is not held back by counting them. */
const MAX_SUBJECTS = 100_000;

export interface CounterLimits {
  readonly windowSeconds?: number;
  readonly maxSubjects?: number;
}

export interface Count {
  readonly limit: number;
  readonly remaining: number;
  readonly isOver: boolean;
  /** Until the window ends and everything may be done again. */
  readonly msLeft: number;
}

/**
 * Counts what each subject does in a minute that begins with the first thing it does. In memory, as there is one api
 * process and the counts of a minute are not worth keeping over a restart; and of so many subjects only: of more the one
 * that began first is forgotten.
 */
export class RequestCounter {
  readonly #points: Live<number>;
  readonly #limiter: RateLimiterMemory;
  readonly #maxSubjects: number;
  /** When the window of each subject ends, in this order. */
  readonly #windows = new Map<string, number>();

  /** `points` holds for windows that have begun, too. */
  constructor(points: Live<number>, { windowSeconds = WINDOW_SECONDS, maxSubjects = MAX_SUBJECTS }: CounterLimits = {}) {
    this.#points = points;
    this.#limiter = new RateLimiterMemory({ points: points.current(), duration: windowSeconds });
    this.#maxSubjects = maxSubjects;
  }

  async count(subject: string): Promise<Count> {
    // `penalty` counts as `consume` does, but tells of an exceeded limit by a value
    const { consumedPoints, msBeforeNext, isFirstInDuration } = await this.#limiter.penalty(subject);
    if (isFirstInDuration) await this.#remember(subject, Date.now() + msBeforeNext);
    const limit = this.#points.current();
    return { limit, remaining: Math.max(0, limit - consumedPoints), isOver: consumedPoints > limit, msLeft: msBeforeNext };
  }

  /** What `count` would answer without another one; undefined before the first. */
  async peek(subject: string): Promise<Count | undefined> {
    const found = await this.#limiter.get(subject);
    if (found === null) return undefined;
    const limit = this.#points.current();
    return {
      limit,
      remaining: Math.max(0, limit - found.consumedPoints),
      isOver: found.consumedPoints >= limit,
      msLeft: found.msBeforeNext,
    };
  }

  async #remember(subject: string, endsAt: number): Promise<void> {
    this.#windows.delete(subject);
    const now = Date.now();
    for (const [oldest, itsEnd] of this.#windows) {
      if (itsEnd > now && this.#windows.size < this.#maxSubjects) break;
      this.#windows.delete(oldest);
      if (itsEnd > now) await this.#limiter.delete(oldest);
    }
    this.#windows.set(subject, endsAt);
  }
}
