import type { Readable } from 'node:stream';
import {
  GetObjectCommand,
  type GetObjectCommandOutput,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  S3Client,
  type _Object as S3Object,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { type Secret, stripBoth } from '@sheaf/contract';
import { ledgerReason } from '@sheaf/contract/imports';
import { type GuardedFetch, OutboundError } from '@sheaf/outbound';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import { type DriverLimits, ListingBudget, REQUEST_TIMEOUTS_MS, refusalOfParts, showPath } from '../listing-budget.ts';
import { exactBody, statusFailure, toSourceError } from '../outbound.ts';
import {
  contradiction,
  type Found,
  inBatches,
  isContradiction,
  isSameVersion,
  type Listing,
  type OpenedFile,
  type RemoteFile,
  type SourceDriver,
  SourceError,
} from '../source-driver.ts';

export interface S3Settings {
  readonly bucket: string;
  readonly region: string;
  /** Of a service that is not Amazon's. */
  readonly endpointUrl?: string | undefined;
  /** The folder in the bucket, with or without slashes around it. */
  readonly prefix?: string | undefined;
  readonly forcePathStyle: boolean;
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  readonly recursive: boolean;
}

const hostOf = ({ endpointUrl, region }: S3Settings): string => {
  if (endpointUrl === undefined) return `s3.${region}.amazonaws.com`;
  const url = URL.canParse(endpointUrl) ? new URL(endpointUrl) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && url.search === '')
    return url.host;
  throw new SourceError('refused', 'The endpoint of an S3 source must be an https:// or http:// URL without user name and query string.');
};

/** A prefix is a folder: `a` does not mean `ab.txt`. */
const folderPrefix = (prefix = ''): string => {
  const inner = stripBoth(prefix, '/');
  return inner === '' ? '' : `${inner}/`;
};

const makeClient = (settings: S3Settings, fetch: GuardedFetch): S3Client =>
  new S3Client({
    region: settings.region,
    ...(settings.endpointUrl === undefined ? {} : { endpoint: settings.endpointUrl }),
    forcePathStyle: settings.forcePathStyle,
    credentials: { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey.reveal() },
    // Given here, so that neither the environment nor a file of the machine decides.
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    followRegionRedirects: false,
    retryMode: 'standard',
    // Whoever runs the source waits and asks again, for all kinds of sources alike.
    maxAttempts: 1,
    requestHandler: makeGuardedHandler(fetch),
  });

/** Objects of a bucket below a prefix. Throws SourceError refused when the endpoint cannot be one. */
export const makeS3Driver = (settings: S3Settings, fetch: GuardedFetch, limits: DriverLimits): SourceDriver =>
  new S3Driver(settings, fetch, limits);

class S3Driver implements SourceDriver {
  readonly #bucket: BucketName;
  readonly #prefix: string;
  readonly #client: S3Client;
  readonly #recursive: boolean;
  readonly #limits: DriverLimits;

  constructor(settings: S3Settings, fetch: GuardedFetch, limits: DriverLimits) {
    this.#bucket = { host: hostOf(settings), bucket: settings.bucket };
    this.#prefix = folderPrefix(settings.prefix);
    this.#client = makeClient(settings, fetch);
    this.#recursive = settings.recursive;
    this.#limits = limits;
  }

