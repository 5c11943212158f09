/** One of several that are written together. */
interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/** Groups that are written at the same time: the database works on one while the next one is put together. */
const GROUPS_AT_ONCE = 2;

/**
 * Writes what comes in while others are being written together with the next ones: many small transactions cost more than a large one.
 * `write` answers for each item in its place. Where it throws, each item is tried alone, so that one that cannot be written spoils no other.
 */
export class GroupCommit<T, R> {
  readonly #write: (items: readonly T[]) => Promise<readonly R[]>;
  readonly #most: number;
  #waiting: Waiting<T, R>[] = [];
  #writing = 0;

  constructor(write: (items: readonly T[]) => Promise<readonly R[]>, most: number) {
    this.#write = write;
    this.#most = most;
  }

  /** What `write` answers for the item. Throws what it throws for the item alone. */
  add(item: T): Promise<R> {
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    this.#waiting.push({ item, resolve, reject });
    void this.#run();
    return promise;
  }

  async #run(): Promise<void> {
    if (this.#writing >= GROUPS_AT_ONCE) return;
    this.#writing += 1;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, this.#most);
      try {
        await this.#settle(group);
      } catch {
        for (const one of group) await this.#settle([one]).catch(one.reject);
      }
    }
    this.#writing -= 1;
  }

  async #settle(group: readonly Waiting<T, R>[]): Promise<void> {
    const results = await this.#write(group.map(({ item }) => item));
    for (const [at, result] of results.entries()) group[at]?.resolve(result);
  }
}
