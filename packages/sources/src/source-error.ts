import type { SourceErrorCode } from '@sheaf/vocabulary/sources';

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
