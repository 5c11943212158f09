import { connectionReason } from '@sheaf/contract';
import { makeProblem } from '@sheaf/contract/operations';
import { FatalError } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';

/** The database cannot be used as it is set up. Nobody but a person can change that. */
export abstract class DatabaseSetupError extends FatalError {}

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
