/** Lets work run beside other work, or alone: then what runs ends first, and what comes waits. */
export class Isolation {
  readonly #running = new Set<Promise<unknown>>();
  /** Ends when all work that is to run alone so far has ended; never rejects. */
  #alone: Promise<unknown> = Promise.resolve();

  async beside<T>(work: () => Promise<T>): Promise<T> {
    for (let awaited: unknown; awaited !== this.#alone; ) {
      awaited = this.#alone;
      await awaited;
    }
    const running = work();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  alone<T>(work: () => Promise<T>): Promise<T> {
    const earlier = this.#alone;
    const run = async (): Promise<T> => {
      await earlier;
      await Promise.allSettled(this.#running);
      return work();
    };
    const running = run();
    this.#alone = running.catch(() => {}); // whoever asked for it is told
    return running;
  }
}
