import type { AttemptedFile, ImportAttempts } from '@sheaf/ingest';
import { forEachLimit } from '@sheaf/process';
import type { IngestRoute } from '@sheaf/vocabulary/documents';
import type { FileMemory } from './file-memory.ts';
import type { OpenWatchRoot } from './file-notes.ts';
import type { LedgerFile } from './take-file.ts';

export interface ImportOrderDeps {
  readonly route: IngestRoute;
  readonly due: DueFiles;
  readonly memory: FileMemory;
  readonly attempts: ImportAttempts;
}

type Take = (due: DueFile) => Promise<void>;

/** Files worked on at the same time: enough to hide the waiting for disks, little enough for memory and for the database. */
const MAX_CONCURRENT = 4;
/** Files whose attempts are recorded with one statement; all of them are suspects after a crash. */
const MAX_BATCH = 16;

/** Imports what is due with the attempts on record: some at a time, and at last, one by one, the suspects of a crash. */
export class ImportOrder {
  readonly #deps: ImportOrderDeps;

  constructor(deps: ImportOrderDeps) {
    this.#deps = deps;
  }

  /** Takes each due file as long as `goesOn` says so; the others are due still, also when `take` throws. */
  async takeEach(goesOn: () => boolean, take: Take): Promise<void> {
    const takeUntilDeadline: Take = async (due) => {
      if (goesOn()) await take(due);
      else this.#deps.due.add(due);
    };
    const suspects: DueFile[] = [];
    await forEachLimit(this.#batches(goesOn, suspects), MAX_CONCURRENT, (batch) => this.#takeBatch(batch, takeUntilDeadline));
    for (const due of suspects) await this.#takeSuspect(due, takeUntilDeadline);
  }

  /** What is due but for the suspects, in batches: large ones only where there is enough for all that work at the same time. */
  *#batches(goesOn: () => boolean, suspects: DueFile[]): Iterable<DueFile[]> {
    const { due, attempts } = this.#deps;
    const size = Math.max(1, Math.min(MAX_BATCH, Math.floor(due.size / MAX_CONCURRENT)));
    let batch: DueFile[] = [];
    for (const next of due.take(goesOn)) {
      const attempted = this.#attempted(next);
      if (attempted !== undefined && attempts.isSuspect(attempted)) suspects.push(next);
      else if (batch.push(next) === size) {
        yield batch;
        batch = [];
      }
    }
    if (batch.length > 0) yield batch;
  }

  async #takeBatch(batch: readonly DueFile[], take: Take): Promise<void> {
    const left = [...batch];
    const work = async (): Promise<void> => {
      for (let due = left.shift(); due !== undefined; due = left.shift()) await take(due);
    };
    try {
      await this.#deps.attempts.runAttempted(
        batch.flatMap((due) => this.#attempted(due) ?? []),
        work,
      );
    } catch (error) {
      for (const due of left) this.#deps.due.add(due);
      throw error;
    }
  }

  async #takeSuspect(due: DueFile, take: Take): Promise<void> {
    const { attempts, memory } = this.#deps;
    const attempted = this.#attempted(due);
    if (attempted === undefined) return take(due);
    const wasInspected = (): boolean => memory.isSettled(due.file);
    return attempts.runAlone(attempted, () => take(due), wasInspected);
  }

  /** Undefined for a file that nobody owns yet, which waits unopened. */
  #attempted({ file: { ledgerPath, facts }, root: { owner } }: DueFile): AttemptedFile | undefined {
    if ('missing' in owner) return undefined;
    const version = { etag: undefined, sizeBytes: facts.sizeBytes, modifiedAt: new Date(facts.modifiedMs) };
    return { route: this.#deps.route, path: ledgerPath, ownerId: owner.id, version };
  }
}

/** A file that is to be imported once it has been stable for long enough. */
export interface DueFile {
  readonly file: LedgerFile;
  readonly root: OpenWatchRoot;
  /** In the monotonic time of `performance.now`. */
  readonly dueMs: number;
}

/** More than are imported between two scans; the next scan brings the others, which the disk keeps better than the memory. */
const MAX_A_ROOT = 20_000;

/** The files that wait to be imported, each once. */
export class DueFiles {
  readonly #maxARoot: number;
  /** By the prefix of the root, then by path. */
  readonly #roots = new Map<string, Map<string, DueFile>>();

  constructor(maxARoot = MAX_A_ROOT) {
    this.#maxARoot = maxARoot;
  }

  /** Does nothing when too many of the root wait already. */
  add(due: DueFile): void {
    const { file, root } = due;
    const files = this.#roots.get(root.ledgerPrefix) ?? new Map<string, DueFile>();
    this.#roots.set(root.ledgerPrefix, files);
    if (files.size < this.#maxARoot || files.has(file.ledgerPath)) files.set(file.ledgerPath, due);
  }

  get size(): number {
    let size = 0;
    for (const files of this.#roots.values()) size += files.size;
    return size;
  }

  /** When the first of them is due. */
  get nextMs(): number | undefined {
    let next: number | undefined;
    for (const files of this.#roots.values()) for (const { dueMs } of files.values()) if (next === undefined || dueMs < next) next = dueMs;
    return next;
  }

  /**
   * Takes out what is due by now, one at a time, as long as `goesOn` says so: one of each root in turn, so that nobody waits for
   * all that somebody else has put into their folder.
   */
  *take(goesOn: () => boolean): Iterable<DueFile> {
    const nowMs = performance.now();
    let turns = [...this.#roots.values()].map((files) => takeDue(files, nowMs));
    while (turns.length > 0) {
      const more: typeof turns = [];
      for (const turn of turns) {
        if (!goesOn()) return;
        const { value } = turn.next();
        if (value === undefined) continue;
        more.push(turn);
        yield value;
      }
      turns = more;
    }
  }
}

const takeDue = function* (files: Map<string, DueFile>, nowMs: number): Generator<DueFile, undefined> {
  for (const [path, due] of files) {
    if (due.dueMs > nowMs) continue;
    files.delete(path);
    yield due;
  }
  return undefined;
};
