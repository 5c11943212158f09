/** So long nothing must have been under way. */
const CALM_MS = 200;
/** After so long there is calm enough in any case: something may hang. */
const PATIENCE_MS = 5_000;

/** Knows when what is shown first is complete: no request is out and no part of the client is being loaded. */
export class Calm {
  #underWay = 0;
  #isCalm = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #waiting = new Set<() => void>();

  constructor() {
    setTimeout(() => this.#settle(), PATIENCE_MS);
  }

  /** Counts `work` as under way until it has ended. */
  readonly during = async <T>(work: Promise<T>): Promise<T> => {
    this.#underWay += 1;
    clearTimeout(this.#timer);
    try {
      return await work;
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0 && !this.#isCalm) this.#timer = setTimeout(() => this.#settle(), CALM_MS);
    }
  };

  /** Does `work` then; returns what dismisses it. */
  readonly once = (work: () => void): (() => void) => {
    if (this.#isCalm) {
      work();
      return () => undefined;
    }
    this.#waiting.add(work);
    return () => this.#waiting.delete(work);
  };

  #settle(): void {
    this.#isCalm = true;
    clearTimeout(this.#timer);
    for (const work of this.#waiting) work();
    this.#waiting.clear();
  }
}

/** Of this page. */
export const calm = new Calm();
