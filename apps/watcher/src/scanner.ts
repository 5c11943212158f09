import type { BigIntStats } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import { AppError } from '@sheaf/contract';
import { ledgerReason } from '@sheaf/contract/imports';
import { type ComponentHealth, warning } from '@sheaf/contract/operations';
import { isDatabaseUnavailable } from '@sheaf/db';
import type { ImportAttempts, IngestDeps } from '@sheaf/ingest';
import { type Clock, forEachLimit, type Live, type Logger } from '@sheaf/process';
import { type Tracer, traced } from '@sheaf/process/tracing';
import { type FsPath, factsOf, HeldFolder, isStillThere, type MetFolder, openRoot, sortOf, walkFolder } from '@sheaf/storage/folders';
import type { IngestRoute } from '@sheaf/vocabulary/documents';
import { worst } from '@sheaf/vocabulary/health';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import { FileMemory, GoneFiles } from './file-memory.ts';
import type { FileMover } from './file-mover.ts';
import { FileNotes, type FindRoots, type OpenWatchRoot, type WatchRoot } from './file-notes.ts';
import { type DueFile, DueFiles, ImportOrder } from './import-order.ts';
import { isMoveFolder, undoMove } from './move-processed.ts';
import { splitPath } from './processed/source.ts';
import { type FileRules, isYoungAgain, type LedgerFile, refuseListed, type TakeOutcome, takeFile, toLedgerFile } from './take-file.ts';

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
 * only looks: what is worth it is imported when it has been stable for long enough, and what changes until then at a later scan.
 */
export class Scanner {
  readonly #deps: ScannerDeps;
  readonly #memory: FileMemory;
  readonly #notes: FileNotes;
  readonly #due = new DueFiles();
  readonly #order: ImportOrder;
  readonly #unreadable: UnreadablePaths;
  readonly #missing: GoneFiles;

  constructor(deps: ScannerDeps) {
    const { settings, ingest, attempts, log } = deps;
    this.#deps = deps;
    this.#memory = new FileMemory(settings.route);
    this.#notes = new FileNotes({ route: settings.route, memory: this.#memory, db: ingest.db, log });
    this.#order = new ImportOrder({ route: settings.route, due: this.#due, memory: this.#memory, attempts });
    this.#unreadable = new UnreadablePaths(log);
    this.#missing = new GoneFiles({ route: settings.route, memory: this.#memory, db: ingest.db, log });
  }

  /** When the next file is to be imported, in the time of `performance.now`; undefined when none is. */
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
   * database or storage do not work; what was not imported is still due then.
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
    await this.#missing.note(readPrefixes, this.#memory.endRound());
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

  /** Lets alone what is settled, and has what is not either refused or imported when it is stable. */
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
    const reason = refuseListed(file, settings.rules.current(), clock.now(), this.#memory.waits(file));
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
      await this.#release(due, error);
      return false;
    }
  }

  /** Throws the error again when it concerns more than this file. */
  async #release(due: DueFile, error: unknown): Promise<void> {
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
    const file = await statAgain(seen, root.realPath);
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
        this.#notes.keepNote(file, outcome.result);
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

/**
 * Whether a folder met on a walk is the one of processed files, which is not read again: the very folder, by whatever name or
 * mount it is reached. Asked anew for each scan, as the folder may be made, removed or replaced at any time.
 */
const findProcessedFolder = async (path: string): Promise<(folder: FsPath) => Promise<boolean>> => {
  const processed = await stat(path, { bigint: true }).catch(() => undefined);
  if (processed === undefined) return async () => false;
  return async (folder) => {
    const facts: BigIntStats | undefined = await lstat(folder, { bigint: true }).catch(() => undefined); // gone meanwhile
    return facts?.ino === processed.ino && facts.dev === processed.dev;
  };
};

/**
 * The same file as it is now; undefined when it is gone or out of reach, which the next walk tells apart. Looks nowhere but below
 * the root: what a file elsewhere is like must not be told to whoever put a link in the place of a folder.
 */
export const statAgain = async (file: LedgerFile, realRoot: string): Promise<LedgerFile | undefined> => {
  const { folderPath, name } = splitPath(file.fsPath);
  try {
    await using folder = await HeldFolder.open(folderPath);
    if (!(await folder.isWithin(realRoot))) return undefined;
    const stats = await lstat(folder.pathOf(name));
    return { ...file, sort: sortOf(stats), facts: factsOf(stats) };
  } catch {
    return undefined;
  }
};

export interface ScannerSettings {
  readonly route: IngestRoute;
  readonly recursive: boolean;
  /** How long a file has to stay as it is before it is imported. */
  readonly stabilityMs: Live<number>;
  readonly rules: Live<FileRules>;
  /** How many files of a root are refused at sight in one scan at most. */
  readonly maxNotesARoot?: number;
  /** Where processed files are put; never read, also when it lies inside a watched folder. */
  readonly processedFolder: string;
}

interface ScannerDeps {
  readonly settings: ScannerSettings;
  readonly findRoots: FindRoots;
  /** Puts away what was imported; absent when files stay where they are. */
  readonly mover?: FileMover | undefined;
  readonly ingest: IngestDeps;
  /** One for all scanners of the process. */
  readonly attempts: ImportAttempts;
  readonly tracer: Tracer;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Somebody may have made a million of them: so many are told one by one in a scan, and so many are kept in mind. */
const MAX_LINES = 20;
const MAX_PATHS = 1_000;

/** What the scans could not look at, told once for as long as it lasts. */
export class UnreadablePaths {
  readonly #log: Logger;
  #before: ReadonlySet<string> = new Set();
  #now = new Set<string>();
  #newOnes = 0;
  #health: ComponentHealth = { status: 'healthy' };

  constructor(log: Logger) {
    this.#log = log;
  }

  beginRound(): void {
    this.#now = new Set();
    this.#newOnes = 0;
  }

  endRound(): void {
    if (this.#newOnes > MAX_LINES)
      this.#log.warn({ paths: this.#newOnes - MAX_LINES }, 'more unreadable paths in the watch folder, retried at every scan');
    this.#before = this.#now;
    const [path] = this.#now;
    this.#health = path === undefined ? { status: 'healthy' } : warning('path_unreadable', { path });
  }

  add(path: string, error: unknown): void {
    if (this.#now.has(path) || this.#now.size >= MAX_PATHS) return;
    this.#now.add(path);
    if (this.#before.has(path) || this.#before.size >= MAX_PATHS) return; // of so many nobody can say which one is new
    this.#newOnes += 1;
    if (this.#newOnes <= MAX_LINES) this.#log.warn({ err: error, path }, 'unreadable path in the watch folder, retried at every scan');
  }

  health(): ComponentHealth {
    return this.#health;
  }
}
