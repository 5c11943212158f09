import { serviceUnavailable } from '@sheaf/contract';

/** Runs at most so many pieces of work at a time and lets so many more wait. One too many is told to come back. */
export class BoundedWork {
  #atOnce: number;
  readonly #maxWaiting: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor({ atOnce, maxWaiting }: { readonly atOnce: number; readonly maxWaiting: number }) {
    this.#atOnce = atOnce;
    this.#maxWaiting = maxWaiting;
  }

  /** From the next piece of work on. */
  allow(atOnce: number): void {
    this.#atOnce = atOnce;
  }

  /** Throws SERVICE_UNAVAILABLE when too many wait already. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnce) this.#running += 1;
    else {
      if (this.#waiting.length >= this.#maxWaiting)
        throw serviceUnavailable('Too many concurrent sign-ins. Try again in a few seconds.', undefined, {
          reason: 'too_many_sign_ins',
        });
      await new Promise<void>((resolve) => this.#waiting.push(resolve)); // takes over the place of who ends
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
