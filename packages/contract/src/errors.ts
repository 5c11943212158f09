import { type MessageKey, type NeededArguments, serviceProblemText } from '@sheaf/messages';
import { englishMessage, englishTranslator } from '@sheaf/messages/english';
import { ERROR_STATUS, type ErrorCode, type ErrorKind, type ErrorReason } from '@sheaf/vocabulary/error-codes';
import { z } from 'zod';
import type { Issue } from './issue.ts';

export const serviceProblem = z
  .strictObject({
    code: z.string().describe('Machine-readable code, stable per condition'),
    message: z.string().describe('Human-readable message: what is wrong and what to do'),
    details: z.record(z.string(), z.unknown()).describe('Names, limits and counts for the code'),
  })
  .meta({ id: 'ServiceProblem' });
/** Something that is wrong with the service, or right again, for the person who operates it. */
export type ServiceProblem = Readonly<z.infer<typeof serviceProblem>>;

/** The codes that the catalogue has a message for. */
export type ServiceProblemCode = MessageKey extends infer K ? (K extends `serviceProblems.${infer C}` ? C : never) : never;

/** What the message of a code shows; it may be left out where it shows nothing. */
export type ProblemDetails<C extends ServiceProblemCode> = [NeededArguments<`serviceProblems.${C}`>] extends [never]
  ? [details?: Readonly<Record<string, unknown>>]
  : [details: Readonly<Record<string, unknown>> & Readonly<Record<NeededArguments<`serviceProblems.${C}`>, unknown>>];

/** What is wrong, with the message that the catalogue has for its code. */
export const makeProblem = <C extends ServiceProblemCode>(code: C, ...[details = {}]: ProblemDetails<C>): ServiceProblem => ({
  code,
  message: serviceProblemText(englishTranslator(), code, details) ?? code,
  details: { ...details },
});

/** What an error says of the part that met it: its reason, where it has one, else `otherwise` with the text of the error. */
export const problemOf = (error: unknown, otherwise: 'storage_failing' | 'ldap_unreachable'): ServiceProblem => {
  if (error instanceof AppError && error.details.reason !== undefined) {
    const { reason, ...details } = error.details;
    return { code: reason, message: error.message, details };
  }
  const text = connectionReason(error)?.text ?? (error instanceof Error ? error.message : String(error));
  return makeProblem(otherwise, { error: text });
};

/** A certificate that no authority known here has signed, also none in between. */
const UNTRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|CERT_UNTRUSTED)$/;
const OF_TLS = /^(ERR_TLS|ERR_SSL|CERT_|INVALID_CA|PATH_LENGTH|INVALID_PURPOSE)/;
const NO_TLS = /^(ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|ERR_SSL_HTTP_REQUEST|EPROTO)$/;

export interface ConnectionReason {
  readonly kind: 'untrusted' | 'tls' | 'connection';
  /** Such as `connection refused`: for people, and with the code where nothing plainer is known. */
  readonly text: string;
}

const TLS_TEXTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  CERT_REVOKED: 'its certificate was revoked',
  HOSTNAME_MISMATCH: 'its certificate is not for this host name',
};

const CONNECTION_TEXTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the server closed the connection',
  EPIPE: 'the server closed the connection',
  UND_ERR_SOCKET: 'the server closed the connection',
  EHOSTUNREACH: 'the host is not reachable',
  ENETUNREACH: 'the network is not reachable',
  EHOSTDOWN: 'the host is down',
};

/** A certificate with another name than that of the host that was asked. */
const namesOf = (error: Error): string => {
  const host = 'host' in error && typeof error.host === 'string' ? `: ${error.host}` : '';
  return `its certificate is not for this host name${host}`;
};

