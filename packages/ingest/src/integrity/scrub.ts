import { AppError } from '@sheaf/contract';
import { type ComponentHealth, foundProblems, makeProblem, type ServiceProblem } from '@sheaf/contract/operations';
import type { Db } from '@sheaf/db';
import { lockStoredBytes, referencedHashes } from '@sheaf/documents';
import { type AlertAudience, clearAlert, raiseAlert } from '@sheaf/events/notifications';
import { type Clock, type Component, type Live, type Logger, Loop, sleep } from '@sheaf/process';
import { isReading } from '@sheaf/queue';
import { documentKey, type Storage } from '@sheaf/storage';
import { checkStoredFile, type FileState, type ReadOptions } from './check-stored-file.ts';
import {
  type CheckedFile,
  countFindings,
  type DueFile,
  type FindingCounts,
  findDueFiles,
  findOldestFinding,
  forgetFileChecks,
  lockFindings,
  readStoredFileTotals,
  recordFileChecks,
  type StoredFileTotals,
} from './queries/stored-file-checks.ts';

/** What a disk does beside its work without anybody noticing. */
const MAX_BYTES_PER_SECOND = 20_000_000;
const SECOND_LOOK_MS = 10_000;

/** Reads the stored originals again and again, and says in its health what is wrong with them. To be run by one process alone. */
export class Scrub implements Component {
  readonly name = STORED_FILES;
  readonly #scrubber: Scrubber;
  readonly #loop: Loop;

  /** `periodMs` says in how much time every original is to be read once. Undefined: none is. */
  constructor(deps: ScrubDeps, periodMs: Live<number | undefined>) {
    this.#scrubber = new Scrubber(deps, { periodMs, maxBytesPerSecond: MAX_BYTES_PER_SECOND, secondLookMs: SECOND_LOOK_MS });
    this.#loop = new Loop({
      name: 'scrub',
      intervalMs: 60_000,
      log: deps.log,
      nudgedBy: periodMs,
      run: (signal) => this.#scrubber.step(signal),
    });
  }

  start(): Promise<void> {
    return this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  health(): ComponentHealth {
    const found = healthOfFindings(this.#scrubber.findings);
    return found.status === 'healthy' ? this.#loop.health() : found;
  }
}

const MINUTE_MS = 60_000;
/** Findings are read anew so often: what was restored from a backup by hand is soon known to be right. */
const FINDING_AGE_MS = 60 * MINUTE_MS;
/** Totals, and what is due next, are read through the hashes of all documents. */
const TOTALS_AGE_MS = 10 * MINUTE_MS;

export interface ScrubMetrics {
  /** Bytes that were read. */
  readonly read: (bytes: number) => void;
  readonly seen: (totals: StoredFileTotals, findings: FindingCounts) => void;
}

interface ScrubDeps {
  readonly db: Db;
  readonly alerts: Live<AlertAudience>;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ScrubMetrics;
}

interface ScrubSettings {
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
    this.#report();
  }

  #report(): void {
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
      this.#report();
      return 'looked';
    } catch (error) {
      if (!(error instanceof AppError && error.kind === 'SERVICE_UNAVAILABLE')) throw error;
      log.debug({ err: error, sha256 }, 'stored file not verified: storage unavailable');
      return 'storage-away';
    }
  }
}

/** To open a file costs as much as to read so many bytes. */
const OPENING_BYTES = 100_000;
/** A round is planned to be done so much before its time, as a service may stand for a while. */
const PLANNED_SHARE = 0.8;
/** Who is late goes so much faster. */
const HURRY = 4;
/** However few files there are: more may have come meanwhile. */
const MAX_PAUSE_MS = 3_600_000;

/** Of a large library, as many are looked up at once as are read in half an hour or so: to find them reads through all hashes. */
export const filesAtOnce = (files: number): number => Math.min(10_000, Math.max(100, Math.ceil(files / 1_000)));

/** After how long a file is due again that must be read once in `periodMs`. */
export const dueAfterMs = (periodMs: number): number => periodMs * PLANNED_SHARE;

/** Whether the file should have been read by now. */
export const isLate = ({ deadline }: DueFile, now: Date): boolean => deadline < now;

/** How long to rest after `file`, so that all of them are read within `periodMs`, as evenly as their sizes allow. */
export const pauseAfter = (
  file: DueFile,
  { files, bytes }: Pick<StoredFileTotals, 'files' | 'bytes'>,
  periodMs: number,
  now: Date,
): number => {
  const share = (file.sizeBytes + OPENING_BYTES) / Math.max(file.sizeBytes + OPENING_BYTES, bytes + files * OPENING_BYTES);
  const pauseMs = dueAfterMs(periodMs) * share;
  return Math.min(MAX_PAUSE_MS, isLate(file, now) ? pauseMs / HURRY : pauseMs);
};

