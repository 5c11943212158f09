import { FatalError } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';

/** The connection cannot be as safe as it has to be. Nobody but a person can change that. */
export class DatabaseTlsError extends FatalError {}

/** The error of pg for a server that answers an SSLRequest with "N". */
const NO_TLS = 'The server does not support SSL connections';

export const offersNoTls = (error: unknown): boolean => error instanceof Error && error.message === NO_TLS;

const CHECKED = /^(CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH)/;

/** What pg and OpenSSL say of a connection, in words that name the variable where that is what to change; other errors as they are. */
export const explainConnectionError = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error;
  if (offersNoTls(error))
    return new DatabaseTlsError(
      'the database does not support TLS, which DATABASE_SSL_MODE (or sslmode in DATABASE_URL) requires',
      EXIT.configuration,
      error,
    );
  const { code = '', reason = error.message } = error as NodeJS.ErrnoException & { readonly reason?: string };
  if (CHECKED.test(code))
    return new DatabaseTlsError(
      `the certificate of the database is not trusted (${error.message}); set DATABASE_SSL_ROOT_CERT to its CA, and use the host name of the certificate in DATABASE_URL`,
      EXIT.configuration,
      error,
    );
  if (code.startsWith('ERR_SSL_TLSV1') || /^ERR_SSL_SSLV3_ALERT_(CERTIFICATE|BAD_CERT)/.test(code))
    return new DatabaseTlsError(
      `the database rejected the client certificate (${reason}); check DATABASE_SSL_CERT and DATABASE_SSL_KEY`,
      EXIT.configuration,
      error,
    );
  return error;
};

/** The error of TLS in `error` or behind it. */
export const findTlsError = (error: unknown): DatabaseTlsError | undefined => {
  for (let current: unknown = error, depth = 0; current instanceof Error && depth < 5; current = current.cause, depth += 1)
    if (current instanceof DatabaseTlsError) return current;
  return undefined;
};
