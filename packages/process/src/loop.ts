import { type ComponentHealth, warning } from '@sheaf/contract/operations';
import type { Component } from './component.ts';
import type { Live } from './live.ts';
import type { Logger } from './log.ts';
import { errorText } from './log-errors.ts';
import { backoffMs } from './wait.ts';

export interface LoopSettings {
  readonly name: string;
  readonly intervalMs: number;
  readonly log: Logger;
  /** A change of it is a nudge while the loop runs. */
  readonly nudgedBy?: Live<unknown>;
  /**
   * One round. Returns true when there is more to do at once, or after how many milliseconds there will be. Must end soon after
   * `signal` is aborted.
   */
  run(signal: AbortSignal): Promise<boolean | number>;
}

/** Timers that are asked to wait longer do not wait at all. */
const LONGEST_PAUSE_MS = 2 ** 31 - 1;
const RETRY = { baseMs: 500, maxMs: 15_000 };

/**
 * Calls `run` again and again: at once while it says there is more, otherwise after `intervalMs` (or the time that it names) or a
 * nudge, whichever comes first. A round that throws is logged and tried again with growing pauses, so a loop outlives a lost database.
 */
export class Loop implements Component {
  readonly name: string;
  readonly #settings: LoopSettings;
  readonly #abort = new AbortController();
  #running: Promise<void> | undefined;
  #unsubscribe: (() => void) | undefined;
  #wake: (() => void) | undefined;
  #nudged = false;
  #soon: NodeJS.Timeout | undefined;
  #failures = 0;
  #lastError = '';

  constructor(settings: LoopSettings) {
    this.name = settings.name;
    this.#settings = settings;
  }

  async start(): Promise<void> {
    this.#unsubscribe ??= this.#settings.nudgedBy?.subscribe(() => this.nudge());
    this.#running ??= this.#loop();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    this.#unsubscribe?.();
    clearTimeout(this.#soon);
    this.#wake?.();
    await this.#running;
  }

  /** Ends the present pause, or makes the next round follow the running one without a pause. */
  nudge(): void {
    this.#nudged = true;
    this.#wake?.();
  }

  /** The same in `ms`, once for all who say so until then: a round for many costs little more than one for each. */
  nudgeIn(ms: number): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.nudge();
    }, ms);
  }

  health(): ComponentHealth {
    return this.#failures < 3 ? { status: 'healthy' } : warning('loop_failing', { loop: this.name, error: this.#lastError });
  }

  async #loop(): Promise<void> {
    const { signal } = this.#abort;
    while (!signal.aborted) {
      this.#nudged = false;
      const pauseMs = await this.#round(signal);
      if (!signal.aborted && !this.#nudged && pauseMs > 0) await this.#pause(pauseMs);
    }
  }

  async #round(signal: AbortSignal): Promise<number> {
    try {
      const more = await this.#settings.run(signal);
      this.#failures = 0;
      if (typeof more === 'number') return more;
      return more ? 0 : this.#settings.intervalMs;
    } catch (error) {
      if (signal.aborted) return 0;
      this.#failures += 1;
      this.#lastError = errorText(error);
      const pauseMs = backoffMs(this.#failures, RETRY);
      this.#settings.log.warn(
        { err: error, loop: this.name, failures: this.#failures, pause_ms: Math.round(pauseMs) },
        'loop iteration failed',
      );
      return pauseMs;
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.min(ms, LONGEST_PAUSE_MS));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    }).then(() => {
      this.#wake = undefined;
    });
  }
}