/** Makes what is called after each piece of a file wait, so that no more than `bytesPerSecond` are read. */
export const makeThrottle = (bytesPerSecond: number, signal: AbortSignal): ((bytes: number) => Promise<void>) => {
  const startedAt = performance.now();
  let readBytes = 0;
  return async (bytes) => {
    readBytes += bytes;
    const aheadMs = startedAt + (readBytes / bytesPerSecond) * 1_000 - performance.now();
    if (aheadMs > 1) await sleep(aheadMs, signal);
  };
};

interface LookDeps {
  readonly db: Db;
  readonly storage: Storage;
}

interface LookOptions extends ReadOptions {
  /** Between the first look, where it found something, and the second. */
  readonly pauseMs: number;
}

/**
 * Reads the original with this hash, and again where something is wrong with it: what was only on its way is no finding. Answers
 * 'unreferenced' where no document has these bytes any more. Throws SERVICE_UNAVAILABLE where the storage does not work.
 */
export const lookTwice = async (
  deps: LookDeps,
  sha256: string,
  { pauseMs, ...options }: LookOptions,
): Promise<FileState | 'unreferenced'> => {
  if ((await checkStoredFile(deps.storage, sha256, options)) === 'ok') return 'ok';
  await sleep(pauseMs, options.signal ?? new AbortController().signal);
  options.signal?.throwIfAborted();
  const state = await checkStoredFile(deps.storage, sha256, options);
  if (state === 'ok') return state;
  const presence = await findPresence(deps, sha256);
  if (presence === 'unreferenced') return presence;
  return state === 'missing' && presence === 'present' ? checkStoredFile(deps.storage, sha256, options) : state;
};

/**
 * Whether bytes and rows belong together now, as nobody can see it who comes between them: a deletion takes the rows first, and one
 * who moves an object from storage to storage takes it from the place that was asked last to the one that was asked first.
 */
const findPresence = ({ db, storage }: LookDeps, sha256: string): Promise<'unreferenced' | 'absent' | 'present'> =>
  db.transaction(async (tx) => {
    await lockStoredBytes(tx, sha256, 'share');
    if ((await referencedHashes(tx, [sha256])).size === 0) return 'unreferenced';
    return (await storage.stat(documentKey(sha256))) === undefined ? 'absent' : 'present';
  });

/** What health and alerts call it. */
export const STORED_FILES = 'stored_files';

/** Before anything was looked at. */
const NO_FINDINGS: FindingCounts = { missing: 0, changed: 0, unreadable: 0 };

const total = (counts: FindingCounts): number => counts.missing + counts.changed + counts.unreadable;

const problemIn = (counts: FindingCounts): ServiceProblem => {
  const { missing, changed: damaged, unreadable } = counts;
  return makeProblem('stored_files_damaged', { files: total(counts), missing, damaged, unreadable });
};

const healthOfFindings = (counts: FindingCounts): ComponentHealth =>
  total(counts) === 0 ? { status: 'healthy' } : foundProblems('warning', [problemIn(counts)]);

/** Bytes that are lost here are worse than what a disk may still return. */
const levelOf = (counts: FindingCounts): 'critical' | 'warning' => (counts.missing + counts.changed > 0 ? 'critical' : 'warning');

/** Who keeps the findings, and who is notified of them. */
interface FindingsDeps {
  readonly db: Db;
  readonly alerts: Live<AlertAudience>;
}

/** Changes what is known of stored files, and tells when it becomes worse than it was, or when all is well again. */
const changeFindings = ({ db, alerts }: FindingsDeps, change: (tx: Db) => Promise<void>): Promise<FindingCounts> =>
  db.transaction(async (tx) => {
    await lockFindings(tx);
    await change(tx);
    const counts = await countFindings(tx);
    if (total(counts) > 0)
      await raiseAlert(tx, alerts.current(), { component: STORED_FILES, level: levelOf(counts), problems: [problemIn(counts)] });
    else await clearAlert(tx, alerts.current(), { component: STORED_FILES, problems: [makeProblem('stored_files_valid')] });
    return counts;
  });

/** Writes down what was seen of files, and returns what is wrong now. The first finding, and the end of the last one, are told as alerts. */
export const noteFileChecks = (deps: FindingsDeps, checked: readonly CheckedFile[]): Promise<FindingCounts> =>
  changeFindings(deps, (tx) => recordFileChecks(tx, checked));

/** What is wrong now, without what went with its documents. */
const currentFindings = (deps: FindingsDeps): Promise<FindingCounts> => changeFindings(deps, (tx) => forgetFileChecks(tx, 'findings'));
