const isUrgent = (owner: object): boolean => 'isUrgent' in owner && owner.isUrgent === true;

/**
 * Runs at most `size` tasks at a time. Owners with waiting tasks take turns, so a long document cannot hold back a short one;
 * those of owners with `isUrgent: true` come before all others. Not p-queue: its priorities are fixed when a task is added, and turns
 * change with each task that ends.
 */
export class FairSlots {
  readonly #size: number;
  /** Insertion order is the order of turns: an owner who was served goes to the end. */
  readonly #waiting = new Map<object, (() => void)[]>();
  #running = 0;

  constructor(size: number) {
    this.#size = Math.max(1, size);
  }

  /** Whether a task would have to wait. */
  get isFull(): boolean {
    return this.#running >= this.#size;
  }

  get size(): number {
    return this.#size;
  }

  /** Waits for a slot in `owner`'s turn, runs `task` in it and gives the slot back. Throws the signal's reason if aborted before. */
  async run<T>(owner: object, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    await this.#acquire(owner, signal);
    try {
      return await task();
    } finally {
      this.#running -= 1;
      this.#serveNext();
    }
  }

  async #acquire(owner: object, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#running < this.#size) {
      this.#running += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const forget = (): void => {
      this.#remove(owner, resolve);
      reject(signal.reason);
    };
    this.#waiting.set(owner, [...(this.#waiting.get(owner) ?? []), resolve]);
    signal.addEventListener('abort', forget, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', forget);
    }
  }

  #remove(owner: object, waiter: () => void): void {
    const left = (this.#waiting.get(owner) ?? []).filter((other) => other !== waiter);
    if (left.length === 0) this.#waiting.delete(owner);
    else this.#waiting.set(owner, left);
  }

  #serveNext(): void {
    const owners = [...this.#waiting.keys()];
    const owner = owners.find(isUrgent) ?? owners[0];
    if (owner === undefined || this.#running >= this.#size) return;
    const [serve, ...rest] = this.#waiting.get(owner) ?? [];
    this.#waiting.delete(owner);
    if (rest.length > 0) this.#waiting.set(owner, rest);
    this.#running += 1;
    serve?.();
  }
}
