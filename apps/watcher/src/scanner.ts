import { mkdir, realpath } from 'node:fs/promises';
import { AppError, type ComponentHealth, type IngestRoute } from '@sheaf/contract';
import { findDefaultOwner, isDatabaseUnavailable } from '@sheaf/db';
import { type IngestDeps, type IngestResult, noteFile } from '@sheaf/ingest';
import { type Clock, type Logger, sleep } from '@sheaf/runtime';
import { FileMemory } from './file-memory.ts';
import { forEachLimit } from './for-each-limit.ts';
import { type FileRules, refuseAtSight } from './judge-file.ts';
import { type TakeOutcome, takeFile } from './take-file.ts';
import { walkFolder } from './walk-folder.ts';
import { lookAgain, type WatchedFile } from './watched-file.ts';

export interface ScannerSettings {
  readonly route: IngestRoute;
  readonly folder: string;
  /** The user who owns what is found; the first administrator where none is named. */
  readonly owner: string | undefined;
  readonly recursive: boolean;
  readonly stabilityMs: number;
  readonly rules: FileRules;
}

export interface ScannerDeps {
  readonly settings: ScannerSettings;
  readonly ingest: IngestDeps;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What one scan met, for log and metrics. */
export interface ScanReport {
  files: number;
  taken: number;
  waiting: number;
  /** How long the walk over the tree took. */
  walkMs: number;
}

/** What a scan works with, fixed at its beginning. */
interface Round {
  readonly realRoot: string;
  readonly ownerId: string | undefined;
  readonly signal: AbortSignal;
  readonly report: ScanReport;
}

/** Files read at the same time: enough to hide the waiting for disks, little enough for memory and for the database. */
const MAX_CONCURRENT = 4;

/** A timer may be a little early. */
const TIMER_SLACK_MS = 20;

/** Looks through one watched folder. Every scan begins with what is there; nothing depends on notifications. */
export class Scanner {
  readonly #deps: ScannerDeps;
  readonly #memory: FileMemory;
  #unreadable: ReadonlySet<string> = new Set();

  constructor(deps: ScannerDeps) {
    this.#deps = deps;
    this.#memory = new FileMemory(deps.settings.route);
  }

  /**
   * One scan: what is stable is taken in at once, what is new is looked at again after the time of stability, and what still
   * changes then waits for the next scan. Throws when database or storage do not work; nothing is lost by that.
   */
  async scan(signal: AbortSignal): Promise<ScanReport> {
    const { settings, ingest } = this.#deps;
    await mkdir(settings.folder, { recursive: true });
    const realRoot = await realpath(settings.folder);
    const owner = await findDefaultOwner(ingest.db, settings.owner);
    const round = { realRoot, ownerId: owner?.id, signal, report: { files: 0, taken: 0, waiting: 0, walkMs: 0 } };
    const { ready, fresh } = await this.#survey(round);
    await this.#takeAll(ready, round);
    if (fresh.length > 0 && (await sleep(settings.stabilityMs + TIMER_SLACK_MS, signal))) await this.#takeAll(fresh, round);
    return round.report;
  }

  health(): ComponentHealth {
    const [path] = this.#unreadable;
    if (path === undefined) return { status: 'healthy' };
    const where = `${this.#deps.settings.folder}/${path}`;
    return { status: 'warning', message: `${where} cannot be read; give this process access to it` };
  }

  /** Walks the tree and sorts what is not settled into what has been stable since an earlier scan and what has not. */
  async #survey(round: Round): Promise<{ ready: WatchedFile[]; fresh: WatchedFile[] }> {
    const { settings, ingest, log } = this.#deps;
    const { patterns } = settings.rules;
    const [ready, fresh]: [WatchedFile[], WatchedFile[]] = [[], []];
    const unreadable = new Set<string>();
    const startedMs = performance.now();
    this.#memory.beginRound();
    const walk = walkFolder(round.realRoot, {
      recursive: settings.recursive,
      skipsFolder: (name) => patterns.findIgnoring(name) !== undefined,
      onUnreadable: (path, error) => {
        unreadable.add(path);
        if (!this.#unreadable.has(path)) log.warn({ err: error, path }, 'cannot be read in the watch folder; tried again at every scan');
      },
      signal: round.signal,
    });
    for await (const files of walk) {
      await this.#memory.recall(ingest.db, files);
      round.report.files += files.length;
      const unsettled = files.filter((file) => !this.#memory.isSettled(file));
      await forEachLimit(unsettled, MAX_CONCURRENT, async (file) => {
        if (await this.#isWorthALook(file, round)) (this.#isStable(file) ? ready : fresh).push(file);
      });
    }
    if (!round.signal.aborted) this.#endRound(unreadable);
    round.report.walkMs = performance.now() - startedMs;
    return { ready, fresh };
  }

  #endRound(unreadable: ReadonlySet<string>): void {
    this.#memory.endRound();
    this.#unreadable = unreadable;
  }

  async #isWorthALook(file: WatchedFile, round: Round): Promise<boolean> {
    const { settings, clock } = this.#deps;
    const waits = this.#memory.noted(file.ledgerPath)?.state === 'waiting';
    const reason = refuseAtSight(file, settings.rules, clock.now(), waits);
    if (reason !== undefined) await this.#note(file, 'ignored', reason, round);
    return reason === undefined;
  }

