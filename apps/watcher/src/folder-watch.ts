import { stat } from 'node:fs/promises';
import { type ComponentHealth, unhealthy } from '@sheaf/contract/operations';
import { type Component, Counter, Gauge, Histogram, type Live, type Logger, Loop, type Registry } from '@sheaf/process';
import { systemCode } from '@sheaf/storage/folders';
import type { IngestRoute } from '@sheaf/vocabulary/documents';
import { worst } from '@sheaf/vocabulary/health';
import { type FSWatcher, watch } from 'chokidar';
import type { Scanner } from './scanner.ts';

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

/** Files are imported for so long at least before the next scan, even when that one is due already. */
const MIN_TAKING_MS = 1_000;

/** The error of the file system that `error` is, or was made from. */
const fileSystemError = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  return systemCode(error) === undefined ? fileSystemError(error.cause) : error.message;
};

/** Scans folders every interval, and sooner when something is seen to happen in them; imports between what is due. */
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

  /** Scans if it is time to, then imports what is due, until the next scan. Returns when there is more to do. */
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

/** What the watched folders are measured by, one for all routes of a process. */
export interface WatchMetrics {
  readonly scanned: (route: IngestRoute, files: number, seconds: number) => void;
  readonly moved: (route: IngestRoute) => void;
}

export const makeWatchMetrics = (registry: Registry): WatchMetrics => {
  const registers = [registry];
  const labelNames = ['route'] as const;
  const seconds = new Histogram({
    name: 'sheaf_watch_scan_duration_seconds',
    help: 'Duration of a scan of the watch folders, without imports',
    labelNames,
    buckets: [0.01, 0.05, 0.25, 1, 2, 5, 15, 60],
    registers,
  });
  const files = new Gauge({ name: 'sheaf_watch_files', help: 'Files found at the last scan', labelNames, registers });
  const moved = new Counter({
    name: 'sheaf_watch_files_moved_total',
    help: 'Files moved to the folder of processed files',
    labelNames,
    registers,
  });
  return {
    scanned: (route, count, took) => {
      files.set({ route }, count);
      seconds.observe({ route }, took);
    },
    moved: (route) => moved.inc({ route }),
  };
};

interface NudgerSettings {
  readonly folder: string;
  readonly depth: number | undefined;
  readonly processedFolder: string;
  readonly log: Logger;
  /** How long to wait for more after something happened. */
  readonly delayMs: () => number;
  readonly onNudge: () => void;
  /** How many folders are watched at most. */
  readonly maxFolders?: number;
  /** A folder with more files is not watched. */
  readonly maxFiles?: number;
}

/** Watches cost memory here and in the kernel, and anybody may make a million folders. */
const MAX_FOLDERS = 10_000;

/** chokidar looks at every file to find the folders: a million of them keep the process from everything else for half a minute. */
const MAX_FILES = 200_000;

/** Tells, sometimes, that something happened in a folder. Network file systems never do, so nobody may rely on it. */
export class FolderNudger {
  readonly #settings: NudgerSettings;
  #watcher: FSWatcher | undefined;
  /** Which folder is watched, as a path alone does not tell. */
  #identity: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failed = false;
  #isTooLarge = false;

  constructor(settings: NudgerSettings) {
    this.#settings = settings;
  }

  /**
   * Watches the folder that is there now, with `files` files: to be called now and then, as one that was removed and made again is another
   * one. One with too many files is left to the scans.
   */
  async look(files: number): Promise<void> {
    const { folder, log, maxFiles = MAX_FILES } = this.#settings;
    const isTooLarge = files > maxFiles;
    if (isTooLarge && !this.#isTooLarge)
      log.info({ folder, files, max_files: maxFiles }, 'many files in the watch folder, changes are found by scanning');
    this.#isTooLarge = isTooLarge;
    const identity = isTooLarge ? undefined : await identityOf(folder);
    if (identity === this.#identity) return;
    await this.#watcher?.close();
    this.#watcher = identity === undefined ? undefined : this.#watch();
    this.#identity = identity;
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#watcher?.close();
    this.#watcher = undefined;
  }

  #watch(): FSWatcher {
    const { folder, depth, processedFolder, maxFolders = MAX_FOLDERS } = this.#settings;
    const folders = new Set<string>();
    const isWatched = (path: string): boolean => {
      if (folders.size < maxFolders) folders.add(path);
      return folders.has(path);
    };
    return watch(folder, {
      // Folders alone: their raw events tell of every file in them, at one watch a folder instead of one a file.
      ignored: (path, stats) => path === processedFolder || (stats !== undefined && !(stats.isDirectory() && isWatched(path))),
      ignoreInitial: true,
      followSymlinks: false,
      ...(depth === undefined ? {} : { depth }),
    })
      .on('unlinkDir', (path) => folders.delete(path))
      .on('raw', () => this.#schedule())
      .on('ready', () => this.#schedule()) // what happened before was not announced
      .on('error', (error) => this.#fail(error));
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#settings.onNudge();
    }, this.#settings.delayMs());
  }

  #fail(error: unknown): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#settings.log.warn({ err: error }, 'file system events unavailable for the watch folder, changes are found by scanning');
  }
}

const identityOf = async (folder: string): Promise<string | undefined> => {
  const facts = await stat(folder, { bigint: true }).catch(() => undefined);
  // With the time of its birth, as the number of a removed folder is given again at once.
  return facts === undefined ? undefined : `${facts.dev}:${facts.ino}:${facts.birthtimeNs}`;
};
