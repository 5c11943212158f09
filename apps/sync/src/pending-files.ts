import type { SourceFile } from '@sheaf/db';
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

/** Files whose attempts are recorded with one statement; all of them are suspects after a crash. */
const MAX_BATCH = 16;

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

  /**
   * The next files, as soon as there are some: a `share`th of those that wait, so that the others who ask get as many, and at most
   * `MAX_BATCH`; a suspect by itself. None when there are no more.
   */
  async next(share = 1): Promise<readonly PendingFile[]> {
    while (this.#taken === this.#files.length) {
      if (this.#hasEnded) return this.#suspects.splice(0, 1);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    const count = Math.max(1, Math.min(MAX_BATCH, Math.floor((this.#files.length - this.#taken) / share)));
    const files = this.#files.slice(this.#taken, this.#taken + count);
    this.#taken += files.length;
    this.#compact();
    return files;
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
