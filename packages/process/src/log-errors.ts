const MAX_TEXT = 2_000;
const MAX_STACK_LINES = 20;
const MAX_ERRORS = 8;
const MAX_DEPTH = 5;

/** What a field of an error is that may be shown: codes and names of the system, of the schema and of protocols. Never a value. */
const SHOWN_FIELDS = [
  'code',
  'errno',
  'syscall',
  'kind',
  'reason',
  'statement',
  'constraint',
  'table',
  'column',
  'severity',
  'routine',
  'status',
  'statusCode',
  'exitCode',
  'signal',
] as const;

/**
 * Classes of SQLSTATE whose messages name objects of the schema and states of the server, and unknown tables, columns and functions.
 * Others may quote what was given, such as the text that is no number (22P02) or no query for a search (42601).
 */
const SHOWN_STATES = /^(?:(?:08|23|25|28|3D|40|53|54|55|57|58)[0-9A-Z]{3}|42P01|42703|42883|42501)$/;

const FRAME = /^\s+at /;
/** Where Node, V8 and libraries made an error; what the client of PostgreSQL itself says of connections is fixed text. */
const FOREIGN_FRAME =
  /\bnode:|[\\/]node_modules[\\/](?!(?:\.pnpm[\\/][^\\/]+[\\/]node_modules[\\/])?pg(?:-pool)?[\\/])|<anonymous>|\bnative\b/;

const framesOf = ({ stack }: Error): string[] => (typeof stack === 'string' ? stack.split('\n').filter((line) => FRAME.test(line)) : []);

/** What PostgreSQL says of a failed statement. Its `detail`, `where` and `internalQuery` quote values of rows and parameters. */
export interface ServerError extends Error {
  /** The SQLSTATE. */
  readonly code: string;
  readonly constraint?: string;
  readonly table?: string;
  readonly column?: string;
}

export const isServerError = (error: unknown): error is ServerError =>
  error instanceof Error && 'severity' in error && 'routine' in error && 'code' in error && typeof error.code === 'string';

/** Node composes their messages from a code, a call and a path or an address. */
const isOfSystem = (error: Error): boolean => 'syscall' in error && 'code' in error && typeof error.code === 'string';

/**
 * Whether the message was written for people who operate the service: by this program, or by the system. A library, a parser or a
 * server may quote what it was given, which is the text of a document or the parameters of a statement.
 */
const hasOwnMessage = (error: Error): boolean => {
  if (isServerError(error)) return SHOWN_STATES.test(error.code);
  if (error instanceof SyntaxError || error.name === 'DrizzleQueryError' || 'params' in error) return false;
  if (isOfSystem(error)) return true;
  const [top] = framesOf(error);
  return top !== undefined && !FOREIGN_FRAME.test(top);
};

/** The message of an error as far as it may be logged, stored or sent: for one that may quote what it was given, its name and code. */
export const errorText = (error: unknown): string => {
  if (!(error instanceof Error)) return typeof error === 'string' ? error.slice(0, MAX_TEXT) : `thrown ${typeof error}`;
  if (hasOwnMessage(error)) return error.message.slice(0, MAX_TEXT);
  const code: unknown = 'code' in error ? error.code : undefined;
  return typeof code === 'string' || typeof code === 'number' ? `${error.name} (${code})` : error.name;
};

type Shown = Record<string, unknown>;

const fieldsOf = (error: Error): Shown => {
  const shown: Shown = {};
  for (const name of SHOWN_FIELDS) {
    const value: unknown = name in error ? (error as unknown as Shown)[name] : undefined;
    if (typeof value === 'number') shown[name] = value;
    else if (typeof value === 'string' && value !== '') shown[name] = value.slice(0, 300);
  }
  return shown;
};

const typeOf = (error: Error): string => (error.name === 'Error' ? error.constructor.name : error.name).slice(0, 100);

/** The parts of an AggregateError or a SuppressedError. */
const partsOf = (error: Error): readonly (readonly [name: string, part: unknown])[] => {
  const named = error as { readonly cause?: unknown; readonly error?: unknown; readonly suppressed?: unknown; readonly errors?: unknown };
  const many = Array.isArray(named.errors) ? (named.errors as unknown[]).map((part) => ['error', part] as const) : [];
  const one = (['cause', 'error', 'suppressed'] as const).map((name) => [name, named[name]] as const);
  return [...one, ...many].filter(([, part]) => part instanceof Error);
};

