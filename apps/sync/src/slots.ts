import type { Live } from '@sheaf/process';
import pLimit, { type LimitFunction } from 'p-limit';

/** Limits how much work runs at a time over all runs, as long as the process does. */
export class Slots {
  readonly #limit: LimitFunction;

  constructor(count: Live<number>) {
    this.#limit = pLimit(count.current());
    count.subscribe((changed) => {
      this.#limit.concurrency = changed; // waiting work starts at once where there are more slots
    });
  }

  /** The result of `work`. Throws the signal's reason when that is aborted before `work` has started; p-limit knows no signals. */
  async use<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const leave = (): void => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    const run = async (): Promise<void> => {
      signal.removeEventListener('abort', leave);
      if (!signal.aborted) await work().then(resolve, reject);
    };
    this.#limit(run).catch(reject);
    return promise;
  }
}
