import { setImmediate } from 'node:timers/promises';
import { AppError } from '@sheaf/contract';
import { isDatabaseUnavailable } from '@sheaf/db';
import type { Source } from '@sheaf/db/schema';
import { isQueueFullError, QUEUE_FULL_REASON, type RemoteResult } from '@sheaf/ingest';
import type { Logger } from '@sheaf/process';
import { findHighestFileId, type Listing, markFilesBack, type SourceDriver, SourceError } from '@sheaf/sources';
import { makeNamePatterns } from '@sheaf/storage/folders';
import { type Comparison, compareFile, outcomeOfSkipped } from './compare-file.ts';
import { fetchFile, toAttempted } from './fetch-file.ts';
import { causeOf, isDoubtful, isGone, noteFileFailure, noteWaiting } from './file-failure.ts';
import { IdSet } from './id-set.ts';
import { type IgnoredListed, type ListedFile, lookUpListed, noteIgnored } from './listing-notes.ts';
import { type PendingFile, PendingFiles } from './pending-files.ts';
import type { RunTally } from './run-tally.ts';
import type { SyncDeps } from './sync-deps.ts';
import type { FileOutcome } from './sync-metrics.ts';

/** For how long a batch is compared without a pause. */
const MAX_BUSY_MS = 50;
/** Files that fail one after the other, and none that does not: it is not the files. */
const MAX_FAILURES_IN_A_ROW = 20;

const OUTCOME_OF: Readonly<Record<RemoteResult['outcome'], FileOutcome>> = {
  added: 'added',
  updated: 'updated',
  moved: 'moved',
  unchanged: 'skipped',
  duplicate: 'skipped',
  refused: 'skipped',
};

/** The run that a pass is part of. */
export interface PassScope {
  readonly source: Source;
  readonly startedAt: Date;
  readonly isByHand: boolean;
  readonly driver: SourceDriver;
  readonly tally: RunTally;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly abort: (error: unknown) => void;
  /** Tells how far the run is, after a file that was fetched and counted. */
  readonly reportProgress: (path: string) => Promise<void>;
}

const toComparison = ({ source, startedAt, isByHand }: PassScope, { settings, clock }: SyncDeps): Comparison => {
  const { allowedExtensions, maxFileBytes } = settings.files.current();
  return {
    rules: {
      isWanted: makeNamePatterns({ patterns: source.filePatterns, ignorePatterns: [] }).isWanted,
      allowedExtensions,
      maxBytes: maxFileBytes,
    },
    now: clock.now(),
    startedAt,
    isByHand,
  };
};

/** One listing of a source: compares it with what is known, and fetches what is new or changed. */
export class SourcePass {
  /** The known files that were listed. */
  readonly met = new IdSet();
  readonly unseenFolders: string[] = [];
  /** Rows up to this id were there before the listing began. */
  readonly upToId: number;
  /** Fetched files that the next listing will know. */
  remembered = 0;
  readonly #scope: PassScope;
  readonly #deps: SyncDeps;
  readonly #pending: PendingFiles;
  readonly #comparison: Comparison;
  #failuresInARow = 0;

  private constructor(scope: PassScope, deps: SyncDeps, upToId: number) {
    this.#scope = scope;
    this.#deps = deps;
    this.upToId = upToId;
    this.#pending = new PendingFiles(deps.settings.maxPendingFiles);
    this.#comparison = toComparison(scope, deps);
  }

  /** Lists and fetches. Throws SourceError, AppError, and why the run was stopped. */
  static async run(scope: PassScope, deps: SyncDeps): Promise<SourcePass> {
    const pass = new SourcePass(scope, deps, await findHighestFileId(deps.ingest.db, scope.source.id));
    await pass.#listAndFetch();
    return pass;
  }

  /** Whether there were more new files than fit into memory: then everything is to be listed once more. */
  get hasOverflowed(): boolean {
    return this.#pending.hasOverflowed;
  }

