import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Logger } from '@sheaf/process';

const LAST_LINES = 20;

/** What an error of one connection is to the operator: the client hears of it and says so itself. */
const LEVELS: Readonly<Record<string, 'debug' | 'warn' | 'error'>> = { WARNING: 'warn', PANIC: 'error' };

/** A standby accepts connections too, read-only ones. */
const READY = /^database system is ready to accept (read-only )?connections$/;

/** Passes the server's lines on to the log, keeps the last ones for error messages, and tells when it accepts connections. */
export class ServerLog {
  /** Resolves when the server says that it accepts connections; never when it does not come to that. */
  readonly ready: Promise<void>;
  readonly #lines: string[] = [];

  constructor(output: Readable, log: Logger) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ready = promise;
    createInterface({ input: output }).on('line', (line) => {
      this.#lines.push(line);
      if (this.#lines.length > LAST_LINES) this.#lines.shift();
      const [, severity = '', text = line] = /^([A-Z]+): {2}(.*)$/.exec(line) ?? [];
      log[LEVELS[severity] ?? 'debug']({ severity, text }, 'postgres');
      if (READY.test(text)) resolve();
    });
  }

  /** Whether one of the last lines says so. */
  says(pattern: RegExp): boolean {
    return this.#lines.some((line) => pattern.test(line));
  }

  get lastLines(): string {
    return this.#lines.join('\n');
  }
}
