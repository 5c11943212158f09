/** Why a source does not do what it should. */
export type SourceErrorCode =
  /** 401, 403, a wrong key or signature. */
  | 'unauthorized'
  /** The root or the file is not there. */
  | 'not_found'
  /** No connection, no such name. */
  | 'unreachable'
  /** The file is another one than was listed. The next listing tells. */
  | 'changed'
  | 'timeout'
  /** 429, 503 with Retry-After, SlowDown. */
  | 'throttled'
  /** Other answers of 500 and above. */
  | 'server_error'
  /** The server does not speak the protocol, or not sensibly: garbage, contradictions, a body of the wrong length. */
  | 'protocol'
  /** More entries, deeper folders or longer names than anybody has. */
  | 'too_large'
  /** Our own rules forbid it: an address, a redirect, a path out of the root. Nothing was sent. */
  | 'refused';

const TRANSIENT: ReadonlySet<SourceErrorCode> = new Set(['unreachable', 'timeout', 'throttled', 'server_error']);

/** Callers switch on the code. The message is for people: what is wrong and what to do. It holds no credential and no query. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly code: SourceErrorCode;
  /** After how long the source wants to be asked again, where it says so. */
  readonly retryAfterMs: number | undefined;

  constructor(code: SourceErrorCode, message: string, options: { readonly cause?: unknown; readonly retryAfterMs?: number } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
  }

  /** Whether trying again soon may help without anybody changing anything. */
  get isTransient(): boolean {
    return TRANSIENT.has(this.code);
  }
}
