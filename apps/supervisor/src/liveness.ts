import { type ComponentHealth, warning } from '@sheaf/contract/operations';
import { type Clock, type Component, type Logger, Loop, sleep } from '@sheaf/process';
import { type MemoryUse, totalOf } from '@sheaf/process/machine';
import { nodeHttp } from '@sheaf/process/node-http';

export interface MemoryLimits {
  /** Of everything together. */
  readonly limitBytes: number;
  readonly lookEveryMs: number;
  /** So many looks in a row have to see too much, or enough again: a large page is a matter of a moment, and so is a new process. */
  readonly looks: number;
  /** Least time between two restarts. It doubles with each restart after which it was still too much, up to `longestPauseMs`. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
}

/** How often it is looked, of MEMORY_LIMIT_MB. */
export const MEMORY_LOOKS: Omit<MemoryLimits, 'limitBytes'> = { lookEveryMs: 5_000, looks: 3, pauseMs: 60_000, longestPauseMs: 3_600_000 };

/** A process that gives its work back when it is asked to stop, so that no more than a moment is lost. */
export interface Restartable {
  readonly name: string;
  /** What it has in memory itself, without the programs that it started. */
  ownBytes(): number;
  /** Asks it to stop and starts it again. */
  restart(): Promise<void>;
}

export interface MemoryGuardSettings extends MemoryLimits {
  readonly read: () => MemoryUse;
  readonly restartable: readonly Restartable[];
  /** Called after each look: the service tells it with the rest of its health. */
  readonly notify: (health: ComponentHealth) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Of the limit. Below it a process is not large, and what it started is its own affair: it ends the largest of its programs long before. */
const LARGE_SHARE = 0.25;
const MEGABYTE = 1024 * 1024;
const toMegabytes = (bytes: number): number => Math.round(bytes / MEGABYTE);

/**
 * Looks what all processes have in memory; where it stays too much, it tells, and restarts the largest process that may be restarted and
 * is large without its programs, ever more seldom while that does not help.
 */
export class MemoryGuard implements Component {
  readonly name = 'memory';
  readonly #settings: MemoryGuardSettings;
  readonly #loop: Loop;
  #wasAbove = false;
  /** In a row, all above the limit or all below. */
  #looksAlike = 0;
  #usedBytes = 0;
  /** From the looks that saw too much on until as many see less: a process that has just been started anew takes little for a moment. */
  #isTooMuch = false;
  #restartedAt: number | undefined;
  #restartsInARow = 0;

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
    const { limitBytes } = this.#settings;
    return this.#isTooMuch
      ? warning('memory_limit_exceeded', { used_bytes: this.#usedBytes, limit_bytes: limitBytes })
      : { status: 'healthy' };
  }

  /** One look. Resolves when what it has led to is done. */
  async look(): Promise<false> {
    await this.#judge();
    this.#settings.notify(this.health());
    return false;
  }

  async #judge(): Promise<void> {
    const { read, limitBytes, looks } = this.#settings;
    const use = read();
    this.#usedBytes = totalOf(use);
    const isAbove = this.#usedBytes > limitBytes;
    this.#looksAlike = isAbove === this.#wasAbove ? this.#looksAlike + 1 : 1;
    this.#wasAbove = isAbove;
    if (this.#looksAlike < looks) return;
    if (!isAbove) {
      [this.#isTooMuch, this.#restartsInARow] = [false, 0];
      return;
    }
    this.#isTooMuch = true;
    if (this.#mayRestart()) await this.#restartLargest(use);
  }

  #mayRestart(): boolean {
    const { clock, pauseMs, longestPauseMs } = this.#settings;
    if (this.#restartedAt === undefined) return true;
    const wantedMs = Math.min(pauseMs * 2 ** Math.max(0, this.#restartsInARow - 1), longestPauseMs);
    return clock.now().getTime() - this.#restartedAt >= wantedMs;
  }

  async #restartLargest(use: MemoryUse): Promise<void> {
    const { restartable, limitBytes, clock, log } = this.#settings;
    this.#restartedAt = clock.now().getTime();
    const sizes = restartable.map((process) => ({ process, bytes: process.ownBytes() }));
    const large = sizes.filter(({ bytes }) => bytes >= limitBytes * LARGE_SHARE);
    const largest = large.toSorted((one, other) => other.bytes - one.bytes)[0]?.process;
    const megabytes = Object.fromEntries([...use].map(([name, bytes]) => [name, toMegabytes(bytes)]));
    const facts = { used_mb: toMegabytes(this.#usedBytes), limit_mb: toMegabytes(limitBytes), megabytes, restarted: largest?.name };
    log.warn(facts, 'memory usage exceeds MEMORY_LIMIT_MB');
    this.#looksAlike = 0;
    if (largest === undefined) return;
    await largest.restart();
    this.#restartsInARow += 1;
  }
}

export interface LivenessLimits {
  readonly intervalMs: number;
  readonly timeoutMs: number;
  /** This many missed answers in a row mean that the process hangs. */
  readonly misses: number;
}

/** About half a minute: a busy machine is slow now and then, and a restart costs more than a wait. */
export const LIVENESS_LIMITS: LivenessLimits = { intervalMs: 5_000, timeoutMs: 5_000, misses: 4 };

export interface ProbeAddress {
  readonly host: string;
  readonly port: number;
  /** HEALTH_CHECK_PATH. */
  readonly path: string;
}

/** An address to bind to as one to connect to. */
const connectHost = (host: string): string => (host === '0.0.0.0' || host === '' ? '127.0.0.1' : host === '::' ? '::1' : host);

/** Whether the process answers at all. What it says of its health is not the point: a lost database needs no restart. */
const answers = ({ host, port, path }: ProbeAddress, timeoutMs: number, signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const request = nodeHttp.get({ host: connectHost(host), port, path, agent: false, signal: limit }, (response) => {
      response.resume();
      resolve(true);
    });
    request.once('error', () => resolve(false));
  });

/** Resolves with true when the process has stopped to answer, with false when `signal` is aborted. */
export const untilSilent = async (address: ProbeAddress, limits: LivenessLimits, signal: AbortSignal): Promise<boolean> => {
  for (let missed = 0; missed < limits.misses; ) {
    if (!(await sleep(limits.intervalMs, signal))) return false;
    const alive = await answers(address, limits.timeoutMs, signal);
    if (signal.aborted) return false;
    missed = alive ? 0 : missed + 1;
  }
  return true;
};
