import { type Logger, pino } from 'pino';
import { PinoPretty } from 'pino-pretty';

export type { Logger } from 'pino';

export interface LogSettings {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly format: 'text' | 'json';
}

/** Field names whose values never reach a log line, wherever they stand one or two levels deep. */
const SECRET_FIELDS = ['password', 'token', 'secret', 'authorization', 'cookie', 'key'];
const REDACTED_PATHS = SECRET_FIELDS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/** A logger that writes to standard output, one line an entry; `text` for people, `json` for collectors. */
export const makeLogger = (settings: LogSettings, processName: string): Logger => {
  const options = {
    level: settings.level,
    base: { process: processName, pid: process.pid },
    redact: { paths: REDACTED_PATHS, censor: '***' },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  if (settings.format === 'json') return pino(options);
  // sync: a line written just before the process ends must not be lost
  return pino(options, PinoPretty({ colorize: process.stdout.isTTY, ignore: 'pid', singleLine: true, sync: true }));
};

/** A logger that drops everything. For tests and tools that report in their own way. */
export const silentLogger = (): Logger => pino({ level: 'silent' });
