import { AppError } from '@sheaf/contract';
import { ledgerReason } from '@sheaf/contract/imports';
import type { ComponentHealth } from '@sheaf/contract/operations';
import { isDatabaseUnavailable } from '@sheaf/db';
import { forEachLimit } from '@sheaf/process';
import { traced } from '@sheaf/process/tracing';
import { type FsPath, isStillThere, type MetFolder, openRoot, walkFolder } from '@sheaf/storage/folders';
import { worst } from '@sheaf/vocabulary/health';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import { type DueFile, DueFiles } from './due-files.ts';
import { FileMemory } from './file-memory.ts';
import { FileNotes } from './file-notes.ts';
import { GoneFiles } from './gone-files.ts';
import { ImportOrder } from './import-order.ts';
import { isYoungAgain, refuseAtSight } from './judge-file.ts';
import { type LedgerFile, toLedgerFile } from './ledger-file.ts';
import { lookAgain } from './look-again.ts';
import { isMoveFolder, undoMove } from './move-processed.ts';
import { findProcessedFolder } from './processed-folder.ts';
import type { ScannerDeps } from './scanner-deps.ts';
import { type TakeOutcome, takeFile } from './take-file.ts';
import { UnreadablePaths } from './unreadable-paths.ts';
import type { OpenWatchRoot, WatchRoot } from './watch-root.ts';

/** What a scan met. */
export interface ScanReport {
  readonly files: number;
  readonly tookMs: number;
}

/** What a scan works with, fixed at its beginning. */
interface Round {
  readonly isProcessedFolder: (folder: FsPath) => Promise<boolean>;
  readonly signal: AbortSignal;
  /** The prefixes of the roots in which nothing was left out. */
  readonly readPrefixes: string[];
}

/** More files than this are not noted of a root in one scan, but in the next ones: the others must have their turn. */
const MAX_NOTES_A_ROOT = 10_000;

/** Killed moves leave few folders; who makes more of them by hand waits for the next scans. */
const MAX_UNDONE_A_ROOT = 100;

/** A root as a scan goes through it. */
interface Visit {
  readonly root: OpenWatchRoot;
  notesLeft: number;
}

const BEING_WRITTEN = ledgerReason('being_written');
const storageAway = ({ message }: AppError): LedgerReason => ledgerReason('storage_away', { error: message });

/** Files judged at the same time. */
const MAX_CONCURRENT = 4;

/** A timer may be a little early. */
const TIMER_SLACK_MS = 20;

/**
 * Looks through the watched folders of one route. Every scan begins with what is there; nothing depends on notifications. A scan
 * only looks: what is worth it is taken in when it has been stable for long enough, and what changes until then at a later scan.
 */
export class Scanner {
  readonly #deps: ScannerDeps;
  readonly #memory: FileMemory;
  readonly #notes: FileNotes;
  readonly #due = new DueFiles();
  readonly #order: ImportOrder;
  readonly #unreadable: UnreadablePaths;
  readonly #gone: GoneFiles;

  constructor(deps: ScannerDeps) {
    const { settings, ingest, attempts, log } = deps;
    this.#deps = deps;
    this.#memory = new FileMemory(settings.route);
    this.#notes = new FileNotes({ route: settings.route, memory: this.#memory, db: ingest.db, log });
    this.#order = new ImportOrder({ route: settings.route, due: this.#due, memory: this.#memory, attempts });
    this.#unreadable = new UnreadablePaths(log);
    this.#gone = new GoneFiles({ route: settings.route, memory: this.#memory, db: ingest.db, log });
  }

  /** When the next file is to be taken in, in the time of `performance.now`; undefined when none is. */
  get nextDueMs(): number | undefined {
    return this.#due.nextMs;
  }

  /** Looks at everything once. Throws when the database does not work; nothing is lost by that. */
  async scan(signal: AbortSignal): Promise<ScanReport> {
    const { settings, findRoots } = this.#deps;
    const startedMs = performance.now();
    await this.#deps.attempts.recover();
    this.#beginRound();
    const round: Round = { isProcessedFolder: await findProcessedFolder(settings.processedFolder), signal, readPrefixes: [] };
    let files = 0;
    for (const root of await findRoots()) {
      if (signal.aborted) break;
      files += await this.#scanRoot(root, round);
    }
    if (!signal.aborted) await this.#endRound(round);
    return { files, tookMs: performance.now() - startedMs };
  }