/**
 * What of an error may be in a line of the log: its type, its message (`errorText`), codes and names, where it was thrown, and the same
 * of what is behind it. All other fields are left out: libraries put requests, responses, rows and parameters there.
 */
export const showError = (error: Error): Shown => {
  const seen = new Set<Error>();
  const show = (current: Error, depth: number): Shown => {
    seen.add(current);
    const stack = framesOf(current).slice(0, MAX_STACK_LINES);
    const shown: Shown = { type: typeOf(current), message: errorText(current), ...fieldsOf(current) };
    if (depth === 0 || stack.length > 0)
      shown['stack'] = [`${typeOf(current)}: ${errorText(current)}`, ...stack].join('\n').slice(0, MAX_TEXT * 2);
    const behind: Shown[] = [];
    for (const [as, part] of partsOf(current))
      if (part instanceof Error && !seen.has(part) && seen.size < MAX_ERRORS && depth < MAX_DEPTH)
        if (as === 'cause') shown['cause'] = show(part, depth + 1);
        else behind.push({ as, ...show(part, depth + 1) });
    if (behind.length > 0) shown['errors'] = behind;
    return shown;
  };
  return show(error, 0);
};

/** How deep in the fields of a line an error is looked for. */
const FIELD_DEPTH = 4;

/** The fields of a line with every error in them as `showError` shows it. */
export const showErrors = (fields: Shown): Shown => {
  const shown = (value: unknown, depth: number): unknown => {
    if (value instanceof Error) return showError(value);
    if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
    if (depth === 0 || typeof value !== 'object' || value === null || 'toJSON' in value) return value;
    if (Array.isArray(value)) return value.map((item) => shown(item, depth - 1));
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shown(item, depth - 1)]));
  };
  return shown(fields, FIELD_DEPTH) as Shown;
};

/** The longest line of the log, in bytes. */
export const MAX_LINE_BYTES = 16 * 1024;

/** What a line needs to be found: it stays when the rest is too long. */
const KEPT_FIELDS = new Set(['level', 'time', 'process', 'pid', 'msg', 'request_id', 'trace_id', 'job_id', 'document_id', 'code']);
const SHORT = 500;
/** For the names of the fields that were cut, and for a kept field. */
const SPARE_BYTES = 2_000;

const size = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

const shortText = (text: string): string => (text.length > SHORT ? `${text.slice(0, SHORT)}…` : text);

/** What stays of a field that is too long: the beginning of a text, the short members of an object. */
const shorten = (value: unknown): unknown => {
  if (typeof value === 'string') return shortText(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const plain = Object.entries(value).filter(([, item]) => typeof item !== 'object');
  return Object.fromEntries(
    plain.slice(0, 20).map(([name, item]) => [name.slice(0, 60), typeof item === 'string' ? shortText(item) : item]),
  );
};

/** The line within MAX_LINE_BYTES: the longest fields give way first, and `cut_fields` names them. */
export const cutLine = (line: string): string => {
  if (Buffer.byteLength(line) <= MAX_LINE_BYTES) return line;
  const fields = JSON.parse(line) as Shown;
  const cut: string[] = [];
  let bytes = Buffer.byteLength(line) + SPARE_BYTES;
  const bySize = Object.entries(fields)
    .map(([name, value]) => ({ name, value, bytes: size(value) + name.length }))
    .toSorted((one, other) => other.bytes - one.bytes);
  for (const field of bySize) {
    if (bytes <= MAX_LINE_BYTES) break;
    if (KEPT_FIELDS.has(field.name) && field.bytes <= SPARE_BYTES) continue;
    const kept = field.name.length > SHORT ? undefined : shorten(field.value);
    if (kept === undefined) delete fields[field.name];
    else fields[field.name] = kept;
    bytes -= kept === undefined ? field.bytes : field.bytes - size(kept);
    if (cut.length < 20) cut.push(field.name.slice(0, 60));
  }
  return `${JSON.stringify({ ...fields, cut_fields: cut })}\n`;
};
