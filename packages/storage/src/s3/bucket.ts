import { HeadObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { fileDamaged, fileMissing } from '../errors.ts';
import { isKey } from '../joined-storage.ts';
import { type Patience, withRetries } from '../remote/patience.ts';
import type { S3StorageSettings } from '../storage-settings.ts';
import { type Action, type BucketNames, isBehindEnd, isNoSuchKey, isTransient, StrangeAnswer, statusOf, toS3Error } from './s3-failure.ts';

/** How long a bucket that was there is believed to be. Only an empty one can be deleted. */
const BELIEVED_MS = 30_000;

export interface Asked {
  readonly action: Action;
  /** Where the absence of the object is an error of its own. */
  readonly key?: string;
  /** How much moves before the answer can come. */
  readonly movedBytes?: number;
}

/** What is known of an object without reading it. */
export interface FoundObject {
  readonly sizeBytes: number;
  readonly modifiedAt: Date;
  readonly etag: string | undefined;
}

const hostOf = ({ endpointUrl, region }: S3StorageSettings): string =>
  endpointUrl === undefined ? `s3.${region}.amazonaws.com` : new URL(endpointUrl).host;

/** Our folder of a bucket, and the one way to ask for something in it. */
export class Bucket {
  readonly settings: S3StorageSettings;
  readonly client: S3Client;
  readonly names: BucketNames;
  readonly #patience: Patience;
  #seenAt = Number.NEGATIVE_INFINITY;

  constructor(settings: S3StorageSettings, patience: Patience) {
    const { bucket, prefix } = settings;
    this.settings = settings;
    this.client = makeS3Client(settings);
    this.names = { bucket, place: `s3://${bucket}${prefix === '' ? '' : `/${prefix.slice(0, -1)}`}`, host: hostOf(settings) };
    this.#patience = patience;
  }

  /** The full name of an object in the bucket. Throws where `key` is none. */
  nameOf(key: string): string {
    if (!isKey(key)) throw new Error(`not a storage key: ${JSON.stringify(key)}`);
    return `${this.settings.prefix}${key}`;
  }

  /** Runs `attempt`, again where that may help. Throws AppError: FILE_MISSING, FILE_DAMAGED, SERVICE_UNAVAILABLE. */
  async ask<T>(asked: Asked, attempt: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      const { movedBytes: sentBytes = 0 } = asked;
      return await withRetries({ patience: this.#patience, sentBytes, isTransient }, attempt);
    } catch (error) {
      if (asked.key !== undefined && isNoSuchKey(error)) throw fileMissing(asked.key);
      if (asked.key !== undefined && isBehindEnd(error)) throw fileDamaged(asked.key);
      throw toS3Error(error, this.names, asked.action);
    }
  }

  /** The object of this full name; undefined where the bucket is there, and the object is not. */
  async find(name: string): Promise<FoundObject | undefined> {
    const found = await this.look(name);
    if (found === undefined && performance.now() > this.#seenAt + BELIEVED_MS) await this.prove();
    return found;
  }

  /** Asks whether the bucket is there, and may be listed. */
  async prove(): Promise<void> {
    const { bucket: Bucket, prefix: Prefix } = this.settings;
    await this.ask({ action: 'list' }, async (abortSignal) => {
      const page = await this.client.send(new ListObjectsV2Command({ Bucket, Prefix, MaxKeys: 1 }), { abortSignal });
      if (page.Name === undefined) throw new StrangeAnswer('no listing');
    });
    this.#seenAt = performance.now();
  }

  /** The object of this full name; undefined where it or the bucket is absent: such an answer has no body that tells which. */
  look(name: string): Promise<FoundObject | undefined> {
    const command = new HeadObjectCommand({ Bucket: this.settings.bucket, Key: name });
    return this.ask({ action: 'read' }, async (abortSignal) => {
      try {
        const { ContentLength, LastModified, ETag } = await this.client.send(command, { abortSignal });
        if (ContentLength === undefined || LastModified === undefined) throw new StrangeAnswer('no size or time');
        return { sizeBytes: ContentLength, modifiedAt: LastModified, etag: ETag };
      } catch (error) {
        if (statusOf(error) === 404) return undefined;
        throw error;
      }
    });
  }
}

/** Each reader of an object holds one for as long as it reads. */
const MAX_SOCKETS = 256;

/** The SDK for one bucket. It tries once and knows no time limit: `withRetries` has both. */
const makeS3Client = (settings: S3StorageSettings): S3Client =>
  new S3Client({
    region: settings.region,
    ...(settings.endpointUrl === undefined ? {} : { endpoint: settings.endpointUrl }),
    forcePathStyle: settings.forcePathStyle,
    credentials: { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey.reveal() },
    ...SETTLED,
    requestHandler: new NodeHttpHandler({
      httpAgent: { keepAlive: true, maxSockets: MAX_SOCKETS },
      httpsAgent: { keepAlive: true, maxSockets: MAX_SOCKETS, rejectUnauthorized: settings.verifyCertificate },
      requestTimeout: 0,
      socketTimeout: 0,
    }),
  });

/** Everything that the SDK would look up in the environment or in a file of the machine where it is not given. */
const SETTLED = {
  ignoreConfiguredEndpointUrls: true,
  useFipsEndpoint: false,
  useDualstackEndpoint: false,
  useArnRegion: false,
  disableS3ExpressSessionAuth: true,
  followRegionRedirects: false,
  authSchemePreference: [] as string[],
  sigv4aSigningRegionSet: [] as string[],
  userAgentAppId: '',
  defaultsMode: 'standard',
  retryMode: 'standard',
  maxAttempts: 1,
  // Its own checksums come as trailers, which other services than Amazon's refuse, or store with the bytes.
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
  // With it each larger request gets a connection of its own.
  expectContinueHeader: false,
} as const;
