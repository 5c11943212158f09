import { AppError, errorCode, reasonedError } from '@sheaf/contract';
import { connectionReason, isCertificateCode, NoAnswer } from '../remote/patience.ts';

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

/** What the names of errors mean. Other services than Amazon's have the same names. */
const REASONS = {
  NoSuchBucket: 'storage_not_found',
  InvalidAccessKeyId: 'storage_key_rejected',
  SignatureDoesNotMatch: 'storage_key_rejected',
  InvalidToken: 'storage_key_rejected',
  ExpiredToken: 'storage_key_rejected',
  AuthorizationHeaderMalformed: 'storage_region_wrong',
  PermanentRedirect: 'storage_region_wrong',
  TemporaryRedirect: 'storage_region_wrong',
  IllegalLocationConstraintException: 'storage_region_wrong',
  RequestTimeTooSkewed: 'storage_clock_differs',
  InvalidStorageClass: 'storage_class_unsupported',
  InvalidEncryptionAlgorithmError: 'storage_encryption_unsupported',
  ServerSideEncryptionConfigurationNotFoundError: 'storage_encryption_unsupported',
  NotImplemented: 'storage_request_unsupported',
  InvalidObjectState: 'storage_object_archived',
  SlowDown: 'storage_rate_limited',
  Throttling: 'storage_rate_limited',
  TooManyRequests: 'storage_rate_limited',
  QuotaExceeded: 'storage_quota_reached',
  XMinioStorageFull: 'storage_quota_reached',
  BadDigest: 'storage_checksum_mismatch',
  InvalidDigest: 'storage_checksum_mismatch',
  XAmzContentSHA256Mismatch: 'storage_checksum_mismatch',
} as const;

const BY_STATUS = {
  301: 'storage_region_wrong',
  307: 'storage_region_wrong',
  401: 'storage_key_rejected',
  429: 'storage_rate_limited',
  507: 'storage_quota_reached',
} as const;

const hasReason = (name: string): name is keyof typeof REASONS => Object.hasOwn(REASONS, name);
const hasStatusReason = (status: number): status is keyof typeof BY_STATUS => Object.hasOwn(BY_STATUS, status);

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

const answerReason = (name: string, status: number) => {
  if (name === 'AccessDenied' || (status === 403 && !hasReason(name))) return 'storage_access_denied';
  if (name.startsWith('KMS.') || name.startsWith('KMSKey')) return 'storage_kms_key_unusable';
  if (hasReason(name)) return REASONS[name];
  if (hasStatusReason(status)) return BY_STATUS[status];
  if (status >= 500) return 'storage_server_error';
  return status < 400 ? 'storage_invalid_response' : 'storage_request_failed';
};

/** Why the service did not do what it was asked for, with what it called that; undefined for a mistake of our own. */
const failureOf = (error: unknown) => {
  if (error instanceof NoAnswer) return { reason: 'storage_unreachable', text: error.message } as const;
  if (error instanceof SpoiltTransfer) return { reason: 'storage_checksum_mismatch', text: '' } as const;
  const [status, code, name] = [statusOf(error), errorCode(error), shownName(error)];
  if (status !== undefined) return { reason: answerReason(name, status), text: `${name}, ${status}` } as const;
  if (code !== undefined)
    return { reason: /^(EPROTO|ERR_SSL_)/.test(code) ? 'storage_https_unsupported' : connectionReason(code), text: code } as const;
  const isStrange = error instanceof SyntaxError || error instanceof StrangeAnswer;
  return isStrange ? ({ reason: 'storage_invalid_response', text: '' } as const) : undefined;
};

/**
 * `error` of the SDK as one that may leave the storage: SERVICE_UNAVAILABLE with its reason. A mistake of our own stays as it is.
 */
export const toS3Error = (error: unknown, { place, host }: BucketNames, action: Action): Error => {
  if (error instanceof AppError) return error;
  const failure = failureOf(error);
  if (failure === undefined) return error instanceof Error ? error : new Error(String(error));
  const details = {
    storage: place,
    host,
    action,
    error: failure.text,
    setting: 'S3_ENDPOINT_URL',
    location_setting: 'S3_BUCKET_NAME',
    credentials_setting: 'S3_ACCESS_KEY_ID',
    ...(isCertificateCode(failure.text) ? { verification: 'S3_VERIFY_SSL' } : {}),
  };
  return reasonedError('SERVICE_UNAVAILABLE', failure.reason, details, bareCause(error));
};

/** The SDK's error holds what the service answered, the access key among it; a log must not. */
const bareCause = (error: unknown): Error => new Error(`${shownName(error)} ${statusOf(error) ?? errorCode(error) ?? ''}`.trimEnd());
