import { inspect } from 'node:util';
import type { Logger } from '@sheaf/process';

/** A logger that keeps every line, with all that was handed to it, as text. */
export const makeNotedLogger = (): { log: Logger; lines: string[] } => {
  const lines: string[] = [];
  const note = (...values: unknown[]): void => void lines.push(inspect(values, { depth: 12, showHidden: true }));
  const log = { debug: note, info: note, warn: note, error: note, child: () => log, isLevelEnabled: () => true };
  return { log: log as unknown as Logger, lines };
};
