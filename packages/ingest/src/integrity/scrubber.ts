import { AppError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { AlertAudience } from '@sheaf/events/notifications';
import type { Clock, Live, Logger } from '@sheaf/process';
import { isReading } from '@sheaf/queue';
import type { Storage } from '@sheaf/storage';
import { currentFindings, NO_FINDINGS, noteFileChecks } from './findings.ts';
import { lookTwice } from './look-twice.ts';
import {
  type DueFile,
  type FindingCounts,
  findDueFiles,
  findOldestFinding,
  forgetFileChecks,
  readStoredFileTotals,
  type StoredFileTotals,
} from './queries/stored-file-checks.ts';
import { dueAfterMs, filesAtOnce, isLate, makeThrottle, pauseAfter } from './scrub-pace.ts';

const MINUTE_MS = 60_000;
/** Findings are read anew so often: what was put back from a backup by hand is soon known to be right. */
const FINDING_AGE_MS = 60 * MINUTE_MS;
/** Totals, and what is due next, are read through the hashes of all documents. */
const TOTALS_AGE_MS = 10 * MINUTE_MS;

export interface ScrubMetrics {
  /** Bytes that were read. */
  readonly read: (bytes: number) => void;
  readonly seen: (totals: StoredFileTotals, findings: FindingCounts) => void;
}

export interface ScrubDeps {
  readonly db: Db;
  readonly alerts: Live<AlertAudience>;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ScrubMetrics;
}

export interface ScrubSettings {
  /** In which every original is read once; undefined: none is. */
  readonly periodMs: Live<number | undefined>;
  readonly maxBytesPerSecond: number;
  /** Between the two looks at a file that seems to be wrong. */
  readonly secondLookMs: number;
}

type Look = 'looked' | 'storage-away';

/** Reads all stored originals over a long time, a file at a time. What it knows is in the database, so it goes on where it was. */
export class Scrubber {
  readonly #deps: ScrubDeps;
  readonly #settings: ScrubSettings;
  #findings: FindingCounts = NO_FINDINGS;
  #totals: StoredFileTotals | undefined;
  #totalsAt = 0;
  #batch: DueFile[] = [];
  #nextAt = 0;
  #wasFinding = false;

  constructor(deps: ScrubDeps, settings: ScrubSettings) {
    this.#deps = deps;
    this.#settings = settings;
  }

  /** What is wrong, as of the last step. */
  get findings(): FindingCounts {
    return this.#findings;
  }

  /** Reads at most one file, and returns after how many milliseconds to call it again. Ends soon after `signal` is aborted. */
  async step(signal: AbortSignal): Promise<number> {
    const now = this.#deps.clock.now();
    this.#findings = await currentFindings(this.#deps);
    await this.#refreshTotals(now);
    const periodMs = this.#settings.periodMs.current();
    if (periodMs === undefined) return MINUTE_MS;
    // In turns, so that neither many findings nor many files let the others wait for ever.
    const isTurnOfFinding = !this.#wasFinding || now.getTime() < this.#nextAt;
    const old = isTurnOfFinding ? await findOldestFinding(this.#deps.db, new Date(now.getTime() - FINDING_AGE_MS)) : undefined;
    this.#wasFinding = old !== undefined;
    if (old !== undefined) return (await this.#look(old.sha256, signal)) === 'looked' ? 0 : MINUTE_MS;
    return Math.min(MINUTE_MS, await this.#lookAtNext(now, periodMs, signal));
  }

  async #refreshTotals(now: Date): Promise<void> {
    if (this.#totals === undefined || now.getTime() - this.#totalsAt >= TOTALS_AGE_MS) {
      await forgetFileChecks(this.#deps.db, 'all');
      this.#totals = await readStoredFileTotals(this.#deps.db);
      this.#totalsAt = now.getTime();
    }
    this.#tell();
  }

  #tell(): void {
    if (this.#totals !== undefined) this.#deps.metrics.seen(this.#totals, this.#findings);
  }

  async #lookAtNext(now: Date, periodMs: number, signal: AbortSignal): Promise<number> {
    const restMs = this.#nextAt - now.getTime();
    if (restMs > 0) return restMs;
    const file = await this.#next(now, periodMs);
    if (file === undefined) return this.#rest(now, TOTALS_AGE_MS);
    // Those who wait for a document to be read have the disk before us, unless they have it all the time.
    if (!isLate(file, now) && (await isReading(this.#deps.db))) return this.#rest(now, MINUTE_MS / 4);
    this.#batch.shift();
    if ((await this.#look(file.sha256, signal)) === 'storage-away') {
      this.#batch.push(file);
      return this.#rest(now, MINUTE_MS);
    }
    return this.#rest(now, pauseAfter(file, this.#totals ?? { files: 1, bytes: 0 }, periodMs, now));
  }

  #rest(now: Date, ms: number): number {
    this.#nextAt = now.getTime() + ms;
    return ms;
  }

  async #next(now: Date, periodMs: number): Promise<DueFile | undefined> {
    if (this.#batch.length === 0) {
      const limit = filesAtOnce(this.#totals?.files ?? 0);
      this.#batch = await findDueFiles(this.#deps.db, { now, dueAfterMs: dueAfterMs(periodMs), periodMs, limit });
    }
    return this.#batch[0];
  }

  /** Nothing is known of a file while its storage is away: that is told by the health of the storage. */
  async #look(sha256: string, signal: AbortSignal): Promise<Look> {
    const { clock, log, metrics } = this.#deps;
    const throttle = makeThrottle(this.#settings.maxBytesPerSecond, signal);
    const onBytes = (bytes: number): Promise<void> => {
      metrics.read(bytes);
      return throttle(bytes);
    };
    try {
      const state = await lookTwice(this.#deps, sha256, { signal, onBytes, pauseMs: this.#settings.secondLookMs });
      if (state === 'unreferenced') return 'looked';
      const finding = state === 'ok' ? undefined : state;
      if (finding !== undefined) log.warn({ sha256, finding }, 'stored file missing or damaged');
      this.#findings = await noteFileChecks(this.#deps, [{ sha256, finding, at: clock.now() }]);
      this.#tell();
      return 'looked';
    } catch (error) {
      if (!(error instanceof AppError && error.kind === 'SERVICE_UNAVAILABLE')) throw error;
      log.debug({ err: error, sha256 }, 'stored file not verified: storage unavailable');
      return 'storage-away';
    }
  }
}
