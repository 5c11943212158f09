import { setImmediate } from 'node:timers/promises';
import { AppError, type SheafEvent } from '@sheaf/contract';
import { findHighestFileId, isDatabaseUnavailable, markFilesBack, recordEvent, type Source, type SyncRun, saveRun } from '@sheaf/db';
import { makeNamePatterns } from '@sheaf/file-tree';
import type { RemoteResult } from '@sheaf/ingest';
import { type Logger, sleep } from '@sheaf/runtime';
import { type Listing, type SourceDriver, SourceError } from '@sheaf/sources';
import { type Comparison, compareFile, outcomeOfSkipped } from './compare-file.ts';
import { fetchFile } from './fetch-file.ts';
import { causeOf, isDoubtful, isGone, noteFileFailure } from './file-failure.ts';
import { IdSet } from './id-set.ts';
import { type IgnoredListed, type ListedFile, lookUpListed, noteIgnored } from './listing-notes.ts';
import { type PendingFile, PendingFiles } from './pending-files.ts';
import { settleMissing } from './removals.ts';
import { RunTally } from './run-tally.ts';
import type { SyncDeps } from './sync-deps.ts';
import type { FileOutcome } from './sync-metrics.ts';

/** How a run ended. */
export type RunEnd =
  | { readonly kind: 'completed' }
  | { readonly kind: 'failed'; readonly error: string; readonly retryAfterMs?: number | undefined }
  | { readonly kind: 'cancelled' }
  /** It is over already, or its source gone: there is nothing to write. */
  | { readonly kind: 'gone' }
  /** It goes on later: the process stops, or the source was changed. */
  | { readonly kind: 'interrupted' };

/** Why a run is to stop before its end. */
class Stopped extends Error {
  override readonly name = 'Stopped';
  readonly end: RunEnd;

  constructor(end: RunEnd) {
    super(`the run was ${end.kind}`);
    this.end = end;
  }
}

/** How often a run is written down, and looked at whether it is to end. */
const SAVE_EVERY_MS = 1_000;
/** For how long a batch is compared without a pause. */
const MAX_BUSY_MS = 50;
/** Files that fail one after the other, and none that does not: it is not the files. */
const MAX_FAILURES_IN_A_ROW = 20;

const OWNER_MAY_NOT = 'The owner of this source is disabled or may not make documents any more';

const neverThere = (): SourceError =>
  new SourceError('protocol', 'The source lists many files, and most of them are not there when they are fetched.');

const OUTCOME_OF: Readonly<Record<RemoteResult['outcome'], FileOutcome>> = {
  added: 'added',
  updated: 'updated',
  moved: 'moved',
  unchanged: 'skipped',
  duplicate: 'skipped',
  refused: 'skipped',
};

/** What one listing has shown so far. */
interface Pass {
  readonly driver: SourceDriver;
  readonly pending: PendingFiles;
  readonly comparison: Comparison;
  readonly upToId: number;
  readonly met: IdSet;
  readonly unseenFolders: string[];
}

/** One pass over a source: lists all of it, fetches what is new or changed, settles what is gone. */
export class SourceRun {
  readonly tally: RunTally;
  readonly #source: Source;
  readonly #run: SyncRun;
  readonly #deps: SyncDeps;
  readonly #log: Logger;
  readonly #abort = new AbortController();
  readonly #startedAt: Date;
  #failuresInARow = 0;
  /** Fetched files of this listing that the next one will know. */
  #remembered = 0;
  /** What of the progress has not been told yet. */
  #toldProcessed = 0;

  constructor(source: Source, run: SyncRun, deps: SyncDeps) {
    this.#source = source;
    this.#run = run;
    this.#deps = deps;
    this.#log = deps.log.child({ source_id: source.id, run_id: run.id });
    this.#startedAt = run.startedAt ?? deps.clock.now();
    this.tally = new RunTally(run);
  }

  /** Ends the run soon, as something else shows that it is to. */
  look(): Promise<void> {
    return this.#save();
  }

  /** Never throws but for the database, or a mistake of ours: then the run is open, and goes on later. */
  async execute(stop: AbortSignal): Promise<RunEnd> {
    const onStop = (): void => this.#stop({ kind: 'interrupted' });
    stop.addEventListener('abort', onStop, { once: true });
    if (stop.aborted) onStop();
    const ticker = new AbortController();
    const ticking = this.#tick(ticker.signal);
    try {
      await this.#save();
      this.#abort.signal.throwIfAborted();
      await this.#work();
      return { kind: 'completed' };
    } catch (error) {
      return this.#toEnd(error);
    } finally {
      stop.removeEventListener('abort', onStop);
      ticker.abort();
      await ticking;
    }
  }

