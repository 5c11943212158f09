import type { ComponentHealth } from '@sheaf/contract/operations';
import { type Component, type Live, Loop } from '@sheaf/process';
import { healthOfFindings, STORED_FILES } from './findings.ts';
import { Scrubber, type ScrubDeps } from './scrubber.ts';

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
