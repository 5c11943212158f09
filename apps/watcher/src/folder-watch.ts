import { type ComponentHealth, unhealthy } from '@sheaf/contract/operations';
import { type Component, type Live, type Logger, Loop } from '@sheaf/process';
import { systemCode } from '@sheaf/storage/folders';
import type { IngestRoute } from '@sheaf/vocabulary/documents';
import { worst } from '@sheaf/vocabulary/health';
import { FolderNudger } from './folder-nudger.ts';
import type { Scanner } from './scanner.ts';
import type { WatchMetrics } from './watch-metrics.ts';

export interface FolderWatchSettings {
  readonly name: string;
  readonly route: IngestRoute;
  /** What notifications are asked for: the one watched folder, or the one that holds the folders of all users. */
  readonly folder: string;
  /** What names `folder`. */
  readonly variable: 'WATCH_FOLDER' | 'USER_WATCH_BASE_DIR';
  /** How many folders deep notifications are wanted below `folder`; undefined for all of them. */
  readonly depth: number | undefined;
  /** Nothing that happens in here matters. */
  readonly processedFolder: string;
  /** Between two scans. */
  readonly intervalMs: Live<number>;
  readonly scanner: Scanner;
  readonly metrics: WatchMetrics;
  readonly log: Logger;
}

/** After a nudge: long enough for a burst to gather, and so long that scanning takes a tenth of the time at most. */
const MIN_NUDGE_DELAY_MS = 250;
const SCANS_BETWEEN_NUDGES = 10;

/** Files are taken in for so long at least before the next scan, even when that one is due already. */
const MIN_TAKING_MS = 1_000;

/** The error of the file system that `error` is, or was made from. */
const fileSystemError = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  return systemCode(error) === undefined ? fileSystemError(error.cause) : error.message;
};

/** Scans folders every interval, and sooner when something is seen to happen in them; takes in between what is due. */
export class FolderWatch implements Component {
  readonly name: string;
  readonly #settings: FolderWatchSettings;
  readonly #loop: Loop;
  readonly #nudger: FolderNudger;
  #unsubscribe: (() => void) | undefined;
  #lastScanMs = Number.NEGATIVE_INFINITY;
  #nextScanMs = 0;
  #isNudged = false;
  #lastScanTookMs = 0;
  /** Why the folder could not be looked through the last time. */
  #fault: string | undefined;

  constructor(settings: FolderWatchSettings) {
    const { name, intervalMs, log } = settings;
    this.name = name;
    this.#settings = settings;
    this.#loop = new Loop({ name: `${name}-scan`, intervalMs: intervalMs.current(), log, run: (signal) => this.#round(signal) });
    this.#nudger = new FolderNudger({
      ...settings,
      delayMs: () => Math.max(MIN_NUDGE_DELAY_MS, this.#lastScanTookMs * SCANS_BETWEEN_NUDGES),
      onNudge: () => this.#nudge(),
    });
  }

  start(): Promise<void> {
    this.#unsubscribe ??= this.#settings.intervalMs.subscribe((intervalMs) => this.#reschedule(intervalMs));
    return this.#loop.start();
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    await this.#loop.stop();
    await this.#nudger.stop();
  }

  health(): ComponentHealth {
    const { folder, variable } = this.#settings;
    if (this.#fault !== undefined) return unhealthy('watch_folder_unusable', { folder, variable, error: this.#fault });
    const findings = [this.#loop.health(), this.#settings.scanner.health()];
    const status = worst(findings.map((finding) => finding.status));
    return findings.find((finding) => finding.status === status) ?? { status };
  }

  #reschedule(intervalMs: number): void {
    this.#nextScanMs = this.#lastScanMs + intervalMs;
    this.#loop.nudge();
  }

  #nudge(): void {
    this.#isNudged = true;
    this.#loop.nudge();
  }

  /** Scans if it is time to, then takes in what is due, until the next scan. Returns when there is more to do. */
  async #round(signal: AbortSignal): Promise<number> {
    if (this.#isNudged || performance.now() >= this.#nextScanMs) await this.#scan(signal);
    const { scanner, log, name } = this.#settings;
    const taken = await scanner.takeDue(Math.max(this.#nextScanMs, performance.now() + MIN_TAKING_MS), signal);
    if (taken > 0) log.debug({ watch: name, taken }, 'files imported');
    const nextMs = Math.min(this.#nextScanMs, scanner.nextDueMs ?? Number.POSITIVE_INFINITY);
    return Math.max(0, nextMs - performance.now());
  }

  async #scan(signal: AbortSignal): Promise<void> {
    const { scanner, metrics, route, intervalMs, log, name } = this.#settings;
    const startedMs = performance.now();
    this.#isNudged = false;
    const { files, tookMs } = await scanner.scan(signal).catch((error: unknown) => {
      this.#isNudged = true; // so that the next round, which comes soon, tries again
      this.#fault = fileSystemError(error);
      throw error;
    });
    this.#fault = undefined;
    // Counted from the beginning, or a file would wait for as long as the files before it take.
    this.#lastScanMs = startedMs;
    this.#nextScanMs = startedMs + intervalMs.current();
    this.#lastScanTookMs = tookMs;
    await this.#nudger.look(files); // after the scan, which makes the folder where it is absent
    metrics.scanned(route, files, tookMs / 1_000);
    log.debug({ watch: name, files, took_ms: Math.round(tookMs) }, 'scanned');
  }
}