  #stop(end: RunEnd): void {
    this.#abort.abort(new Stopped(end));
  }

  #toEnd(error: unknown): RunEnd {
    const reason: unknown = this.#abort.signal.reason;
    if (this.#abort.signal.aborted && reason instanceof Stopped) return reason.end;
    if (error instanceof SourceError) return { kind: 'failed', error: error.message, retryAfterMs: error.retryAfterMs };
    if (error instanceof AppError) return { kind: 'failed', error: error.message };
    throw error;
  }

  async #work(): Promise<void> {
    const driver = this.#deps.openDriver(this.#source);
    try {
      while (await this.#pass(driver)) {
        // Another listing is worth it only where this one has left fewer files to be fetched.
        if (this.#remembered < this.#deps.settings.maxPendingFiles / 2) throw neverThere();
        this.#remembered = 0;
        this.tally.restart();
      }
    } finally {
      await driver.close();
    }
  }

  /** True when there were more new files than fit into memory: then everything is listed once more. */
  async #pass(driver: SourceDriver): Promise<boolean> {
    const { ingest, settings } = this.#deps;
    const pass: Pass = {
      driver,
      pending: new PendingFiles(settings.maxPendingFiles),
      comparison: this.#comparison(),
      upToId: await findHighestFileId(ingest.db, this.#source.id),
      met: new IdSet(),
      unseenFolders: [],
    };
    await this.#listAndFetch(pass);
    if (pass.pending.hasOverflowed) return true;
    const { source, startedAt, tally, signal } = {
      source: this.#source,
      startedAt: this.#startedAt,
      tally: this.tally,
      signal: this.#abort.signal,
    };
    const isByHand = this.#run.trigger === 'manual';
    await settleMissing(
      {
        source,
        startedAt,
        tally,
        signal,
        isByHand,
        ...pass,
      },
      ingest,
    );
    return false;
  }

  #comparison(): Comparison {
    const { settings, clock } = this.#deps;
    const { allowedExtensions, maxFileBytes } = settings;
    return {
      rules: {
        isWanted: makeNamePatterns({ patterns: this.#source.filePatterns, ignorePatterns: [] }).isWanted,
        allowedExtensions,
        maxBytes: maxFileBytes,
      },
      now: clock.now(),
      startedAt: this.#startedAt,
      isByHand: this.#run.trigger === 'manual',
    };
  }

  /** Fetches while it lists. What was listed before a listing broke is fetched all the same, so that the next run has less to do. */
  async #listAndFetch(pass: Pass): Promise<void> {
    const lanes = Array.from({ length: this.#deps.settings.parallelDownloads }, () => this.#fetchAll(pass));
    const fetching = Promise.all(lanes).catch((error: unknown) => {
      pass.pending.drop();
      this.#abort.abort(error);
      throw error;
    });
    const [listed, fetched] = await Promise.allSettled([this.#listAll(pass), fetching]);
    await Promise.allSettled(lanes);
    if (fetched.status === 'rejected') throw fetched.reason;
    if (listed.status === 'rejected') throw listed.reason;
  }

  async #listAll(pass: Pass): Promise<void> {
    try {
      for await (const listing of pass.driver.list(this.#abort.signal)) await this.#compare(listing, pass);
    } finally {
      if (this.#abort.signal.aborted) pass.pending.drop();
      else pass.pending.end();
    }
  }

  async #compare(listing: Listing, pass: Pass): Promise<void> {
    const { ingest } = this.#deps;
    const ignored: IgnoredListed[] = [];
    const back: number[] = [];
    for (const { path, isFolder } of listing.refused) if (isFolder) pass.unseenFolders.push(path.replace(/\/$/, ''));
    const entries = await lookUpListed(listing, this.#source.id, ingest);
    this.tally.listed(entries.length);
    let sinceMs = performance.now();
    for (const { listed, known } of entries) {
      // Intricate patterns over long paths take their time: the process answers meanwhile, and the run can be ended.
      if (performance.now() - sinceMs > MAX_BUSY_MS) {
        await setImmediate();
        this.#abort.signal.throwIfAborted();
        sinceMs = performance.now();
      }
      if (known !== undefined) pass.met.add(known.id);
      const verdict = this.#judge(listed, known, pass);
      if (verdict.kind === 'fetch') pass.pending.add({ file: listed.file, path: listed.path, known });
      else if (verdict.kind === 'ignore') ignored.push({ listed, reason: verdict.reason });
      else if (verdict.kind === 'back' && known !== undefined) back.push(known.id);
      if (verdict.kind === 'ignore' || known === undefined) this.#countUnlessFetched(verdict.kind, 'skipped');
      else this.#countUnlessFetched(verdict.kind, outcomeOfSkipped(known, this.#startedAt));
    }
    await noteIgnored(ignored, this.#source, ingest);
    if (back.length > 0) await ingest.db.transaction((tx) => markFilesBack(tx, this.#source.id, back));
  }

  #judge(listed: ListedFile, known: PendingFile['known'], { comparison }: Pass): ReturnType<typeof compareFile> {
    if (listed.refusal === undefined) return compareFile(listed.file, known, comparison);
    return known === undefined ? { kind: 'ignore', reason: listed.refusal } : { kind: 'skip' };
  }

  #countUnlessFetched(kind: ReturnType<typeof compareFile>['kind'], outcome: FileOutcome): void {
    if (kind !== 'fetch') this.#processed(outcome);
  }

  #processed(outcome: FileOutcome): void {
    this.tally.processed(outcome);
    this.#deps.metrics.file(this.#source.type, outcome);
  }

  async #fetchAll({ pending, driver }: Pass): Promise<void> {
    const { signal } = this.#abort;
    for (let file = await pending.next(); file !== undefined; file = await pending.next()) {
      const next = file;
      await this.#deps.slots.use(signal, () => this.#fetch(next, driver));
    }
  }

  async #fetch(file: PendingFile, driver: SourceDriver): Promise<void> {
    const { signal } = this.#abort;
    this.tally.reading(file.path);
    try {
      const result = await fetchFile(file, { source: this.#source, driver, signal, alsoTell: () => [this.#progress(1)] }, this.#deps);
      this.#failuresInARow = 0;
      this.#count(file, result);
    } catch (error) {
      signal.throwIfAborted();
      await this.#fail(file, causeOf(error), driver);
    }
  }

  #count({ file }: PendingFile, result: RemoteResult): void {
    this.#remembered += 1;
    const bytes = file.sizeBytes ?? 0;
    this.tally.fetched(bytes);
    this.#deps.metrics.bytes(this.#source.type, bytes);
    this.#processed(OUTCOME_OF[result.outcome]);
    this.#toldProcessed = this.tally.counters.processed;
  }

  /** Throws what is wrong with more than this file. */
  async #fail(file: PendingFile, error: unknown, driver: SourceDriver): Promise<void> {
    if (isDatabaseUnavailable(error) || (error instanceof AppError && error.kind === 'SERVICE_UNAVAILABLE')) throw error;
    if (error instanceof SourceError && error.code === 'throttled') throw error;
    if (isGone(error)) return this.#processed('skipped');
    if (isDoubtful(error)) await driver.check(this.#abort.signal);
    this.#failuresInARow += 1;
    if (this.#failuresInARow >= MAX_FAILURES_IN_A_ROW && error instanceof SourceError) throw error;
    if (!(error instanceof SourceError)) this.#log.warn({ err: error, path: file.path }, 'file of a source could not be taken in');
    await noteFileFailure(file, error, this.#source, this.#deps);
    this.#remembered += 1;
    this.#processed('failed');
  }

  #progress(ahead = 0): SheafEvent {
    const { processed, total, currentFile } = this.tally.counters;
    return { type: 'sync_progress', source_id: this.#source.id, processed: processed + ahead, total, current_file: currentFile };
  }

  async #tick(signal: AbortSignal): Promise<void> {
    while (await sleep(SAVE_EVERY_MS, signal)) {
      try {
        await this.#save();
        await this.#tell();
      } catch (error) {
        this.#log.debug({ err: error }, 'progress could not be saved'); // what works on the files finds out by itself
      }
    }
  }

  async #save(): Promise<void> {
    const { ingest, settings } = this.#deps;
    const news = await saveRun(ingest.db, this.#run.id, this.tally.counters, settings);
    if (news === undefined) this.#stop({ kind: 'gone' });
    else if (news.isCancelled || !news.isEnabled) this.#stop({ kind: 'cancelled' });
    else if (!news.mayOwnerMakeDocuments) this.#stop({ kind: 'failed', error: OWNER_MAY_NOT });
    else if (news.changedAt.getTime() !== this.#source.updatedAt.getTime()) this.#stop({ kind: 'interrupted' });
  }

  /** Files that are fetched are told of one by one; the others now and then. */
  async #tell(): Promise<void> {
    const { processed } = this.tally.counters;
    if (processed === this.#toldProcessed) return;
    this.#toldProcessed = processed;
    await recordEvent(this.#deps.ingest.db, this.#progress(), this.#source.ownerId);
  }
}