  #isStable(file: WatchedFile): boolean {
    const unchangedMs = this.#memory.observe(file, performance.now());
    return unchangedMs !== undefined && unchangedMs >= this.#deps.settings.stabilityMs;
  }

  async #takeAll(files: readonly WatchedFile[], round: Round): Promise<void> {
    await forEachLimit(files, MAX_CONCURRENT, async (file) => {
      if (round.signal.aborted) return;
      try {
        await this.#take(file, round);
      } catch (error) {
        if (round.signal.aborted) return;
        if (isDatabaseUnavailable(error) || (error instanceof AppError && error.kind === 'SERVICE_UNAVAILABLE')) throw error;
        // One file that trips over a mistake of ours must not keep the others out; the next scan tries it again.
        this.#deps.log.error({ err: error, path: file.ledgerPath }, 'file could not be taken in');
      }
    });
  }

  async #take(seen: WatchedFile, round: Round): Promise<void> {
    const file = await lookAgain(seen);
    if (file === undefined) return;
    if (!this.#isStable(file)) return this.#note(file, 'waiting', 'it is still being written', round);
    if (round.ownerId === undefined) return this.#note(file, 'waiting', this.#ownerIsMissing(), round);
    const { settings, ingest } = this.#deps;
    const { maxBytes, allowedExtensions } = settings.rules;
    const take = {
      route: settings.route,
      realRoot: round.realRoot,
      ownerId: round.ownerId,
      maxBytes,
      allowedExtensions,
      signal: round.signal,
    };
    await this.#conclude(file, await takeFile(file, take, ingest), round);
  }

  async #conclude(file: WatchedFile, outcome: TakeOutcome, round: Round): Promise<void> {
    switch (outcome.kind) {
      case 'changed':
        return;
      case 'waiting':
      case 'ignored':
        return this.#note(file, outcome.kind, outcome.reason, round);
      case 'done':
        this.#remember(file, STATE_OF_OUTCOME[outcome.result.outcome], null);
        round.report.taken += 1;
        this.#logResult(file, outcome.result);
    }
  }

  /** Writes a fate that `ingest` does not write, when it is another one than the ledger has: once, not at each scan. */
  async #note(file: WatchedFile, state: 'waiting' | 'ignored', reason: string, { ownerId, report }: Round): Promise<void> {
    const { settings, ingest, log } = this.#deps;
    if (state === 'waiting') report.waiting += 1;
    const { ledgerPath, name: filename, facts } = file;
    const noted = this.#memory.noted(ledgerPath);
    if (state === 'waiting' && noted?.state === state && noted.reason === reason) return;
    const seen = {
      route: settings.route,
      filename,
      ledgerPath,
      ownerId,
      sizeBytes: facts.sizeBytes,
      modifiedAt: new Date(facts.modifiedMs),
    };
    await ingest.db.transaction((tx) => noteFile(tx, seen, { state, reason }));
    this.#remember(file, state, reason);
    log.info({ path: ledgerPath, state, reason }, 'file not taken in');
  }

  #remember(
    { ledgerPath, facts }: WatchedFile,
    state: (typeof STATE_OF_OUTCOME)[IngestResult['outcome']] | 'waiting',
    reason: string | null,
  ): void {
    this.#memory.note(ledgerPath, { state, reason, sizeBytes: facts.sizeBytes, modifiedMs: facts.modifiedMs });
  }

  #ownerIsMissing(): string {
    const { owner } = this.#deps.settings;
    return owner === undefined ? 'no administrator exists yet who could own it' : `the user ${owner}, who is to own it, does not exist`;
  }

  #logResult({ ledgerPath }: WatchedFile, result: IngestResult): void {
    const { log } = this.#deps;
    if (result.outcome === 'ingested') log.info({ path: ledgerPath, document_id: result.document.id }, 'file taken in');
    else if (result.outcome === 'duplicate') log.info({ path: ledgerPath, document_id: result.documentId }, 'file is here already');
    else log.info({ path: ledgerPath, state: 'ignored', reason: result.message }, 'file not taken in');
  }
}

const STATE_OF_OUTCOME = { ingested: 'ingested', duplicate: 'duplicate', refused: 'ignored' } as const;
