import { reasonedError } from '@sheaf/contract';
import pLimit, { type LimitFunction } from 'p-limit';

/** Runs at most so many pieces of work at a time and lets so many more wait. One too many is told to come back. */
export class BoundedWork {
  readonly #limit: LimitFunction;
  readonly #maxWaiting: number;

  constructor({ atOnce, maxWaiting }: { readonly atOnce: number; readonly maxWaiting: number }) {
    this.#limit = pLimit(atOnce);
    this.#maxWaiting = maxWaiting;
  }

  /** From the next piece of work on. */
  allow(atOnce: number): void {
    this.#limit.concurrency = atOnce;
  }

  /** Throws SERVICE_UNAVAILABLE when too many wait already. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const { activeCount, concurrency, pendingCount } = this.#limit;
    if (activeCount >= concurrency && pendingCount >= this.#maxWaiting) throw reasonedError('SERVICE_UNAVAILABLE', 'too_many_sign_ins');
    return this.#limit(work);
  }
}
