import { connectionReason, errorChain } from '@sheaf/contract';
import { makeProblem } from '@sheaf/contract/operations';
import { FatalError } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';

/** An error and what is behind it. */
const causes: (error: unknown) => readonly { code?: unknown; constraint?: unknown; message?: unknown }[] = errorChain;

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

/** Whether the server ended a statement before its end, such as for taking longer than it may. */
export const isCancelledStatement = (error: unknown): boolean => sqlState(error) === '57014';

/** 40P01 and 40001: what was done at the same time came first, and nothing of this is left. 55P03: what was not to be waited for is held. */
const LOST_RACE_CODES = new Set(['40P01', '40001', '55P03']);

/** Whether the server undid a transaction because of another one, so that the same may succeed at once. */
export const isLostRace = (error: unknown): boolean => LOST_RACE_CODES.has(sqlState(error) ?? '');

/** 53100: nothing can be written until somebody has freed some space. */
const DISK_FULL = '53100';

/** Whether the disk of the database is full. */
export const isDatabaseFull = (error: unknown): boolean => sqlState(error) === DISK_FULL;

/** 25006: the server is a standby, or was made one. */
const READ_ONLY = '25006';

/** Whether the server refused to write because it takes no writes at all. */
export const isReadOnly = (error: unknown): boolean => sqlState(error) === READ_ONLY;

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
  DISK_FULL,
  READ_ONLY,
  'UNSUITABLE_SERVER',
  'OTHER_SERVER',
  'NO_FREE_CONNECTION',
  'LOCK_NOT_CONFIRMED',
  'COMMIT_NOT_REPLICATED',
]);
const CONNECTION_TEXTS = [
  'Connection terminated',
  'timeout expired',
  'Query read timeout',
  'Client has encountered a connection error',
  'pool after calling end',
];

/** Whether `error` means that the database cannot be reached or cannot work now, so that the same call may succeed later. */
export const isDatabaseUnavailable = (error: unknown): boolean => {
  if (findSetupError(error) !== undefined) return true;
  for (const { code, message } of causes(error)) {
    if (typeof code === 'string' && (CONNECTION_CODES.has(code) || code.startsWith('08'))) return true;
    // pg has no codes for these
    if (typeof message === 'string' && CONNECTION_TEXTS.some((text) => message.includes(text))) return true;
  }
  return false;
};

/** The database cannot be used as it is set up. Nobody but a person can change that. */
abstract class DatabaseSetupError extends FatalError {}

/** The connection cannot be as safe as it has to be. */
export class DatabaseTlsError extends DatabaseSetupError {}

/** A pooler between this process and the database does not do what is asked of it. */
export class PoolerError extends DatabaseSetupError {}

/** The error of pg for a server that answers an SSLRequest with "N". */
const NO_TLS = 'The server does not support SSL connections';

export const offersNoTls = (error: unknown): boolean => error instanceof Error && error.message === NO_TLS;

/** PgBouncer refuses what it does not keep for each of its clients, also within `options`. */
const REFUSED_PARAMETER = /unsupported startup parameter/;

const CHECKED = /^(CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH)/;

/** What pg and OpenSSL say of a connection, in words that name the variable where that is what to change; other errors as they are. */
export const explainConnectionError = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error;
  if (offersNoTls(error)) return new DatabaseTlsError(makeProblem('database_tls_unsupported'), EXIT.configuration, error);
  const { code = '', reason = error.message } = error as NodeJS.ErrnoException & { readonly reason?: string };
  if (CHECKED.test(code))
    return new DatabaseTlsError(
      makeProblem('database_certificate_untrusted', { error: connectionReason(error)?.text ?? code }),
      EXIT.configuration,
      error,
    );
  if (code.startsWith('ERR_SSL_TLSV1') || /^ERR_SSL_SSLV3_ALERT_(CERTIFICATE|BAD_CERT)/.test(code))
    return new DatabaseTlsError(makeProblem('database_client_certificate_rejected', { error: reason }), EXIT.configuration, error);
  if (REFUSED_PARAMETER.test(error.message))
    return new PoolerError(makeProblem('database_pooler_parameter_rejected', { error: error.message }), EXIT.configuration, error);
  return error;
};

/** The error in `error` or behind it that only a person can mend. */
export const findSetupError = (error: unknown): DatabaseSetupError | undefined => {
  for (let current: unknown = error, depth = 0; current instanceof Error && depth < 5; current = current.cause, depth += 1)
    if (current instanceof DatabaseSetupError) return current;
  return undefined;
};
