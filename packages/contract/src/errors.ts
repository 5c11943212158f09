import type { MessageKey, NeededArguments } from '@sheaf/messages';
import { englishMessage } from '@sheaf/messages/english';
import { ERROR_STATUS, type ErrorCode, type ErrorKind, type ErrorReason } from '@sheaf/vocabulary/error-codes';
import { z } from 'zod';
import type { Issue } from './issue.ts';

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
export interface PublicCode {
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
