/**
 * Keeps what all transfers together hold in memory within a limit; the others wait, first come, first served. Not p-limit: it counts
 * tasks, and here one counts as its bytes.
 */
export class ByteBudget {
  #left: number;
  readonly #limitBytes: number;
  readonly #waiting: { readonly bytes: number; readonly go: () => void }[] = [];

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
    this.#left = limitBytes;
  }

  /** Waits until `bytes` more may be held. What it returns gives them back at the end of its scope. */
  async take(bytes: number): Promise<Disposable> {
    const counted = Math.min(bytes, this.#limitBytes); // what is larger than everything goes alone
    if (this.#waiting.length > 0 || counted > this.#left) {
      await new Promise<void>((go) => this.#waiting.push({ bytes: counted, go }));
    } else {
      this.#left -= counted;
    }
    return { [Symbol.dispose]: () => this.#giveBack(counted) };
  }

  #giveBack(bytes: number): void {
    this.#left += bytes;
    for (let next = this.#waiting[0]; next !== undefined && next.bytes <= this.#left; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#left -= next.bytes;
      next.go();
    }
  }
}
