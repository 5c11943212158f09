export type PostgresServerErrorCode =
  | 'NO_BINARIES'
  | 'NO_OS_USER'
  | 'FOLDER_CLOSED'
  | 'NOT_WRITABLE'
  | 'NOT_A_DATABASE'
  | 'WRONG_VERSION'
  | 'IN_USE'
  | 'NO_FREE_PORT'
  | 'INIT_FAILED'
  | 'START_FAILED';

/** Why the embedded database cannot run, with the way out in its message. */
export class PostgresServerError extends Error {
  override readonly name = 'PostgresServerError';
  readonly code: PostgresServerErrorCode;

  constructor(code: PostgresServerErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
