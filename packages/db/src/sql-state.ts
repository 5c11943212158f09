/** Walks the causes of an error: drizzle wraps what pg throws. */
const causes = function* (error: unknown): Generator<{ code?: unknown; constraint?: unknown; message?: unknown }> {
  for (let current: unknown = error, depth = 0; current instanceof Error && depth < 5; current = current.cause, depth += 1) yield current;
};

/** The SQLSTATE (or system error code) of a failed query, or undefined. */
export const sqlState = (error: unknown): string | undefined => {
  for (const { code } of causes(error)) if (typeof code === 'string') return code;
  return undefined;
};

/** Whether `error` is the violation of the unique constraint or index `name`. */
export const violates = (error: unknown, name: string): boolean => {
  for (const { code, constraint } of causes(error)) if (code === '23505' && constraint === name) return true;
  return false;
};

const UNSTORABLE_CODES = new Set(['22021', '22P05']);

/** Whether a text was refused because PostgreSQL keeps no such characters: NUL, or what is none. */
export const isUnstorableText = (error: unknown): boolean => UNSTORABLE_CODES.has(sqlState(error) ?? '');

const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  '57P01',
  '57P02',
  '57P03',
  '53300',
]);
const CONNECTION_TEXTS = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error',
  'pool after calling end',
];

/** Whether `error` means that the database cannot be reached now, so that the same call may succeed later. */
export const isDatabaseUnavailable = (error: unknown): boolean => {
  for (const { code, message } of causes(error)) {
    if (typeof code === 'string' && (CONNECTION_CODES.has(code) || code.startsWith('08'))) return true;
    // pg has no codes for these
    if (typeof message === 'string' && CONNECTION_TEXTS.some((text) => message.includes(text))) return true;
  }
  return false;
};
