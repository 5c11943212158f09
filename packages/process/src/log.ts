import { type LogFn, type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { currentLogFields } from './log-context.ts';
import { cutLine, errorText, MAX_LINE_BYTES, showErrors } from './log-errors.ts';
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

/** Beside the fields of an error: without a message of its own, a line would have that of the error as it is. */
const messageOf = (first: unknown): string | undefined => {
  if (first instanceof Error) return errorText(first);
  const err: unknown = typeof first === 'object' && first !== null && 'err' in first ? first.err : undefined;
  return err instanceof Error ? errorText(err) : undefined;
};

/** A line for people is as long as one of JSON may be. */
const cutText = (text: string): string =>
  Buffer.byteLength(text) <= MAX_LINE_BYTES
    ? text
    : `${Buffer.from(text)
        .subarray(0, MAX_LINE_BYTES - 8)
        .toString()}…\n`;

/**
 * A logger that writes to standard output, or to `output`, one line an entry; `text` for people, `json` for collectors. Lines carry the ids of
 * the work that causes them (withLogFields), and no secrets. Errors are shown by `showError`, wherever they stand in the fields: nothing that
 * a document, a row or a request holds. No line is longer than 16 kB. A change of its `level` holds at once, but not for children that
 * were made before.
 */
export const makeLogger = (settings: LogSettings, processName: string, output?: NodeJS.WritableStream): Logger => {
  const options = {
    level: settings.level,
    base: { process: processName, pid: process.pid },
    mixin: currentLogFields,
    redact: { paths: REDACTED_PATHS, censor: MASK },
    formatters: { log: showErrors },
    // that of pino would take what `showErrors` made for an error
    serializers: { err: (shown: unknown) => shown },
    hooks: {
      streamWrite: (line: string) => cutLine(redactLine(line)),
      logMethod(this: Logger, args: Parameters<LogFn>, method: LogFn) {
        const [first, message, ...rest] = args as [unknown, string?, ...unknown[]];
        const fields = first instanceof Error ? { err: first } : first;
        if (typeof first === 'string') method.apply(this, args);
        else method.call(this, fields, message ?? messageOf(first), ...rest);
      },
    },
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
  return pino(options, { write: (line: string) => sink.write(cutText(pretty(line) ?? line)) });
};

/** A logger that drops everything. For tests and tools that report in their own way. */
export const silentLogger = (): Logger => pino({ level: 'silent' });
