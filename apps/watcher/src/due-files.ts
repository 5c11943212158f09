import type { LedgerFile } from './ledger-file.ts';
import type { OpenWatchRoot } from './watch-root.ts';

/** A file that is to be taken in once it has been stable for long enough. */
export interface DueFile {
  readonly file: LedgerFile;
  readonly root: OpenWatchRoot;
  /** In the monotonic time of `performance.now`. */
  readonly dueMs: number;
}

/** More than are taken in between two scans; the next scan brings the others, which the disk keeps better than the memory. */
const MAX_A_ROOT = 20_000;

/** The files that wait to be taken in, each once. */
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
   * all that somebody else has put into his folder.
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