const reasonOfCode = (code: string, error: Error): ConnectionReason | undefined => {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return { kind: 'tls', text: namesOf(error) };
  if (UNTRUSTED.test(code)) return { kind: 'untrusted', text: 'its certificate is not signed by a known CA' };
  const tls = TLS_TEXTS[code];
  if (tls !== undefined) return { kind: 'tls', text: tls };
  if (NO_TLS.test(code)) return { kind: 'tls', text: 'it does not use TLS on this port' };
  if (OF_TLS.test(code)) return { kind: 'tls', text: `the TLS connection failed (${code})` };
  const connection = CONNECTION_TEXTS[code];
  return connection === undefined ? undefined : { kind: 'connection', text: connection };
};

/**
 * Why a server could not be talked to, in plain words in place of those of the runtime, which are for its developers; undefined where the
 * error is about something else.
 */
export const connectionReason = (error: unknown): ConnectionReason | undefined => {
  for (const met of errorChain(error)) {
    const found = reasonOfCode(errorCode(met) ?? '', met);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** The code of an error of the system or of a library, such as ENOENT; undefined where it has none. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

const MAX_ERRORS = 16;

interface ErrorParts {
  readonly cause?: unknown;
  /** Of a SuppressedError: what was under way, and what its disposal met. */
  readonly suppressed?: unknown;
  readonly error?: unknown;
  /** Of an AggregateError. */
  readonly errors?: unknown;
}

/**
 * The error and all that is behind it: causes, what a failed disposal suppressed, the parts of an aggregate. What came first comes first,
 * as the disposal usually fails for the same reason.
 */
export const errorChain = (error: unknown): readonly Error[] => {
  const found = new Set<Error>();
  const visit = (current: unknown): void => {
    if (!(current instanceof Error) || found.has(current) || found.size >= MAX_ERRORS) return;
    found.add(current);
    const { cause, suppressed, error: ofDisposal, errors } = current as ErrorParts;
    for (const part of [cause, suppressed, ofDisposal, ...(Array.isArray(errors) ? (errors as unknown[]) : [])]) visit(part);
  };
  visit(error);
  return [...found];
};

/** Context for the client: ids, limits, issues. Never anything internal. */
export interface ErrorDetails {
  readonly reason?: ErrorReason;
  readonly issues?: readonly Issue[];
  readonly [name: string]: unknown;
}

export interface AppErrorOptions {
  /** Narrower than the kind, such as DOCUMENT_NOT_FOUND; the kind itself where none is given. `publicCodeOf` says how clients see it. */
  readonly code?: ErrorCode | ErrorKind;
  readonly details?: ErrorDetails;
  readonly cause?: unknown;
}

/** The one error class that may reach a client. Everything else is answered as INTERNAL_ERROR without its text. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly kind: ErrorKind;
  readonly code: ErrorCode | ErrorKind;
  readonly details: ErrorDetails;

  constructor(kind: ErrorKind, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.code = options.code ?? kind;
    this.details = options.details ?? {};
  }

  get status(): number {
    return ERROR_STATUS[this.kind];
  }
}

export const errorBody = z
  .strictObject({
    error: z.strictObject({
      code: z.string().describe('Machine-readable code, stable per condition'),
      message: z.string().describe('Human-readable message: what happened and what to do'),
      details: z
        .record(z.string(), z.unknown())
        .describe(
          'Context: IDs and limits; a machine-readable `reason` where several conditions share the code; and `issues: [{path, code, message, details}]` of an invalid request',
        ),
      timestamp: z.iso.datetime(),
      request_id: z.string(),
    }),
  })
  .meta({ id: 'Error' });
export type ErrorEnvelope = z.infer<typeof errorBody>;

/** What an error is called outside: a code of the specification's table or of one resource, such as DOCUMENT_NOT_FOUND. */
interface PublicCode {
  readonly code: string;
  /** A condition that the table has no code for, in lower case, such as `queue_full`. */
  readonly reason?: string;
}

/** The code that an error with `code` and of `kind` leaves under, and what of it becomes the reason. */
export const publicCodeOf = ({ code, kind }: Pick<AppError, 'code' | 'kind'>): PublicCode =>
  code === kind || code.endsWith('_NOT_FOUND') ? { code } : { code: kind, reason: code.toLowerCase() };

/** What of an error is for clients. */
export const toErrorReport = (error: AppError) => {
  const { code, ...reason } = publicCodeOf(error);
  return { code, message: error.message, details: { ...reason, ...error.details } };
};

/** The body every error leaves in. */
export const toErrorEnvelope = (error: AppError, requestId: string, now: Date): ErrorEnvelope => ({
  error: { ...toErrorReport(error), timestamp: now.toISOString(), request_id: requestId },
});

/** Details without a reason: that is for errors whose message the catalogue has. */
type PlainDetails = ErrorDetails & { readonly reason?: never };

/** What a message shows stands among the details; they may be left out where it shows nothing. */
type DetailsAndCause<K extends string> = [NeededArguments<K>] extends [never]
  ? [details?: PlainDetails, cause?: unknown]
  : [details: PlainDetails & Readonly<Record<NeededArguments<K>, unknown>>, cause?: unknown];

/** The codes that the catalogue has a message for. */
type MessageCode = { [C in ErrorCode | ErrorKind]: `errors.${C}` extends MessageKey ? C : never }[ErrorCode | ErrorKind];

/** An error with the message that the catalogue has for its code. */
export const codedError = <C extends MessageCode>(
  kind: ErrorKind,
  code: C,
  ...[details = {}, cause]: DetailsAndCause<`errors.${C}`>
): AppError => new AppError(kind, englishMessage(`errors.${code}`, details), { code, details, cause });

/** An error with the message that the catalogue has for its reason. */
export const reasonedError = <R extends ErrorReason>(
  kind: ErrorKind,
  reason: R,
  ...[details = {}, cause]: DetailsAndCause<`errors.${R}`>
): AppError => new AppError(kind, englishMessage(`errors.${reason}`, details), { details: { reason, ...details }, cause });

export const validationError = (message: string, details: PlainDetails = {}): AppError =>
  new AppError('VALIDATION_ERROR', message, { details });

/** What is wrong with the fields of a request: all of it in `details.issues`, the first in the message as well. */
export const invalidInput = (what: 'body' | 'query', issues: readonly Issue[]): AppError => {
  const [{ path, message } = { path: '', message: '' }] = issues;
  return validationError(`Invalid ${what}: ${path === '' ? '' : `${path}: `}${message}`, { issues });
};

/** Nobody is signed in; `message` says how to, where that is special. */
export const unauthorized = (message: string = englishMessage('errors.sign_in_first')): AppError =>
  new AppError('UNAUTHORIZED', message, { details: { reason: 'sign_in_first' } });

export const forbidden = (message: string, details: PlainDetails = {}): AppError => new AppError('FORBIDDEN', message, { details });

export const permissionNeeded = (permission: string): AppError => reasonedError('FORBIDDEN', 'permission_needed', { permission });

export const documentNotFound = (id: string): AppError => codedError('NOT_FOUND', 'DOCUMENT_NOT_FOUND', { document_id: id });

/** `limit` requests a minute have been made; in `seconds` there may be more. */
export const rateLimited = (limit: number, seconds: number): AppError =>
  codedError('RATE_LIMITED', 'RATE_LIMITED', { limit, retry_after_seconds: seconds });

/** `variable` is the setting that switches it on again. */
export const featureDisabled = (variable: string): AppError => codedError('NOT_FOUND', 'FEATURE_DISABLED', { variable });

export const serviceUnavailable = (message: string, cause?: unknown, details: PlainDetails = {}): AppError =>
  new AppError('SERVICE_UNAVAILABLE', message, { cause, details });

/** The answer would take longer than REQUEST_TIMEOUT. */
export const requestTimeout = (cause?: unknown): AppError => codedError('SERVICE_UNAVAILABLE', 'REQUEST_TIMEOUT', {}, cause);

export const internalError = (cause: unknown): AppError => codedError('INTERNAL_ERROR', 'INTERNAL_ERROR', {}, cause);
