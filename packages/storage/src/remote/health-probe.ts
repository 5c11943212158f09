import { type ComponentHealth, foundProblems, problemOf } from '@sheaf/contract/operations';

const WHOLE_EVERY_MS = 10 * 60_000;

export interface Looks {
  /** Creates, reads and deletes an object; throws in words for people. */
  readonly whole: () => Promise<void>;
  /** Asks for something that costs next to nothing; throws in words for people. */
  readonly brief: () => Promise<void>;
}

/**
 * Looks after a storage in the network. As each process does so every few seconds and writing costs money there, a look is whole
 * only at first, while the storage is not well, and every ten minutes.
 */
export class HealthProbe {
  readonly #looks: Looks;
  #wholeUntil = Number.NEGATIVE_INFINITY;

  constructor(looks: Looks) {
    this.#looks = looks;
  }

  /** Never throws. */
  async check(): Promise<ComponentHealth> {
    const isWhole = performance.now() >= this.#wholeUntil;
    try {
      await (isWhole ? this.#looks.whole() : this.#looks.brief());
      if (isWhole) this.#wholeUntil = performance.now() + WHOLE_EVERY_MS;
      return { status: 'healthy' };
    } catch (error) {
      this.#wholeUntil = Number.NEGATIVE_INFINITY;
      return foundProblems('unhealthy', [problemOf(error, 'storage_failing')]);
    }
  }
}
