import { AppError, errorCode, serviceUnavailable } from '@sheaf/contract';
import { connectionFailure, isCertificateCode } from '../remote/connection-failure.ts';
import { NoAnswer } from '../remote/patience.ts';

export interface BucketNames {
  readonly bucket: string;
  /** For people: s3://bucket/folder. */
  readonly place: string;
  readonly host: string;
}

/** What was tried, as the message of an error names it. */
export type Action = 'create' | 'read' | 'list' | 'delete';

/** The storage says that it has other bytes than were sent. */
export class SpoiltTransfer extends Error {
  override readonly name = 'SpoiltTransfer';
}

/** Somebody answered who is no S3 service. */
export class StrangeAnswer extends Error {
  override readonly name = 'StrangeAnswer';
}

const BYTES_CHANGED = 'reported a checksum mismatch. Check the network and try again.';
const OTHER_REGION = 'is in a different region. Correct S3_REGION.';
const WRONG_KEY = 'rejected the access key. Correct S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.';
const BUSY = 'limits the request rate. Try again later.';
const FULL = 'is full. Free up space or increase its quota.';

/** What the names of errors mean, in words that end with the way out. Other services than Amazon's have the same names. */
const REMEDIES: Readonly<Record<string, string>> = {
  NoSuchBucket: 'does not exist. Create the bucket or correct S3_BUCKET_NAME.',
  InvalidAccessKeyId: WRONG_KEY,
  SignatureDoesNotMatch: WRONG_KEY,
  InvalidToken: WRONG_KEY,
  ExpiredToken: WRONG_KEY,
  AuthorizationHeaderMalformed: OTHER_REGION,
  PermanentRedirect: OTHER_REGION,
  TemporaryRedirect: OTHER_REGION,
  IllegalLocationConstraintException: OTHER_REGION,
  RequestTimeTooSkewed: 'has a different clock than this machine. Correct the clock.',
  InvalidStorageClass: 'does not support this storage class. Correct S3_STORAGE_CLASS.',
  InvalidEncryptionAlgorithmError: 'does not support this encryption. Correct S3_SERVER_SIDE_ENCRYPTION.',
  ServerSideEncryptionConfigurationNotFoundError: 'does not support this encryption. Correct S3_SERVER_SIDE_ENCRYPTION.',
  NotImplemented: 'does not support the request. Try without S3_STORAGE_CLASS and S3_SERVER_SIDE_ENCRYPTION.',
  InvalidObjectState: 'has the object in archive storage. Restore it, and use a storage class with immediate access.',
  SlowDown: BUSY,
  Throttling: BUSY,
  TooManyRequests: BUSY,
  QuotaExceeded: FULL,
  XMinioStorageFull: FULL,
  BadDigest: BYTES_CHANGED,
  InvalidDigest: BYTES_CHANGED,
  XAmzContentSHA256Mismatch: BYTES_CHANGED,
};

const BY_STATUS: Readonly<Record<number, string>> = {
  301: OTHER_REGION,
  307: OTHER_REGION,
  401: WRONG_KEY,
  429: BUSY,
  507: FULL,
};

const TRANSIENT_STATUSES = new Set([429, 500, 502, 503, 504]);
/** RequestTimeout is a 400, and means that the connection was silent. */
const TRANSIENT_NAMES = new Set(['SlowDown', 'InternalError', 'ServiceUnavailable', 'RequestTimeout', 'SpoiltTransfer']);
const TRANSIENT_CODES = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
]);

/** The HTTP status of an answer that the SDK threw. */
export const statusOf = (error: unknown): number | undefined => {
  if (!(error instanceof Error) || !('$metadata' in error)) return undefined;
  return (error.$metadata as { httpStatusCode?: number }).httpStatusCode;
};

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');

/** Whether the same request may go well the next time. Never where it was refused. */
export const isTransient = (error: unknown): boolean =>
  TRANSIENT_NAMES.has(nameOf(error)) || TRANSIENT_STATUSES.has(statusOf(error) ?? 0) || TRANSIENT_CODES.has(errorCode(error) ?? '');

/** Whether the answer says that the object is not there, and not the bucket. */
export const isNoSuchKey = (error: unknown): boolean => nameOf(error) === 'NoSuchKey';

/** Whether the object ends before the part that was asked for. */
export const isBehindEnd = (error: unknown): boolean => statusOf(error) === 416;

/** Whether the service has never heard of what it was asked for. */
export const isNotImplemented = (error: unknown): boolean =>
  nameOf(error) === 'NotImplemented' || [405, 501].includes(statusOf(error) ?? 0);

/** What a service calls its error, where it is a plain word: anything else may hold what was sent to it. */
const shownName = (error: unknown): string => (/^[A-Za-z][A-Za-z0-9.]{0,63}$/.test(nameOf(error)) ? nameOf(error) : 'error');

const connectionWords = (code: string, host: string): string => {
  if (/^(EPROTO|ERR_SSL_)/.test(code))
    return `does not support HTTPS at ${host} (${code}). Set S3_USE_SSL=false, or use http:// in S3_ENDPOINT_URL.`;
  const words = connectionFailure(code, host, 'S3_ENDPOINT_URL');
  return isCertificateCode(code) ? `${words} S3_VERIFY_SSL=false disables the verification.` : words;
};

const answerWords = (error: unknown, status: number, action: Action): string => {
  const name = shownName(error);
  if (name === 'AccessDenied' || (status === 403 && REMEDIES[name] === undefined)) {
    return `does not allow to ${action} objects (${name}, ${status}). The access key requires permission to list the bucket and to create, read and delete objects.`;
  }
  if (name.startsWith('KMS.') || name.startsWith('KMSKey')) return `cannot use the KMS key (${name}). Check S3_KMS_KEY_ID.`;
  const remedy = REMEDIES[name] ?? BY_STATUS[status];
  if (remedy !== undefined) return `${remedy} (${name}, ${status})`;
  if (status >= 500) return `reported a server error (${name}, ${status}). Check the service and try again.`;
  if (status < 400) return `is not an S3 service (${status}). Check S3_ENDPOINT_URL.`;
  return `failed to ${action} objects (${name}, ${status}). Check S3_ENDPOINT_URL and the other S3 settings.`;
};

const wordsFor = (error: unknown, host: string, action: Action): string | undefined => {
  if (error instanceof NoAnswer)
    return `is not reachable at ${host} (${error.message}). Check S3_ENDPOINT_URL, the network and the service.`;
  if (error instanceof SpoiltTransfer) return BYTES_CHANGED;
  const [status, code] = [statusOf(error), errorCode(error)];
  if (status !== undefined) return answerWords(error, status, action);
  if (code !== undefined) return connectionWords(code, host);
  return error instanceof SyntaxError || error instanceof StrangeAnswer
    ? `returned no S3 response at ${host}. Check S3_ENDPOINT_URL.`
    : undefined;
};

/**
 * `error` of the SDK as one that may leave the storage: SERVICE_UNAVAILABLE in words that end with the way out. A mistake of our own
 * stays as it is.
 */
export const toS3Error = (error: unknown, { place, host }: BucketNames, action: Action): Error => {
  if (error instanceof AppError) return error;
  const words = wordsFor(error, host, action);
  if (words === undefined) return error instanceof Error ? error : new Error(String(error));
  return serviceUnavailable(`The storage ${place} ${words}`, bareCause(error));
};

/** The SDK's error holds what the service answered, the access key among it; a log must not. */
const bareCause = (error: unknown): Error => new Error(`${shownName(error)} ${statusOf(error) ?? errorCode(error) ?? ''}`.trimEnd());
