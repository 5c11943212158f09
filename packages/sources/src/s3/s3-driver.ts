import type { Readable } from 'node:stream';
import { GetObjectCommand, type GetObjectCommandOutput, S3Client } from '@aws-sdk/client-s3';
import { type Secret, stripBoth } from '@sheaf/contract';
import type { GuardedFetch } from '@sheaf/outbound';
import { inBatches } from '../batches.ts';
import type { Listing, OpenedFile, RemoteFile, SourceDriver } from '../driver.ts';
import type { DriverLimits } from '../driver-limits.ts';
import { exactBody } from '../exact-body.ts';
import { contradiction, isContradiction, isSameVersion } from '../file-version.ts';
import { ListingBudget } from '../listing-budget.ts';
import { SourceError } from '../source-error.ts';
import { makeGuardedHandler } from './guarded-handler.ts';
import { askPage, listObjects } from './list-objects.ts';
import { type BucketName, toS3Failure } from './s3-failure.ts';

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
