import { type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { currentLogFields } from './log-context.ts';
import { MASK, REDACTED_PATHS, redactLine } from './log-redaction.ts';

export type { Logger } from 'pino';

export interface LogSettings {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly format: 'text' | 'json';
}

/** What is kept of the log while it cannot be written: beyond it the newest lines are lost. */
const MAX_UNWRITTEN_BYTES = 4 * 1024 * 1024;

/** Synchronous: a line written just before the process ends must not be lost. */
const standardOutput = () => {
  const output = pino.destination({ sync: true, maxLength: MAX_UNWRITTEN_BYTES });
  // Without a listener a full disk would end the process; what is not written yet goes out with a later line.
  output.on('error', () => {});
  // by `write` alone: pino would flush a fatal line, which tries without end where there is no room
  return { write: (line: string) => output.write(line) };
};

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
  const sink = output ?? standardOutput();
  if (settings.format === 'json') return pino(options, sink);
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
