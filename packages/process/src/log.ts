import { type LogFn, type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { currentLogFields } from './log-context.ts';
import { cutLine, errorText, MAX_LINE_BYTES, showErrors } from './log-errors.ts';

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

/** Field names whose values never reach a log line, one or two levels deep, whatever their type. */
const SECRET_FIELDS = ['password', 'token', 'secret', 'authorization', 'cookie', 'key'];

/** For pino, which takes them out before a line is made. */
const REDACTED_PATHS = SECRET_FIELDS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

const MASK = '***';

/** What the name of a field, a parameter or a header holds whose value is a secret. */
const WORDS = [
  'passw(?:or)?d',
  'passphrase',
  'secret',
  'token',
  'authorization',
  'cookie',
  'credential',
  '(?:api|access|account|private)[_-]?key',
  'connection[_-]?string',
].join('|');
const NAME = `[\\w.-]{0,40}(?:${WORDS})[\\w-]{0,40}`;
const JSON_TEXT = '"(?:[^"\\\\]|\\\\.)*"';

/**
 * What secrets look like in a line of JSON, wherever they stand. Lines may be long and hold what strangers wrote: every
 * repetition is bounded, or can be read one way only.
 */
const PATTERNS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // a field at any depth: a text, or a list of texts such as that of Set-Cookie
  [new RegExp(`"(${NAME}|key)":(?:${JSON_TEXT}|\\[(?:${JSON_TEXT},?)*\\])`, 'gi'), `"$1":"${MASK}"`],
  // the same in JSON, and in an object as Node prints it, that stands in a text
  [new RegExp(`(\\\\"(?:${NAME})\\\\": ?)\\\\"[^"\\\\]*\\\\"`, 'gi'), `$1\\"${MASK}\\"`],
  [new RegExp(`(?<![\\w.-])(${NAME}'?: )'[^'\\\\]*'`, 'gi'), `$1'${MASK}'`],
  // a header in a text
  [/\b((?:Set-Cookie|Cookie|Authorization|Proxy-Authorization|X-API-Key): )[^"\\]+/gi, `$1${MASK}`],
  // user and password in an address, such as that of a database
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#"\\]{1,500}@/gi, `$1${MASK}@`],
  // password=... anywhere; what is secret only in an address, such as the code of a sign-in or a signature, only there
  [new RegExp(`(?<![\\w.-])((?:${NAME})=)[^&\\s"'\\\\,;)]+`, 'gi'), `$1${MASK}`],
  [/([?&](?:key|code|state|sig|auth|[\w-]{0,40}signature)=)[^&\s"'\\]+/gi, `$1${MASK}`],
  // credentials as headers have them; a word of plain English is none
  [/\b(Bearer|Basic|Negotiate) (?![a-z]+\b)[\w.~+/=-]{6,}/g, `$1 ${MASK}`],
  [/\b(SharedKey [\w-]{1,60}:)[\w+/=]+/g, `$1${MASK}`],
  // by their form: tokens, API keys, keys of Amazon
  [/\beyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*/g, MASK],
  [/\bshf_[\w-]{20,}/g, MASK],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, MASK],
];

/** The line without what looks like a secret: for texts of errors and for addresses, of which no field name tells. */
const redactLine = (line: string): string => PATTERNS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line);
