import type { Live } from '@sheaf/process';
import type { SharedCounts } from './shared-counts.ts';

const WINDOW_SECONDS = 60;
/** So many subjects cost 20 MB; whoever has more addresses than this is not held back by counting them. */
const MAX_SUBJECTS = 100_000;

export interface CounterSettings {
  /** Tells its subjects from those of other counters. */
  readonly name?: string;
  readonly windowSeconds?: number;
  readonly maxSubjects?: number;
  /** What all api processes count; without it this one counts for itself. */
  readonly shared?: Pick<SharedCounts, 'areNeeded' | 'add'> | undefined;
}

export interface Count {
  readonly limit: number;
  readonly remaining: number;
  readonly isOver: boolean;
  /** Until the window ends and everything may be done again. */
  readonly msLeft: number;
}

/** What a subject has done since its window began, as far as this process knows. */
interface Window {
  points: number;
  /** The part of them that the other processes do not know of. */
  unshared: number;
  endsAtMs: number;
  /** When the window ends that the processes share, by the clock of the database; undefined before it is shared. */
  sharedEndMs: number | undefined;
}

/**
 * Counts what each subject does in a minute that begins with the first thing it does. A process that is alone counts in memory. Where
 * others count too, all add to one count, and of a subject that is over its limit nobody asks any more until its window ends. The
 * process keeps so many subjects only: of more, the one that began first is forgotten.
 */
export class RequestCounter {
  readonly #points: Live<number>;
  readonly #settings: Required<CounterSettings>;
  /** In the order in which they began. */
  readonly #windows = new Map<string, Window>();

  /** `points` holds for windows that have begun, too. */
  constructor(points: Live<number>, settings: CounterSettings = {}) {
    this.#points = points;
    this.#settings = { name: '', windowSeconds: WINDOW_SECONDS, maxSubjects: MAX_SUBJECTS, shared: undefined, ...settings };
  }

  async count(subject: string): Promise<Count> {
    const window = this.#windowOf(subject, Date.now());
    window.points += 1;
    const isOver = window.points > this.#points.current();
    if (!isOver) window.unshared += 1;
    const { shared } = this.#settings;
    const points = shared?.areNeeded === true && window.unshared > 0 ? await this.#share(subject, window, shared) : window.points;
    return this.#toCount(points, window, points > this.#points.current());
  }

  /** What is known here of the count, without another one; undefined before the first. */
  peek(subject: string): Count | undefined {
    const window = this.#windows.get(subject);
    if (window === undefined || window.endsAtMs <= Date.now()) return undefined;
    return this.#toCount(window.points, window, window.points >= this.#points.current());
  }

  #toCount(points: number, { endsAtMs }: Window, isOver: boolean): Count {
    const limit = this.#points.current();
    return { limit, remaining: Math.max(0, limit - points), isOver, msLeft: Math.max(0, endsAtMs - Date.now()) };
  }

  /** Tells the other processes what they do not know, and returns the count of all of them. */
  async #share(subject: string, window: Window, shared: Pick<SharedCounts, 'add'>): Promise<number> {
    const { points, unshared } = window;
    window.unshared = 0;
    const count = await shared.add(`${this.#settings.name}:${subject}`, unshared, window.endsAtMs - Date.now());
    if (count === undefined) {
      window.unshared += unshared;
      return points;
    }
    // those that came up here meanwhile are added by whoever counts them
    window.points = window.sharedEndMs === count.endsAtMs ? Math.max(window.points, count.points) : count.points + window.unshared;
    window.sharedEndMs = count.endsAtMs;
    window.endsAtMs = Date.now() + count.msLeft;
    return count.points;
  }

  #windowOf(subject: string, nowMs: number): Window {
    const known = this.#windows.get(subject);
    if (known !== undefined && known.endsAtMs > nowMs) return known;
    this.#windows.delete(subject);
    this.#makeRoom(nowMs);
    const window = { points: 0, unshared: 0, endsAtMs: nowMs + this.#settings.windowSeconds * 1_000, sharedEndMs: undefined };
    this.#windows.set(subject, window);
    return window;
  }

  #makeRoom(nowMs: number): void {
    for (const [oldest, { endsAtMs }] of this.#windows) {
      if (endsAtMs > nowMs && this.#windows.size < this.#settings.maxSubjects) return;
      this.#windows.delete(oldest);
    }
  }
}
