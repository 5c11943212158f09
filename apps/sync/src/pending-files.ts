import type { SourceFile } from '@sheaf/db/schema';
import type { RemoteFile } from '@sheaf/sources';

/** A file that is to be fetched. */
export interface PendingFile {
  readonly file: RemoteFile;
  /** Its name in the ledger. */
  readonly path: string;
  /** What was known of it. */
  readonly known: SourceFile | undefined;
  /** It was being imported when the process crashed, and comes when all others are done. */
  readonly isSuspect: boolean;
}

/**
 * The files that wait to be fetched, while the listing goes on: a server gives up when it has to wait for downloads. So many and
 * no more; those beyond are left to another listing.
 */
export class PendingFiles {
  readonly #capacity: number;
  #files: PendingFile[] = [];
  #suspects: PendingFile[] = [];
  #taken = 0;
  #hasEnded = false;
  #overflowed = false;
  #waiting: (() => void)[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Whether there were more files than fit. */
  get hasOverflowed(): boolean {
    return this.#overflowed;
  }

  /** False where there is no room: the file is not kept. */
  add(pending: PendingFile): boolean {
    if (this.#files.length - this.#taken + this.#suspects.length >= this.#capacity) {
      this.#overflowed = true;
      return false;
    }
    (pending.isSuspect ? this.#suspects : this.#files).push(pending);
    this.#wake();
    return true;
  }

  /** There will be no more. */
  end(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  /** Forgets what waits. */
  drop(): void {
    this.#files = [];
    this.#suspects = [];
    this.#taken = 0;
    this.end();
  }

  /** The next file, as soon as there is one, suspects after all others; undefined when there are no more. */
  async next(): Promise<PendingFile | undefined> {
    while (this.#taken === this.#files.length) {
      if (this.#hasEnded) return this.#suspects.shift();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    const file = this.#files[this.#taken];
    this.#taken += 1;
    this.#compact();
    return file;
  }

  /** `shift` of an array of many thousands is slow, and without any of it what was taken would stay in memory. */
  #compact(): void {
    if (this.#taken < 1_000) return;
    this.#files = this.#files.slice(this.#taken);
    this.#taken = 0;
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
