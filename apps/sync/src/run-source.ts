import { AppError } from '@sheaf/contract';
import type { Source, SyncRun } from '@sheaf/db/schema';
import { recordEvent } from '@sheaf/events';
import { type Logger, sleep, withLogFields } from '@sheaf/process';
import { type SourceDriver, SourceError } from '@sheaf/sources';
import { saveRun } from '@sheaf/sources/runs';
import type { SourceProblem } from '@sheaf/vocabulary/sources';
import { settleMissing } from './removals.ts';
import { RunTally } from './run-tally.ts';
import { type PassScope, SourcePass } from './source-pass.ts';
import type { SyncDeps } from './sync-deps.ts';

/** How a run ended. */
export type RunEnd =
  | { readonly kind: 'completed' }
  | { readonly kind: 'failed'; readonly code: SourceProblem; readonly error: string; readonly retryAfterMs?: number | undefined }
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
    super(`the sync run was ${end.kind}`);
    this.end = end;
  }
}

/** How often a run is written down, and looked at whether it is to end. */
const SAVE_EVERY_MS = 1_000;
const OWNER_MAY_NOT = 'The owner of this source is disabled or no longer allowed to create documents.';

const neverThere = (): SourceError =>
  new SourceError('protocol', 'The source lists many files, but most of them do not exist when they are downloaded.');

/** One pass over a source: lists all of it, fetches what is new or changed, settles what is gone. */
export class SourceRun {
  readonly tally: RunTally;
  readonly #source: Source;
  readonly #run: SyncRun;
  readonly #deps: SyncDeps;
  readonly #log: Logger;
  readonly #abort = new AbortController();
  readonly #startedAt: Date;
  /** Fetched files of the last listing that the next one will know. */
  #remembered = 0;
  /** What of the progress has not been told yet. */
  #toldProcessed = 0;
  /** Progress is told one after the other, or files that are fetched beside each other would let it jump back. */
  #telling: Promise<void> = Promise.resolve();

  constructor(source: Source, run: SyncRun, deps: SyncDeps) {
    this.#source = source;
    this.#run = run;
    this.#deps = deps;
    this.#log = deps.telemetry.log;
    this.#startedAt = run.startedAt ?? deps.clock.now();
    this.tally = new RunTally(run);
  }

  /** Ends the run soon, as something else shows that it is to. */
  look(): Promise<void> {
    return this.#save();
  }

  /** Never throws but for the database, or a mistake of ours: then the run is open, and goes on later. */
  execute(stop: AbortSignal): Promise<RunEnd> {
    return withLogFields({ source_id: this.#source.id, run_id: this.#run.id }, () => this.#execute(stop));
  }

  async #execute(stop: AbortSignal): Promise<RunEnd> {
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
    if (error instanceof SourceError) return { kind: 'failed', code: error.code, error: error.message, retryAfterMs: error.retryAfterMs };
    if (error instanceof AppError) return { kind: 'failed', code: 'failed', error: error.message };
    throw error;
  }

  async #work(): Promise<void> {
    const driver = this.#deps.openDriver(this.#source);
    try {
      while (await this.#pass(driver)) {
        // Another listing is worth it only where this one has left fewer files to be fetched.
        if (this.#remembered < this.#deps.settings.maxPendingFiles / 2) throw neverThere();
        this.tally.restart();
      }
    } finally {
      await driver.close();
    }
  }

  /** True when there were more new files than fit into memory: then everything is listed once more. */
  async #pass(driver: SourceDriver): Promise<boolean> {
    const scope = this.#scope(driver);
    const pass = await SourcePass.run(scope, this.#deps);
    this.#remembered = pass.remembered;
    if (pass.hasOverflowed) return true;
    const { met, unseenFolders, upToId } = pass;
    await settleMissing({ ...scope, met, unseenFolders, upToId }, this.#deps.ingest);
    return false;
  }

  #scope(driver: SourceDriver): PassScope {
    return {
      source: this.#source,
      startedAt: this.#startedAt,
      isByHand: this.#run.trigger === 'manual',
      driver,
      tally: this.tally,
      log: this.#log,
      signal: this.#abort.signal,
      abort: (error) => this.#abort.abort(error),
      reportProgress: (path) => this.#tell(path),
    };
  }

  async #tick(signal: AbortSignal): Promise<void> {
    while (await sleep(SAVE_EVERY_MS, signal)) {
      try {
        await this.#save();
        await this.#tellOfOthers();
      } catch (error) {
        this.#log.debug({ err: error }, 'sync progress could not be stored'); // what works on the files finds out by itself
      }
    }
  }

  async #save(): Promise<void> {
    const { ingest, settings } = this.#deps;
    const news = await saveRun(ingest.db, this.#run.id, this.tally.counters, settings);
    if (news === undefined) this.#stop({ kind: 'gone' });
    else if (news.isCancelled || !news.isEnabled) this.#stop({ kind: 'cancelled' });
    else if (!news.mayOwnerMakeDocuments) this.#stop({ kind: 'failed', code: 'failed', error: OWNER_MAY_NOT });
    else if (news.changedAt.getTime() !== this.#source.updatedAt.getTime()) this.#stop({ kind: 'interrupted' });
  }

  /** Files that are fetched are told of one by one; the others now and then. */
  async #tellOfOthers(): Promise<void> {
    const { processed, currentFile } = this.tally.counters;
    if (processed !== this.#toldProcessed) await this.#tell(currentFile);
  }

  #tell(currentFile: string | null): Promise<void> {
    const { ingest } = this.#deps;
    const { processed, total } = this.tally.progress();
    this.#toldProcessed = this.tally.counters.processed;
    const event = { type: 'sync_progress', source_id: this.#source.id, processed, total, current_file: currentFile } as const;
    const told = this.#telling.then(() => recordEvent(ingest.db, event, this.#source.ownerId));
    this.#telling = told.catch(() => undefined); // whoever waits for it hears of it
    return told;
  }
}
