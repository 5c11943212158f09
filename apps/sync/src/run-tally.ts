import type { SyncRun } from '@sheaf/db/schema';
import type { RunCounters } from '@sheaf/sources/runs';
import type { FileOutcome } from './sync-deps.ts';

/** How far a run has come. */
export class RunTally {
  #counts: Record<FileOutcome, number>;
  #listed = 0;
  #processed = 0;
  #bytes: number;
  #currentFile: string | null = null;
  #reported: Pick<RunCounters, 'processed' | 'total'>;

  /** Of a run that goes on after a stop: what its listing meets again is counted again, the rest is kept. */
  constructor({ moved, removed, bytes, processed, total }: Pick<SyncRun, 'moved' | 'removed' | 'bytes' | 'processed' | 'total'>) {
    this.#counts = { added: 0, updated: 0, moved, removed, skipped: 0, failed: 0 };
    this.#bytes = bytes;
    this.#reported = { processed, total };
  }

  /** Before another listing of everything. */
  restart(): void {
    const { moved, removed } = this.#counts;
    this.#counts = { added: 0, updated: 0, moved, removed, skipped: 0, failed: 0 };
    this.#listed = 0;
    this.#processed = 0;
  }

  listed(count: number): void {
    this.#listed += count;
  }

  /** A listed file has been dealt with. */
  processed(outcome: FileOutcome): void {
    this.#processed += 1;
    this.#counts[outcome] += 1;
  }

  /** A file is gone at the source. */
  removed(): void {
    this.#counts.removed += 1;
  }

  /** A file that seemed to be a copy is the one that lay somewhere else before. */
  copyWasMoved(): void {
    this.#counts.moved += 1;
    this.#counts.skipped = Math.max(0, this.#counts.skipped - 1);
  }

  fetched(bytes: number): void {
    this.#bytes += bytes;
  }

  reading(path: string): void {
    this.#currentFile = path;
  }

  /** Whether there is anything that people want to be told. */
  get hasNews(): boolean {
    const { added, updated, moved, removed, failed } = this.#counts;
    return added + updated + moved + removed + failed > 0;
  }

  /** How far the run is, for people: neither number goes back, whatever is listed once more. */
  progress(): Pick<RunCounters, 'processed' | 'total'> {
    this.#reported = {
      processed: Math.max(this.#reported.processed, this.#processed),
      total: Math.max(this.#reported.total, this.#listed),
    };
    return this.#reported;
  }

  get counters(): RunCounters {
    return { ...this.#counts, processed: this.#processed, total: this.#listed, bytes: this.#bytes, currentFile: this.#currentFile };
  }
}
