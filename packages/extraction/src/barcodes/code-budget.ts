/** What a page may take on average. */
const PAGE_MS = 100;
/** A document of few pages may have this beyond it, so that a small code on its only page is found. */
const ADVANCE_MS = 1_000;
/** What a closer look is taken to cost before there was one. */
const FIRST_GUESS_MS = 400;

/** The time that is left to look for the codes of one document. The first look at each page is always taken. */
export class CodeBudget {
  #leftMs: number;
  #closerMs = FIRST_GUESS_MS;

  constructor(pages: number) {
    this.#leftMs = ADVANCE_MS + pages * PAGE_MS;
  }

  /** Whether a closer look can be paid. Looks that are still to come at other pages are not: they are paid from their own. */
  hasRoom(): boolean {
    return this.#leftMs >= this.#closerMs;
  }

  async spend<T>(work: () => Promise<T>): Promise<T> {
    const startedMs = performance.now();
    try {
      return await work();
    } finally {
      this.#leftMs -= performance.now() - startedMs;
    }
  }

  /** For a closer look. */
  async spendMore<T>(work: () => Promise<T>): Promise<T> {
    const startedMs = performance.now();
    const result = await this.spend(work);
    this.#closerMs = performance.now() - startedMs;
    return result;
  }
}
