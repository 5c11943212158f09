import type { ComponentHealth } from '@sheaf/contract';
import { type Clock, type Component, type Logger, Loop } from '@sheaf/runtime';
import { type MemoryUse, totalOf } from './memory-use.ts';

export interface MemoryLimits {
  /** Of everything together. */
  readonly limitBytes: number;
  readonly lookEveryMs: number;
  /** So many looks in a row have to see too much: a large page is a matter of a moment. */
  readonly looks: number;
  /** Least time between two restarts. */
  readonly pauseMs: number;
}

/** How often it is looked, of MEMORY_LIMIT_MB. */
export const MEMORY_LOOKS: Omit<MemoryLimits, 'limitBytes'> = { lookEveryMs: 5_000, looks: 3, pauseMs: 60_000 };

/** A process that gives its work back when it is asked to stop, so that no more than a moment is lost. */
export interface Restartable {
  readonly name: string;
  /** Asks it to stop and starts it again. */
  restart(): Promise<void>;
}

export interface MemoryGuardSettings extends MemoryLimits {
  readonly read: () => MemoryUse;
  readonly restartable: readonly Restartable[];
  readonly clock: Clock;
  readonly log: Logger;
}

const MEGABYTE = 1024 * 1024;
const toMegabytes = (bytes: number): number => Math.round(bytes / MEGABYTE);

/** Looks what all processes have in memory; where it stays too much, it tells and starts the largest of those anew that may be. */
export class MemoryGuard implements Component {
  readonly name = 'memory';
  readonly #settings: MemoryGuardSettings;
  readonly #loop: Loop;
  #looksAbove = 0;
  #usedBytes = 0;
  #restartedAt: number | undefined;

  constructor(settings: MemoryGuardSettings) {
    this.#settings = settings;
    const { lookEveryMs: intervalMs, log } = settings;
    this.#loop = new Loop({ name: 'look-at-memory', intervalMs, log, run: () => this.look() });
  }

  start(): Promise<void> {
    return this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  health(): ComponentHealth {
    const { looks, limitBytes } = this.#settings;
    if (this.#looksAbove < looks) return { status: 'healthy' };
    return {
      status: 'warning',
      message: `${toMegabytes(this.#usedBytes)} MB are in use, more than MEMORY_LIMIT_MB=${toMegabytes(limitBytes)}`,
    };
  }

  /** One look. Resolves when what it has led to is done. */
  async look(): Promise<false> {
    const { read, limitBytes, looks } = this.#settings;
    const use = read();
    this.#usedBytes = totalOf(use);
    this.#looksAbove = this.#usedBytes > limitBytes ? this.#looksAbove + 1 : 0;
    if (this.#looksAbove >= looks && this.#mayRestart()) await this.#restartLargest(use);
    return false;
  }

  #mayRestart(): boolean {
    const { clock, pauseMs } = this.#settings;
    return this.#restartedAt === undefined || clock.now().getTime() - this.#restartedAt >= pauseMs;
  }

  async #restartLargest(use: MemoryUse): Promise<void> {
    const { restartable, limitBytes, clock, log } = this.#settings;
    this.#restartedAt = clock.now().getTime();
    const largest = restartable.toSorted((one, other) => (use.get(other.name) ?? 0) - (use.get(one.name) ?? 0))[0];
    const megabytes = Object.fromEntries([...use].map(([name, bytes]) => [name, toMegabytes(bytes)]));
    const facts = { used_mb: toMegabytes(this.#usedBytes), limit_mb: toMegabytes(limitBytes), megabytes, restarted: largest?.name };
    log.warn(facts, 'more memory is in use than MEMORY_LIMIT_MB allows');
    await largest?.restart();
    this.#looksAbove = 0;
  }
}
