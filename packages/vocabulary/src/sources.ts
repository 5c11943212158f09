export const SOURCE_TYPES = ['webdav', 's3', 'local_folder'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

/** `disabled` is not run, `syncing` has a run that waits or runs, `error` had a failure since its last good run. */
export const SOURCE_STATUSES = ['active', 'syncing', 'error', 'disabled'] as const;
export type SourceStatus = (typeof SOURCE_STATUSES)[number];

/** Why a source does not do what it should. */
export const SOURCE_ERROR_CODES = [
  /** 401, 403, a wrong key or signature. */
  'unauthorized',
  /** The root or the file is not there. */
  'not_found',
  /** No connection, no such name. */
  'unreachable',
  /** The file is another one than was listed. The next listing tells. */
  'changed',
  'timeout',
  /** 429, 503 with Retry-After, SlowDown. */
  'throttled',
  /** Other answers of 500 and above. */
  'server_error',
  /** The server does not speak the protocol, or not sensibly: garbage, contradictions, a body of the wrong length. */
  'protocol',
  /** More entries, deeper folders or longer names than anybody has. */
  'too_large',
  /** Our own rules forbid it: an address, a redirect, a path out of the root. Nothing was sent. */
  'refused',
] as const;
export type SourceErrorCode = (typeof SOURCE_ERROR_CODES)[number];

/** Why a run over a source failed, or a look at it: what its driver says, or `failed` for what went wrong here. */
export const SOURCE_PROBLEMS = [...SOURCE_ERROR_CODES, 'failed'] as const;
export type SourceProblem = (typeof SOURCE_PROBLEMS)[number];

/** What else is said of a source. */
export const SOURCE_FINDINGS = ['reachable', 'answers', 'no_files', 'slow_listing', 'not_checked', 'switched_off'] as const;
export type SourceFinding = (typeof SOURCE_FINDINGS)[number];

/** How far a run over a source has come. */
export const RUN_STATES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export type RunState = (typeof RUN_STATES)[number];

export const RUN_TRIGGERS = ['schedule', 'manual'] as const;
export type RunTrigger = (typeof RUN_TRIGGERS)[number];

/** What happens here to the document of a file that is gone at the source. */
export const REMOTE_DELETE_RULES = ['keep', 'delete'] as const;