  async check(signal: AbortSignal): Promise<void> {
    await askPage(this.#client, { bucket: this.#bucket, prefix: this.#prefix, recursive: true, signal, maxKeys: 1 });
  }

  list(signal: AbortSignal): AsyncIterable<Listing> {
    const budget = new ListingBudget(this.#limits);
    const options = { bucket: this.#bucket, prefix: this.#prefix, recursive: this.#recursive, budget, signal };
    return inBatches(listObjects(this.#client, options));
  }

  async open(file: RemoteFile, signal: AbortSignal): Promise<OpenedFile> {
    const command = new GetObjectCommand({
      Bucket: this.#bucket.bucket,
      Key: this.#prefix + file.path,
      ...(file.etag === undefined ? {} : { IfMatch: file.etag }),
    });
    const answer = await this.#get(command, signal);
    const isCompressed = (answer.ContentEncoding ?? 'identity') !== 'identity';
    const version = { sizeBytes: isCompressed ? undefined : answer.ContentLength, modifiedAt: answer.LastModified, etag: answer.ETag };
    if (isContradiction(file, version)) throw contradiction(this.#bucket.host, bodyOf(answer));
    const sizeBytes = version.sizeBytes ?? (isCompressed ? undefined : file.sizeBytes);
    return {
      body: exactBody(bodyOf(answer), { sizeBytes, host: this.#bucket.host }),
      ...version,
      sizeBytes,
      // An object is replaced as a whole, so the answer's tag is that of all its bytes.
      isUnchanged: async () => isSameVersion(file, version) ?? true,
    };
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  async #get(command: GetObjectCommand, signal: AbortSignal): Promise<GetObjectCommandOutput> {
    try {
      return await this.#client.send(command, { abortSignal: signal });
    } catch (error) {
      throw toS3Failure(error, this.#bucket, signal);
    }
  }
}

/** On Node the SDK gives the stream that the handler gave it. */
const bodyOf = ({ Body }: GetObjectCommandOutput): Readable => Body as Readable;

/** What the SDK hands to the one that sends. */
interface SdkRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query?: Record<string, string | string[] | null>;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}

interface SdkResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

interface SdkHandler {
  handle(request: SdkRequest, options?: { readonly abortSignal?: unknown }): Promise<{ response: SdkResponse }>;
  destroy(): void;
  updateHttpClientConfig(): void;
  httpHandlerConfigs(): object;
}

const MAX_LISTING_BYTES = 16 * 1024 * 1024;

const escapeReserved = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
const encode = (text: string): string => encodeURIComponent(text).replaceAll(/[!'()*]/g, escapeReserved);

const queryOf = (query: SdkRequest['query'] = {}): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === null ? [encode(name)] : [value].flat().map((one) => `${encode(name)}=${encode(one)}`),
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
};

const urlOf = ({ protocol, hostname, port, path, query }: SdkRequest): string =>
  `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}${queryOf(query)}`;

/** Objects may be of any size; everything else that a bucket answers is short. */
const limitsOf = ({ query = {} }: SdkRequest) =>
  query['x-id'] === 'GetObject'
    ? { maxResponseBytes: Number.POSITIVE_INFINITY, timeoutMs: REQUEST_TIMEOUTS_MS.download }
    : { maxResponseBytes: MAX_LISTING_BYTES, timeoutMs: REQUEST_TIMEOUTS_MS.check * 4 };

/** Lets the SDK send through the guarded client, and in no other way. Only requests without a body are known. */
const makeGuardedHandler = (fetch: GuardedFetch): SdkHandler => ({
  handle: async (request, { abortSignal } = {}) => {
    const { host: _host, ...headers } = request.headers; // it follows from the address
    const {
      status,
      headers: answered,
      body,
    } = await fetch(urlOf(request), {
      method: request.method,
      headers,
      redirects: 'same_origin',
      ...limitsOf(request),
      ...(abortSignal instanceof AbortSignal ? { signal: abortSignal } : {}),
    });
    return { response: { statusCode: status, headers: { ...answered }, body } };
  },
  destroy: () => {}, // its connections are the guarded client's
  updateHttpClientConfig: () => {},
  httpHandlerConfigs: () => ({}),
});

interface ListOptions {
  readonly bucket: BucketName;
  /** '' or ending with a slash. */
  readonly prefix: string;
  readonly recursive: boolean;
  readonly budget: ListingBudget;
  readonly signal: AbortSignal;
}

/** All objects below the prefix, page by page. Throws SourceError. */
const listObjects = async function* (client: S3Client, options: ListOptions): AsyncIterable<readonly Found[]> {
  let token: string | undefined;
  let last = '';
  do {
    const page = await askPage(client, { ...options, token });
    const isEncoded = page.EncodingType === 'url';
    const found = (page.Contents ?? []).map((object) => judge(object, isEncoded, options));
    yield found.filter((one) => one !== undefined);
    const next = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    const newest = lastOf(page);
    checkProgress(page, { token, next, last, newest }, options.bucket);
    [token, last] = [next, newest];
  } while (token !== undefined);
};

/** Keys come in the order of their bytes, so a page that does not go on from the last one would go on for ever. */
interface Progress {
  readonly token: string | undefined;
  readonly next: string | undefined;
  readonly last: string;
  readonly newest: string;
}

const checkProgress = (page: ListObjectsV2CommandOutput, { token, next, last, newest }: Progress, { host }: BucketName): void => {
  const lost = page.IsTruncated === true && (next === undefined || next === '');
  if (!lost && (next === undefined || (next !== token && newest !== last))) return;
  throw new SourceError('protocol', `The listing of ${host} does not end: a page is repeated or the continuation token is missing.`);
};

const lastOf = ({ Contents = [], CommonPrefixes = [] }: ListObjectsV2CommandOutput): string =>
  `${Contents.at(-1)?.Key ?? ''}\n${CommonPrefixes.at(-1)?.Prefix ?? ''}`;

interface PageOptions extends Pick<ListOptions, 'bucket' | 'prefix' | 'recursive' | 'signal'> {
  readonly token?: string | undefined;
  readonly maxKeys?: number;
}

/** One page of a listing. Throws SourceError, also where the answer is none. */
const askPage = async (client: S3Client, options: PageOptions): Promise<ListObjectsV2CommandOutput> => {
  const { bucket, prefix, recursive, signal, token, maxKeys } = options;
  const command = new ListObjectsV2Command({
    Bucket: bucket.bucket,
    EncodingType: 'url', // XML cannot hold every key
    ...(prefix === '' ? {} : { Prefix: prefix }),
    ...(recursive ? {} : { Delimiter: '/' }),
    ...(token === undefined ? {} : { ContinuationToken: token }),
    ...(maxKeys === undefined ? {} : { MaxKeys: maxKeys }),
  });
  try {
    const page = await client.send(command, { abortSignal: signal });
    if (page.KeyCount === undefined && page.Contents === undefined && page.Name === undefined) throw new TypeError('No listing');
    return page;
  } catch (error) {
    throw toS3Failure(error, bucket, signal);
  }
};

/** Undefined when it is not properly encoded. */
const decodeKey = (encoded: string): string | undefined => {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return undefined; // bytes that are no UTF-8
  }
};

const refuse = (path: string, reason: LedgerReason, { budget }: ListOptions): Found => {
  budget.takeEntry();
  return { refused: { path: showPath(path), reason, isFolder: false } };
};

const judge = ({ Key = '', Size, LastModified, ETag }: S3Object, isEncoded: boolean, options: ListOptions): Found | undefined => {
  const key = isEncoded ? decodeKey(Key) : Key;
  if (key === undefined) return refuse(Key, ledgerReason('not_unicode'), options);
  if (!key.startsWith(options.prefix)) {
    throw new SourceError('protocol', `${options.bucket.host} lists files outside the prefix of the source.`);
  }
  const path = key.slice(options.prefix.length);
  if (path === '' || path.endsWith('/')) return undefined; // a marker that makes a folder visible in some programs
  const reason = refusalOfParts(path.split('/'));
  if (reason !== undefined) return refuse(path, reason, options);
  if (!options.recursive && path.includes('/')) return undefined;
  options.budget.takeFile(path);
  return { file: { path, sizeBytes: Size, modifiedAt: LastModified, etag: ETag } };
};

interface BucketName {
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
const toS3Failure = (error: unknown, bucket: BucketName, signal: AbortSignal): unknown => {
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
