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
  /** Narrower than the kind, such as DOCUMENT_NOT_FOUND; the kind itself where none is given. */
  readonly code?: ErrorCode;
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
          'Context: IDs and limits; a machine-readable `reason` if the code is not specific enough; and `issues: [{path, code, message, details}]` of an invalid request',
        ),
      timestamp: z.iso.datetime(),
      request_id: z.string(),
    }),
  })
  .meta({ id: 'Error' });
export type ErrorEnvelope = z.infer<typeof errorBody>;

/** The body every error leaves in. */
export const toErrorEnvelope = (error: AppError, requestId: string, now: Date): ErrorEnvelope => ({
  error: { code: error.code, message: error.message, details: error.details, timestamp: now.toISOString(), request_id: requestId },
});

export const validationError = (message: string, details: ErrorDetails = {}): AppError =>
  new AppError('VALIDATION_ERROR', message, { details });

export const unauthorized = (
  message = 'Authentication required. The request has no valid credentials.',
  reason: ErrorReason = 'sign_in_first',
): AppError => new AppError('UNAUTHORIZED', message, { details: { reason } });

export const forbidden = (message: string, details: ErrorDetails = {}): AppError => new AppError('FORBIDDEN', message, { details });

export const permissionNeeded = (permission: string): AppError =>
  forbidden(`Permission ${permission} required.`, { reason: 'permission_needed', permission });

export const documentNotFound = (id: string): AppError =>
  new AppError('NOT_FOUND', `Document ${id} does not exist.`, { code: 'DOCUMENT_NOT_FOUND', details: { document_id: id } });

/** `limit` requests a minute have been made; in `seconds` there may be more. */
export const rateLimited = (limit: number, seconds: number): AppError =>
  new AppError('RATE_LIMITED', `Rate limit of ${limit} requests per minute exceeded. Try again in ${seconds} s.`, {
    details: { limit, retry_after_seconds: seconds },
  });

/** `variable` is the setting that switches it on again. */
export const featureDisabled = (variable: string): AppError =>
  new AppError('NOT_FOUND', `This feature is disabled (${variable}=false).`, { code: 'FEATURE_DISABLED', details: { variable } });

export const serviceUnavailable = (message: string, cause?: unknown, details: ErrorDetails = {}): AppError =>
  new AppError('SERVICE_UNAVAILABLE', message, { cause, details });

/** The answer would take longer than REQUEST_TIMEOUT. */
export const requestTimeout = (cause?: unknown): AppError =>
  new AppError('SERVICE_UNAVAILABLE', 'The request timed out. Request less data, or try again later.', {
    code: 'REQUEST_TIMEOUT',
    cause,
  });

export const internalError = (cause: unknown): AppError =>
  new AppError('INTERNAL_ERROR', 'Internal server error. See the log of the service for this request ID.', { cause });