  /** Fetches while it lists. What was listed before a listing broke is fetched all the same, so that the next run has less to do. */
  async #listAndFetch(): Promise<void> {
    const lanes = Array.from({ length: this.#deps.settings.parallelDownloads.current() }, () => this.#fetchAll());
    const fetching = Promise.all(lanes).catch((error: unknown) => {
      this.#pending.drop();
      this.#scope.abort(error);
      throw error;
    });
    const [listed, fetched] = await Promise.allSettled([this.#listAll(), fetching]);
    await Promise.allSettled(lanes);
    if (fetched.status === 'rejected') throw fetched.reason;
    if (listed.status === 'rejected') throw listed.reason;
  }

  async #listAll(): Promise<void> {
    try {
      for await (const listing of this.#scope.driver.list(this.#scope.signal)) await this.#compare(listing);
    } finally {
      if (this.#scope.signal.aborted) this.#pending.drop();
      else this.#pending.end();
    }
  }

  async #compare(listing: Listing): Promise<void> {
    const { ingest } = this.#deps;
    const ignored: IgnoredListed[] = [];
    const back: number[] = [];
    for (const { path, isFolder } of listing.refused) if (isFolder) this.unseenFolders.push(path.replace(/\/$/, ''));
    const entries = await lookUpListed(listing, this.#scope.source.id, ingest);
    this.#scope.tally.listed(entries.length);
    let sinceMs = performance.now();
    for (const { listed, known } of entries) {
      // Intricate patterns over long paths take their time: the process answers meanwhile, and the run can be ended.
      if (performance.now() - sinceMs > MAX_BUSY_MS) {
        await setImmediate();
        this.#scope.signal.throwIfAborted();
        sinceMs = performance.now();
      }
      if (known !== undefined) this.met.add(known.id);
      const verdict = this.#judge(listed, known);
      if (verdict.kind === 'fetch') this.#pending.add(this.#toPending(listed, known));
      else if (verdict.kind === 'ignore') ignored.push({ listed, reason: verdict.reason });
      else if (verdict.kind === 'back' && known !== undefined) back.push(known.id);
      if (verdict.kind === 'ignore' || known === undefined) this.#countUnlessFetched(verdict.kind, 'skipped');
      else this.#countUnlessFetched(verdict.kind, outcomeOfSkipped(known, this.#scope.startedAt));
    }
    await noteIgnored(ignored, this.#scope.source, ingest);
    if (back.length > 0) await ingest.db.transaction((tx) => markFilesBack(tx, this.#scope.source.id, back));
  }

  #toPending(listed: ListedFile, known: PendingFile['known']): PendingFile {
    const isSuspect = this.#deps.attempts.isSuspect(toAttempted(listed, this.#scope.source));
    return { file: listed.file, path: listed.path, known, isSuspect };
  }

  #judge(listed: ListedFile, known: PendingFile['known']): ReturnType<typeof compareFile> {
    if (listed.refusal === undefined) return compareFile(listed.file, known, this.#comparison);
    return known === undefined ? { kind: 'ignore', reason: listed.refusal } : { kind: 'skip' };
  }

  #countUnlessFetched(kind: ReturnType<typeof compareFile>['kind'], outcome: FileOutcome): void {
    if (kind !== 'fetch') this.#processed(outcome);
  }

  #processed(outcome: FileOutcome): void {
    this.#scope.tally.processed(outcome);
    this.#deps.telemetry.metrics.file(this.#scope.source.type, outcome);
  }

  async #fetchAll(): Promise<void> {
    for (let file = await this.#pending.next(); file !== undefined; file = await this.#pending.next()) await this.#fetchOnRecord(file);
  }

  /** The attempt is on record before a slot is asked for: whoever is alone has one, and waits for those who are not. */
  async #fetchOnRecord(file: PendingFile): Promise<void> {
    const { attempts } = this.#deps;
    const attempted = toAttempted(file, this.#scope.source);
    const work = (): Promise<boolean> => this.#fetchInTurn(file);
    if (file.isSuspect) await attempts.runAlone(attempted, work, (wasInspected) => wasInspected);
    else await attempts.runBeside([attempted], work);
  }

  /** Whether the file was inspected to the end. Throws when the run is to end. */
  async #fetchInTurn(file: PendingFile): Promise<boolean> {
    const { signal } = this.#scope;
    for (;;) {
      signal.throwIfAborted();
      await this.#waitForRoom(file);
      const end = await this.#deps.slots.use(signal, () => this.#fetch(file));
      if (end !== 'no room') return end === 'inspected';
    }
  }

  /** The run goes on, and lists, while documents of before are read. */
  async #waitForRoom(file: PendingFile): Promise<void> {
    const { queue } = this.#deps.ingest;
    if (queue === undefined || !(await queue.isFull())) return;
    await noteWaiting(file, QUEUE_FULL_REASON, this.#scope.source, this.#deps);
    await queue.waitForRoom(this.#scope.signal);
  }

  async #fetch(file: PendingFile): Promise<'inspected' | 'failed' | 'no room'> {
    const { source, driver, signal, tally, reportProgress } = this.#scope;
    tally.reading(file.path);
    try {
      const result = await fetchFile(file, { source, driver, signal }, this.#deps);
      this.#failuresInARow = 0;
      this.#count(file, result);
    } catch (error) {
      signal.throwIfAborted();
      if (isQueueFullError(error)) return 'no room';
      await this.#fail(file, causeOf(error));
      return 'failed';
    }
    await reportProgress(file.path);
    return 'inspected';
  }

  #count({ file }: PendingFile, result: RemoteResult): void {
    this.remembered += 1;
    const bytes = file.sizeBytes ?? 0;
    this.#scope.tally.fetched(bytes);
    this.#deps.telemetry.metrics.bytes(this.#scope.source.type, bytes);
    this.#processed(OUTCOME_OF[result.outcome]);
  }

  /** Throws what is wrong with more than this file. */
  async #fail(file: PendingFile, error: unknown): Promise<void> {
    if (isDatabaseUnavailable(error) || (error instanceof AppError && error.kind === 'SERVICE_UNAVAILABLE')) throw error;
    if (error instanceof SourceError && error.code === 'throttled') throw error;
    if (isGone(error)) return this.#processed('skipped');
    if (isDoubtful(error)) await this.#scope.driver.check(this.#scope.signal);
    this.#failuresInARow += 1;
    if (this.#failuresInARow >= MAX_FAILURES_IN_A_ROW && error instanceof SourceError) throw error;
    if (!(error instanceof SourceError)) this.#scope.log.warn({ err: error, path: file.path }, 'import of a source file failed');
    await noteFileFailure(file, error, this.#scope.source, this.#deps);
    this.remembered += 1;
    this.#processed('failed');
  }
}
