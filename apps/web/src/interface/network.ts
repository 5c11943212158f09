import { useSyncExternalStore } from 'react';

const watchNetwork = (changed: () => void): (() => void) => {
  globalThis.addEventListener('online', changed);
  globalThis.addEventListener('offline', changed);
  return () => {
    globalThis.removeEventListener('online', changed);
    globalThis.removeEventListener('offline', changed);
  };
};

/** Whether this computer has a network at all: a cable that is pulled is known to the browser long before the silence is noticed. */
export const useIsOnline = (): boolean => useSyncExternalStore(watchNetwork, () => navigator.onLine);

/** So long nothing must have been under way. */
const IDLE_MS = 200;
/** After so long the page counts as idle in any case: something may hang. */
const LIMIT_MS = 5_000;

/** Knows when what is shown first is complete: no request is out and no part of the client is being loaded. */
export class NetworkIdle {
  #underWay = 0;
  #isIdle = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #waiting = new Set<() => void>();

  constructor() {
    setTimeout(() => this.#becomeIdle(), LIMIT_MS);
  }

  /** Counts `work` as under way until it has ended. */
  readonly track = async <T>(work: Promise<T>): Promise<T> => {
    this.#underWay += 1;
    clearTimeout(this.#timer);
    try {
      return await work;
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0 && !this.#isIdle) this.#timer = setTimeout(() => this.#becomeIdle(), IDLE_MS);
    }
  };

  /** Runs `work` once the page is idle; returns what cancels it. */
  readonly whenIdle = (work: () => void): (() => void) => {
    if (this.#isIdle) {
      work();
      return () => undefined;
    }
    this.#waiting.add(work);
    return () => this.#waiting.delete(work);
  };

  #becomeIdle(): void {
    this.#isIdle = true;
    clearTimeout(this.#timer);
    for (const work of this.#waiting) work();
    this.#waiting.clear();
  }
}

/** Of this page. */
export const networkIdle = new NetworkIdle();
