import {
  AppError,
  errorChain,
  internalError,
  reasonedError,
  requestTimeout,
  serviceUnavailable,
  toErrorEnvelope,
  validationError,
} from '@sheaf/contract';
import { isCancelledStatement, isDatabaseFull, isDatabaseUnavailable, isLostRace, isUnstorableText } from '@sheaf/db';
import type { Clock, Logger } from '@sheaf/process';
import { toRoomError } from '@sheaf/storage';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { loggedPath, requestIdOf } from './request-log.ts';

/** Errors that express and its body parser throw carry the status they mean. */
const httpStatusOf = (error: unknown): number | undefined =>
  error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : undefined;

const httpTypeOf = (error: unknown): string =>
  error instanceof Error && 'type' in error && typeof error.type === 'string' ? error.type : '';

const fromHttpError = (error: unknown): AppError | undefined => {
  const status = httpStatusOf(error);
  if (status === undefined || status < 400 || status >= 500) return undefined;
  switch (httpTypeOf(error)) {
    case 'entity.parse.failed':
      return validationError('The body is not valid JSON.');
    case 'entity.too.large':
      return validationError('The body is too large.', {
        limit_bytes: error instanceof Error && 'limit' in error ? error.limit : undefined,
      });
    case 'request.aborted':
      return validationError('The request body is incomplete.');
    default:
      return status === 404 ? new AppError('NOT_FOUND', 'This resource does not exist.') : validationError('The request is malformed.');
  }
};

/** What the client gets of any error: what we know as it is, all else in words that give nothing away. */
export const toAppError = (error: unknown): AppError => {
  if (error instanceof AppError) return error;
  // what was disposed of after a failure may fail for the same reason, such as a disk that is away
  const behind = error instanceof SuppressedError ? errorChain(error).find((met) => met instanceof AppError) : undefined;
  if (behind !== undefined) return behind;
  if (isDatabaseFull(error)) return serviceUnavailable('The disk of the database is full. Free up disk space.', error);
  if (isDatabaseUnavailable(error)) return reasonedError('SERVICE_UNAVAILABLE', 'database_away', {}, error);
  if (isCancelledStatement(error)) return requestTimeout(error);
  if (isLostRace(error)) return serviceUnavailable('Concurrent change: nothing was changed. Try again.', error);
  if (isUnstorableText(error)) return validationError('The request contains characters that cannot be stored, such as NUL.');
  const ofRoom = toRoomError(error, 'TEMP_STORAGE_PATH');
  return ofRoom instanceof AppError ? ofRoom : (fromHttpError(error) ?? internalError(error));
};

export const notFound = (): RequestHandler => (request) => {
  throw new AppError('NOT_FOUND', `${request.method} ${request.path} does not exist.`);
};

/** Says a pipeline whose answer was closed before or while it was filled. */
const CLOSED_ANSWER: ReadonlySet<unknown> = new Set(['ERR_STREAM_UNABLE_TO_PIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

const isGivenUp = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'AbortError' || ('code' in error && CLOSED_ANSWER.has(error.code)));

/** Whether work was given up because nobody waits for its answer any more, which is no failure. */
const isForNobody = (error: unknown, response: Response): boolean => response.closed && isGivenUp(error);

/** What errors are where an interface of others is imitated, which has a form of its own for them. */
type OtherForm = (error: AppError) => { readonly status: number; readonly body: unknown };

const otherForm = (response: Response): OtherForm | undefined => response.locals['toErrorBody'] as OtherForm | undefined;

/** The one exit for errors. */
export const errorEnvelope =
  (log: Logger, clock: Clock): ErrorRequestHandler =>
  (error: unknown, request, response, _next) => {
    const known = toAppError(error);
    const requestId = requestIdOf(response);
    if (isForNobody(error, response))
      log.debug({ request_id: requestId, method: request.method, path: loggedPath(request.path) }, 'client disconnected');
    else if (known.status >= 500)
      log.error({ err: error, request_id: requestId, method: request.method, path: loggedPath(request.path) }, 'request failed');
    if (response.headersSent) {
      // half an answer is out already: cutting the connection is the only way left to say that it is not whole
      response.destroy();
      return;
    }
    const { retry_after_seconds: seconds = known.kind === 'SERVICE_UNAVAILABLE' ? 5 : undefined } = known.details;
    if (typeof seconds === 'number') response.setHeader('Retry-After', String(seconds));
    if (known.kind === 'UNAUTHORIZED') response.setHeader('WWW-Authenticate', 'Bearer');
    const other = otherForm(response)?.(known);
    if (other === undefined) response.status(known.status).json(toErrorEnvelope(known, requestId, clock.now()));
    else response.status(other.status).json(other.body);
  };
