/** So many pieces of work at a time, over all runs; the others wait for their turn. */
export class Slots {
  readonly #count: () => number;
  #busy = 0;
  readonly #waiting = new Set<() => void>();

  /** `count` is asked for whenever work begins or ends. */
  constructor(count: () => number) {
    this.#count = count;
  }

  /** There may be more slots than before. */
  look(): void {
    for (const next of this.#waiting) {
      if (this.#busy >= this.#count()) return;
      this.#busy += 1;
      this.#waiting.delete(next);
      next();
    }
  }

  /** Throws the signal's reason when that is aborted before it is `work`'s turn. */
  async use<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.#busy < this.#count()) this.#busy += 1;
    else await this.#turn(signal);
    try {
      return await work();
    } finally {
      this.#busy -= 1;
      this.look();
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = (): void => {
      this.#waiting.delete(resolve);
      reject(signal.reason as Error);
    };
    this.#waiting.add(resolve);
    signal.addEventListener('abort', onAbort, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', onAbort));
  }
}
