import { S3ServiceException } from '@aws-sdk/client-s3';
import { OutboundError } from '@sheaf/outbound';
import { statusFailure, toSourceError } from '../outbound-failure.ts';
import { SourceError } from '../source-error.ts';

export interface BucketName {
  readonly host: string;
  readonly bucket: string;
}

const WRONG_KEYS = new Set(['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'AuthorizationHeaderMalformed', 'ExpiredToken', 'InvalidToken']);
const SLOWER = new Set(['SlowDown', 'Throttling', 'ThrottlingException', 'RequestLimitExceeded', 'TooManyRequests']);

const byName = (name: string, { host, bucket }: BucketName): SourceError | undefined => {
  if (WRONG_KEYS.has(name)) return new SourceError('unauthorized', `${host} rejected the access key (${name}). Check the key and region.`);
  if (name === 'NoSuchBucket') return new SourceError('not_found', `${host} has no bucket ${bucket}.`);
  if (name === 'NoSuchKey' || name === 'NotFound') return new SourceError('not_found', `${host} no longer has the file.`);
  if (name === 'PermanentRedirect' || name === 'IllegalLocationConstraintException') {
    return new SourceError('protocol', `The bucket ${bucket} is in a different region. Correct the region.`);
  }
  if (name === 'RequestTimeTooSkewed')
    return new SourceError('unauthorized', `The clocks of ${host} and this machine differ. Correct the clock.`);
  return SLOWER.has(name)
    ? new SourceError('throttled', `${host} limits the request rate (${name}). The request is retried later.`)
    : undefined;
};

const retryAfterOf = (error: S3ServiceException): string | undefined => error.$response?.headers?.['retry-after'];

/** Statuses that speak of keys and buckets here, and of passwords elsewhere. */
const byStatus = (status: number, retryAfter: string | undefined, { host, bucket }: BucketName): SourceError => {
  if (status === 401 || status === 403) {
    return new SourceError(
      'unauthorized',
      `${host} denied access to the bucket ${bucket} (${status}). Check the permissions of the access key.`,
    );
  }
  if (status === 412) return new SourceError('changed', 'The file has changed since it was listed.');
  if (status < 400) return new SourceError('protocol', `${host} returned no S3 response. Check the URL.`);
  return statusFailure(status, retryAfter, host);
};

const httpStatusOf = (error: unknown): number | undefined => {
  const metadata = error instanceof Error && '$metadata' in error ? (error.$metadata as { httpStatusCode?: number }) : undefined;
  return metadata?.httpStatusCode;
};

/** What an error of the SDK means. A signal's reason stays as it is. */
export const toS3Failure = (error: unknown, bucket: BucketName, signal: AbortSignal): unknown => {
  if (signal.aborted) return signal.reason;
  if (error instanceof OutboundError || error instanceof SourceError) return toSourceError(error);
  const retryAfter = error instanceof S3ServiceException ? retryAfterOf(error) : undefined;
  const named = error instanceof Error ? byName(error.name, bucket) : undefined;
  if (named !== undefined) return new SourceError(named.code, named.message, { cause: error, ...waitOf(named, retryAfter, bucket) });
  const status = httpStatusOf(error);
  if (status !== undefined && status !== 200) return byStatus(status, retryAfter, bucket);
  return new SourceError('protocol', `${bucket.host} returned no S3 response. Check the URL.`, {
    cause: error,
  });
};

const waitOf = ({ code }: SourceError, retryAfter: string | undefined, { host }: BucketName): { retryAfterMs?: number } => {
  const waitMs = code === 'throttled' ? statusFailure(429, retryAfter, host).retryAfterMs : undefined;
  return waitMs === undefined ? {} : { retryAfterMs: waitMs };
};
