import type { IngestRoute, LedgerState } from '@sheaf/contract';
import { type Db, findLedgerEntries } from '@sheaf/db';
import { type FileFacts, isSameFile, type WatchedFile } from './watched-file.ts';

/** What the ledger has of a file, as far as a scan asks. */
export interface Noted {
  readonly state: LedgerState;
  readonly reason: string | null;
  readonly sizeBytes: number | null;
  readonly modifiedMs: number | null;
}

interface Memory {
  noted: Noted | undefined;
  /** What the file looked like, and since when it has. */
  seen: { readonly facts: FileFacts; readonly sinceMs: number } | undefined;
  round: number;
}

/**
 * What a scan knows of the files that are there now, so that one that was settled costs neither a query nor a look into it.
 * The ledger is the truth: it is asked once for each file that is new here. This process is the only one that writes its route.
 */
export class FileMemory {
  readonly #route: IngestRoute;
  readonly #files = new Map<string, Memory>();
  #round = 0;

  constructor(route: IngestRoute) {
    this.#route = route;
  }

  get size(): number {
    return this.#files.size;
  }

  beginRound(): void {
    this.#round += 1;
  }

  /** Forgets the files that a whole round did not meet. */
  endRound(): void {
    for (const [path, memory] of this.#files) if (memory.round !== this.#round) this.#files.delete(path);
  }

  /** Makes sure that the ledger's word on these files is known. */
  async recall(db: Db, files: readonly WatchedFile[]): Promise<void> {
    const unknown = files.filter(({ ledgerPath }) => !this.#files.has(ledgerPath)).map(({ ledgerPath }) => ledgerPath);
    for (const entry of await findLedgerEntries(db, this.#route, unknown))
      this.note(entry.path, {
        state: entry.state,
        reason: entry.reason,
        sizeBytes: entry.sizeBytes,
        modifiedMs: entry.modifiedAt === null ? null : entry.modifiedAt.getTime(),
      });
    for (const { ledgerPath } of files) this.#of(ledgerPath).round = this.#round;
  }

  noted(path: string): Noted | undefined {
    return this.#files.get(path)?.noted;
  }

  note(path: string, noted: Noted): void {
    this.#of(path).noted = noted;
  }

  /** Whether the last word on the file was final and the file is still the one it was said of. */
  isSettled({ ledgerPath, facts }: WatchedFile): boolean {
    const noted = this.noted(ledgerPath);
    return noted !== undefined && noted.state !== 'waiting' && noted.sizeBytes === facts.sizeBytes && noted.modifiedMs === facts.modifiedMs;
  }

  /**
   * For how many milliseconds the file has looked as it does now, by the monotonic time `nowMs`; undefined when this is the
   * first look at it, 0 when it changed since the last one.
   */
  observe({ ledgerPath, facts }: WatchedFile, nowMs: number): number | undefined {
    const memory = this.#of(ledgerPath);
    const { seen } = memory;
    if (seen !== undefined && isSameFile(seen.facts, facts)) return nowMs - seen.sinceMs;
    memory.seen = { facts, sinceMs: nowMs };
    return seen === undefined ? undefined : 0;
  }

  #of(path: string): Memory {
    let memory = this.#files.get(path);
    if (memory === undefined) {
      memory = { noted: undefined, seen: undefined, round: this.#round };
      this.#files.set(path, memory);
    }
    return memory;
  }
}
