import { type ComponentHealth, worst } from '@sheaf/contract';
import { type Component, type Logger, Loop } from '@sheaf/runtime';
import { FolderNudger } from './folder-nudger.ts';
import type { Scanner } from './scanner.ts';

export interface FolderWatchSettings {
  readonly folder: string;
  readonly recursive: boolean;
  readonly intervalMs: number;
  readonly scanner: Scanner;
  readonly log: Logger;
}

/** After a nudge: long enough for a burst to gather, and so long that scanning takes a tenth of the time at most. */
const MIN_NUDGE_DELAY_MS = 250;
const WALKS_BETWEEN_SCANS = 10;

/** Scans a folder every interval, and sooner when something is seen to happen in it. */
export class FolderWatch implements Component {
  readonly name = 'watch_folder';
  readonly #scanner: Scanner;
  readonly #loop: Loop;
  readonly #nudger: FolderNudger;
  #lastWalkMs = 0;

  constructor({ folder, recursive, intervalMs, scanner, log }: FolderWatchSettings) {
    this.#scanner = scanner;
    this.#loop = new Loop({ name: 'watch-scan', intervalMs, log, run: (signal) => this.#scan(signal, log) });
    this.#nudger = new FolderNudger({
      folder,
      recursive,
      log,
      delayMs: () => Math.max(MIN_NUDGE_DELAY_MS, this.#lastWalkMs * WALKS_BETWEEN_SCANS),
      onNudge: () => this.#loop.nudge(),
    });
  }

  async start(): Promise<void> {
    await this.#loop.start();
    await this.#nudger.start();
  }

  async stop(): Promise<void> {
    await this.#nudger.stop();
    await this.#loop.stop();
  }

  health(): ComponentHealth {
    const findings = [this.#loop.health(), this.#scanner.health()];
    const status = worst(findings.map((finding) => finding.status));
    return findings.find((finding) => finding.status === status) ?? { status };
  }

  async #scan(signal: AbortSignal, log: Logger): Promise<boolean> {
    const report = await this.#scanner.scan(signal);
    this.#lastWalkMs = report.walkMs;
    log.debug({ ...report, walkMs: Math.round(report.walkMs) }, 'scanned');
    return false;
  }
}
