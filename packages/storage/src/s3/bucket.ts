import {
  AbortMultipartUploadCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { fileDamaged, fileMissing } from '../errors.ts';
import { isKey } from '../joined-storage.ts';
import { type Patience, withRetries } from '../remote/patience.ts';
import type { S3StorageSettings } from '../storage.ts';
import {
  type Action,
  type BucketNames,
  isBehindEnd,
  isNoSuchKey,
  isNotImplemented,
  isTransient,
  StrangeAnswer,
  statusOf,
  toS3Error,
} from './s3-failure.ts';

/** Where the next page goes on. */
interface Marker {
  readonly KeyMarker?: string | undefined;
  readonly UploadIdMarker?: string | undefined;
}

interface Unfinished {
  readonly name: string;
  readonly uploadId: string;
  readonly begunAt: Date;
}

/** Gives up the uploads of `isOurs` that were begun before `before` and not finished; returns how many. */
export const abortUnfinished = async (bucket: Bucket, before: Date, isOurs: (key: string) => boolean): Promise<number> => {
  const { bucket: Bucket, prefix } = bucket.settings;
  let aborted = 0;
  for (const { name, uploadId, begunAt } of await listUnfinished(bucket)) {
    if (begunAt >= before || !isOurs(name.slice(prefix.length))) continue;
    const command = new AbortMultipartUploadCommand({ Bucket, Key: name, UploadId: uploadId });
    await bucket.ask({ action: 'delete' }, async (abortSignal) => {
      try {
        await bucket.client.send(command, { abortSignal });
      } catch (error) {
        if (statusOf(error) !== 404) throw error; // finished or given up at this moment
      }
    });
    aborted += 1;
  }
  return aborted;
};

/** None where the service does not know such a list. */
const listUnfinished = async (bucket: Bucket): Promise<Unfinished[]> => {
  const { bucket: Bucket, prefix: Prefix } = bucket.settings;
  const found: Unfinished[] = [];
  let next: Marker | undefined = {};
  while (next !== undefined) {
    const page: ListMultipartUploadsCommandOutput = await askPage(bucket, { Bucket, Prefix, ...next });
    for (const { Key = '', UploadId = '', Initiated = new Date() } of page.Uploads ?? [])
      if (Key.startsWith(Prefix)) found.push({ name: Key, uploadId: UploadId, begunAt: Initiated });
    next = markerAfter(page, next);
  }
  return found;
};

const askPage = (bucket: Bucket, question: { Bucket: string; Prefix: string } & Marker): Promise<ListMultipartUploadsCommandOutput> =>
  bucket.ask({ action: 'list' }, async (abortSignal) => {
    try {
      return await bucket.client.send(new ListMultipartUploadsCommand(question), { abortSignal });
    } catch (error) {
      if (isNotImplemented(error)) return { $metadata: {} };
      throw error;
    }
  });

const markerAfter = (page: ListMultipartUploadsCommandOutput, { KeyMarker, UploadIdMarker }: Marker): Marker | undefined => {
  const next = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
  const isSame = next.KeyMarker === KeyMarker && next.UploadIdMarker === UploadIdMarker;
  return page.IsTruncated === true && next.KeyMarker !== undefined && !isSame ? next : undefined;
};

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
