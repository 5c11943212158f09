import { type ComponentHealth, warning } from '@sheaf/contract/operations';
import type { Logger } from '@sheaf/process';

/** Somebody may have made a million of them: so many are told one by one in a scan, and so many are kept in mind. */
const MAX_LINES = 20;
const MAX_PATHS = 1_000;

/** What the scans could not look at, told once for as long as it lasts. */
export class UnreadablePaths {
  readonly #log: Logger;
  #before: ReadonlySet<string> = new Set();
  #now = new Set<string>();
  #newOnes = 0;
  #health: ComponentHealth = { status: 'healthy' };

  constructor(log: Logger) {
    this.#log = log;
  }

  beginRound(): void {
    this.#now = new Set();
    this.#newOnes = 0;
  }

  endRound(): void {
    if (this.#newOnes > MAX_LINES)
      this.#log.warn({ paths: this.#newOnes - MAX_LINES }, 'more unreadable paths in the watch folder, retried at every scan');
    this.#before = this.#now;
    const [path] = this.#now;
    this.#health = path === undefined ? { status: 'healthy' } : warning('path_unreadable', { path });
  }

  add(path: string, error: unknown): void {
    if (this.#now.has(path) || this.#now.size >= MAX_PATHS) return;
    this.#now.add(path);
    if (this.#before.has(path) || this.#before.size >= MAX_PATHS) return; // of so many nobody can say which one is new
    this.#newOnes += 1;
    if (this.#newOnes <= MAX_LINES) this.#log.warn({ err: error, path }, 'unreadable path in the watch folder, retried at every scan');
  }

  health(): ComponentHealth {
    return this.#health;
  }
}