  /**
   * Takes in what is due, until `untilMs` in the time of `performance.now`, and returns how many files were. Throws when
   * database or storage do not work; what was not taken in is still due then.
   */
  async takeDue(untilMs: number, signal: AbortSignal): Promise<number> {
    let taken = 0;
    const goesOn = (): boolean => !signal.aborted && performance.now() < untilMs;
    await this.#order.takeEach(goesOn, async (due) => {
      if (await this.#takeSafely(due, signal)) taken += 1;
    });
    return taken;
  }

  health(): ComponentHealth {
    const findings = [this.#unreadable.health(), this.#deps.mover?.health() ?? ({ status: 'healthy' } as const)];
    const status = worst(findings.map((finding) => finding.status));
    return findings.find((finding) => finding.status === status) ?? { status };
  }

  #beginRound(): void {
    this.#memory.beginRound();
    this.#unreadable.beginRound();
    this.#deps.mover?.beginRound();
  }

  async #endRound({ readPrefixes }: Round): Promise<void> {
    this.#unreadable.endRound();
    this.#deps.mover?.endRound();
    await this.#gone.note(readPrefixes, this.#memory.endRound());
  }

  /** Returns how many files it met. */
  async #scanRoot(watchRoot: WatchRoot, round: Round): Promise<number> {
    const root = await this.#open(watchRoot);
    if (root === undefined) return 0;
    const leftovers: FsPath[] = [];
    let isComplete = true;
    const walk = walkFolder(root.realPath, {
      recursive: this.#deps.settings.recursive,
      skipsFolder: (folder) => this.#skips(folder, leftovers, round),
      onUnreadable: (path, error) => {
        isComplete = false;
        this.#unreadable.add(path === '' ? root.path : `${root.path}/${path}`, error);
      },
      signal: round.signal,
    });
    let met = 0;
    const visit = { root, notesLeft: this.#deps.settings.maxNotesARoot ?? MAX_NOTES_A_ROOT };
    for await (const files of walk) {
      met += files.length;
      await this.#sort(
        files.map((file) => toLedgerFile(file, root.ledgerPrefix)),
        visit,
      );
    }
    for (const folder of leftovers) await this.#undoMove(folder, root);
    if (isComplete && (await isStillThere(root))) round.readPrefixes.push(root.ledgerPrefix);
    return met;
  }

  async #open(watchRoot: WatchRoot): Promise<OpenWatchRoot | undefined> {
    try {
      const outcome = await openRoot(watchRoot);
      if (outcome.kind === 'open') return outcome.root;
      if (outcome.kind === 'link') this.#unreadable.add(watchRoot.path, new Error('symbolic link instead of a watch folder not followed'));
    } catch (error) {
      this.#unreadable.add(watchRoot.path, error);
    }
    return undefined;
  }

  async #skips({ name, fsPath }: MetFolder, leftovers: FsPath[], round: Round): Promise<boolean> {
    if (isMoveFolder(name)) {
      if (leftovers.length < MAX_UNDONE_A_ROOT) leftovers.push(fsPath);
      return true;
    }
    return this.#deps.settings.rules.current().patterns.findIgnoring(name) !== undefined || (await round.isProcessedFolder(fsPath));
  }

  /** Puts back what a move left that was killed; the next scan finds it. */
  async #undoMove(folder: FsPath, root: OpenWatchRoot): Promise<void> {
    try {
      await undoMove(folder, root.realPath);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#unreadable.add(folder.toString(), error);
    }
  }

  /** Lets alone what is settled, and has what is not either refused or taken in when it is stable. */
  async #sort(files: readonly LedgerFile[], visit: Visit): Promise<void> {
    await this.#memory.recall(this.#deps.ingest.db, files);
    await this.#move(
      files.filter((file) => this.#memory.isTaken(file)),
      visit.root,
    );
    const unsettled = files.filter((file) => !this.#isSettled(file));
    await forEachLimit(unsettled, MAX_CONCURRENT, (file) => this.#consider(file, visit));
  }

  #isSettled(file: LedgerFile): boolean {
    if (!this.#memory.isSettled(file)) return false;
    const reason = this.#memory.noted(file.ledgerPath)?.reasonCode ?? null;
    return !isYoungAgain(file, reason, this.#deps.settings.rules.current(), this.#deps.clock.now());
  }

  async #consider(file: LedgerFile, visit: Visit): Promise<void> {
    const { settings, clock } = this.#deps;
    const reason = refuseAtSight(file, settings.rules.current(), clock.now(), this.#memory.waits(file));
    const { root } = visit;
    if (reason !== undefined) {
      if (visit.notesLeft === 0) return;
      visit.notesLeft -= 1;
      return this.#notes.note(file, 'ignored', reason, root);
    }
    const nowMs = performance.now();
    const remainingMs = settings.stabilityMs.current() - this.#memory.observe(file, nowMs);
    this.#due.add({ file, root, dueMs: remainingMs > 0 ? nowMs + remainingMs + TIMER_SLACK_MS : nowMs });
  }

  async #takeSafely(due: DueFile, signal: AbortSignal): Promise<boolean> {
    try {
      return await this.#take(due, signal);
    } catch (error) {
      if (signal.aborted) return false;
      await this.#giveBack(due, error);
      return false;
    }
  }

  /** Throws the error again when it concerns more than this file. */
  async #giveBack(due: DueFile, error: unknown): Promise<void> {
    const { file, root } = due;
    const isStorageAway = error instanceof AppError && error.kind === 'SERVICE_UNAVAILABLE';
    if (!isStorageAway && !isDatabaseUnavailable(error)) {
      // One file that trips over a mistake of ours must not keep the others out; the next scan tries it again.
      this.#deps.log.error({ err: error, path: file.ledgerPath }, 'file import failed');
      return;
    }
    if (!this.#memory.isSettled(file)) this.#due.add(due);
    if (isStorageAway) await this.#notes.note(file, 'waiting', storageAway(error), root);
    throw error;
  }

  async #take({ file: seen, root }: DueFile, signal: AbortSignal): Promise<boolean> {
    const file = await lookAgain(seen, root.realPath);
    if (file === undefined) return false;
    const { settings, ingest, tracer } = this.#deps;
    const { owner } = root;
    if (this.#memory.observe(file, performance.now()) < settings.stabilityMs.current()) return this.#wait(file, BEING_WRITTEN, root);
    if ('missing' in owner) return this.#wait(file, owner.missing, root);
    const { maxBytes, allowedExtensions } = settings.rules.current();
    const take = { route: settings.route, realRoot: root.realPath, ownerId: owner.id, maxBytes, allowedExtensions, signal };
    const start = { kind: 'internal', attributes: { 'sheaf.route': settings.route } } as const;
    const outcome = await traced(tracer, 'watched file', start, () => takeFile(file, take, ingest));
    return this.#conclude(file, outcome, root);
  }

  async #wait(file: LedgerFile, reason: LedgerReason, root: OpenWatchRoot): Promise<false> {
    await this.#notes.note(file, 'waiting', reason, root);
    return false;
  }

  async #conclude(file: LedgerFile, outcome: TakeOutcome, root: OpenWatchRoot): Promise<boolean> {
    switch (outcome.kind) {
      case 'changed':
        return false;
      case 'waiting':
      case 'ignored':
        await this.#notes.note(file, outcome.kind, outcome.reason, root);
        return false;
      case 'done':
        this.#notes.remember(file, outcome.result);
        if (this.#memory.isTaken(file)) await this.#move([file], root);
        return true;
    }
  }

  async #move(files: readonly LedgerFile[], root: OpenWatchRoot): Promise<void> {
    const { mover } = this.#deps;
    if (mover === undefined || files.length === 0) return;
    for (const file of await mover.move(files, root)) this.#memory.forgetDocument(file);
  }
}
