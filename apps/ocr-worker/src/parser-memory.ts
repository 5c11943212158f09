import { type Component, type Logger, Loop } from '@sheaf/process';
import { commandLineOf, killProgram, listPrograms, type ProgramTree, residentBytes, sharedBytes } from '@sheaf/process/machine';
import type { JobFailure } from '@sheaf/queue';
import { readProgramWork } from '@sheaf/sandbox';

/** A document that is being processed. */
export interface ProcessedDocument {
  readonly documentId: string;
  /** What stands in the paths of its files, the surest first: its own id, then the hash of its bytes, which others may have as well. */
  readonly marks: readonly string[];
  fail(failure: JobFailure): void;
}

export interface ParserMemorySettings {
  /** Memory of all programs that parse documents for this process. */
  readonly limitBytes: number;
  /** MEMORY_LIMIT_MB. */
  readonly serviceLimitBytes: number;
}

export interface ParserMemoryDeps {
  readonly settings: ParserMemorySettings;
  readonly documents: () => Iterable<ProcessedDocument>;
  readonly log: Logger;
}

/** A program needs a moment for a gigabyte; the supervisor looks at the whole service every five seconds. */
const LOOK_EVERY_MS = 500;
/** While no document is processed, programs only wait for the next; listing all processes of a machine costs as much as all else that an idle worker does. */
const IDLE_LOOK_EVERY_MS = 10_000;
const MEGABYTE = 1024 * 1024;
const toMegabytes = (bytes: number): number => Math.round(bytes / MEGABYTE);

const sizesOf = (trees: readonly ProgramTree[], bytesOf: (pid: number) => number) =>
  trees.map((tree) => ({ tree, bytes: tree.reduce((sum, pid) => sum + bytesOf(pid), 0) }));

const totalOf = (sizes: readonly { readonly bytes: number }[]): number => sizes.reduce((sum, { bytes }) => sum + bytes, 0);

/** The document that a program works on: that of its command line or of a program it started, or what was noted of one that stays. */
const findDocument = (tree: ProgramTree, documents: Iterable<ProcessedDocument>): ProcessedDocument | undefined => {
  const work = readProgramWork();
  const text = tree.map((pid) => `${commandLineOf(pid)} ${work.get(pid) ?? ''}`).join('\n');
  const all = [...documents];
  const has = (at: number): ProcessedDocument | undefined => all.find(({ marks }) => marks[at] !== undefined && text.includes(marks[at]));
  return has(0) ?? has(1);
};

/**
 * Ends the largest of the programs that parse documents while all of them together take too much memory, and fails its document. The
 * process and the other documents go on.
 */
export class ParserMemory implements Component {
  readonly name = 'parser-memory';
  readonly #deps: ParserMemoryDeps;
  readonly #loop: Loop;

  constructor(deps: ParserMemoryDeps) {
    this.#deps = deps;
    const run = async (): Promise<number> => {
      this.look();
      const [processed] = this.#deps.documents();
      return processed === undefined ? IDLE_LOOK_EVERY_MS : LOOK_EVERY_MS;
    };
    this.#loop = new Loop({ name: this.name, intervalMs: LOOK_EVERY_MS, log: deps.log, run });
  }

  start(): Promise<void> {
    readProgramWork();
    return this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** A document is processed from now on. */
  nudge(): void {
    this.#loop.nudgeIn(LOOK_EVERY_MS);
  }

  /** One look. Shared pages are counted once only where the rough sum is too much: it takes the kernel longer. */
  look(): void {
    const { limitBytes } = this.#deps.settings;
    const trees = listPrograms();
    if (totalOf(sizesOf(trees, residentBytes)) <= limitBytes) return;
    const sizes = sizesOf(trees, sharedBytes);
    const usedBytes = totalOf(sizes);
    const [largest] = sizes.toSorted((one, other) => other.bytes - one.bytes);
    if (usedBytes > limitBytes && largest !== undefined) this.#end(largest.tree, largest.bytes, usedBytes);
  }

  #end(tree: ProgramTree, bytes: number, usedBytes: number): void {
    const { settings, documents, log } = this.#deps;
    const document = findDocument(tree, documents());
    const facts = { used_mb: toMegabytes(usedBytes), limit_mb: toMegabytes(settings.limitBytes), program_mb: toMegabytes(bytes) };
    const program = commandLineOf(tree[0]).slice(0, 200);
    log.warn({ ...facts, program, document_id: document?.documentId }, 'parser memory limit exceeded, largest program killed');
    // before the program ends: what that looks like to its caller is not the reason
    document?.fail({
      reason: 'memory_exceeded',
      message: `Processing this file used ${toMegabytes(bytes)} MB of memory, and all programs together more than ${toMegabytes(settings.limitBytes)} MB. Increase MEMORY_LIMIT_MB=${toMegabytes(settings.serviceLimitBytes)}.`,
    });
    killProgram(tree);
  }
}
