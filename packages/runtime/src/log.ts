import { type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { currentLogFields } from './log-context.ts';
import { MASK, REDACTED_PATHS, redactLine } from './log-redaction.ts';

export type { Logger } from 'pino';

export interface LogSettings {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly format: 'text' | 'json';
}

/**
 * A logger that writes to standard output, or to `output`, one line an entry; `text` for people, `json` for collectors. Lines carry the ids of
 * the work that causes them (withLogFields), and no secrets. A change of its `level` holds at once, but not for children that
 * were made before.
 */
export const makeLogger = (settings: LogSettings, processName: string, output?: NodeJS.WritableStream): Logger => {
  const options = {
    level: settings.level,
    base: { process: processName, pid: process.pid },
    mixin: currentLogFields,
    redact: { paths: REDACTED_PATHS, censor: MASK },
    hooks: { streamWrite: redactLine },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  if (settings.format === 'json') return output === undefined ? pino(options) : pino(options, output);
  // sync: a line written just before the process ends must not be lost
  const sink = output ?? pino.destination({ sync: true });
  // not as a stream, which takes twice as long for a line
  const pretty = prettyFactory({
    colorize: process.stdout.isTTY,
    ignore: 'pid',
    singleLine: true,
    translateTime: 'SYS:yyyy-mm-dd HH:MM:ss.l o', // what went wrong at three may be read days later, or elsewhere
  });
  return pino(options, { write: (line: string) => sink.write(pretty(line) ?? line) });
};

/** A logger that drops everything. For tests and tools that report in their own way. */
export const silentLogger = (): Logger => pino({ level: 'silent' });
