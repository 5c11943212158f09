import type { Readable } from 'node:stream';
import type { Secret } from '@sheaf/contract';
import type { ComponentHealth } from '@sheaf/contract/operations';
import { type Component, type Logger, Loop } from '@sheaf/process';

export interface S3StorageSettings {
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  readonly region: string;
  /** Undefined: Amazon's own, over https. */
  readonly endpointUrl: string | undefined;
  readonly forcePathStyle: boolean;
  /** '' or ending with a slash. */
  readonly prefix: string;
  readonly verifyCertificate: boolean;
  readonly storageClass: string;
  readonly encryption: 'AES256' | 'aws:kms' | undefined;
  readonly kmsKeyId: string | undefined;
  /** Where streams are kept until they are sent. */
  readonly tempPath: string;
}

export interface AzureStorageSettings {
  readonly connectionString: Secret;
  readonly container: string;
  /** Where streams are kept until they are sent. */
  readonly tempPath: string;
}

export type StorageType = 'local' | 's3' | 'azure';

/** The section `storage` of the configuration. */
export interface StorageSettings {
  /** The one that new objects go to. */
  readonly type: StorageType;
  readonly path: string;
  readonly thumbnailPath: string;
  readonly tempPath: string;
  readonly s3: Omit<S3StorageSettings, 'tempPath'> | undefined;
  readonly azure: Omit<AzureStorageSettings, 'tempPath'> | undefined;
}

const INTERVAL_MS = 15_000;

/** Asks the storage again and again how it is, so that a probe gets its answer at once. */
export class StorageHealth implements Component {
  readonly name = 'file_storage';
  readonly #storage: Storage;
  readonly #loop: Loop;
  #last: ComponentHealth = { status: 'healthy' };

  constructor(storage: Storage, log: Logger, intervalMs: number = INTERVAL_MS) {
    this.#storage = storage;
    this.#loop = new Loop({ name: this.name, intervalMs, log, run: () => this.#check() });
  }

  async start(): Promise<void> {
    await this.#check();
    await this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  health(): ComponentHealth {
    return this.#last;
  }

  async #check(): Promise<boolean> {
    this.#last = await this.#storage.check();
    return false;
  }
}

export interface StoredObject {
  readonly key: string;
  readonly sizeBytes: number;
  readonly modifiedAt: Date;
}

/** Where an object was put, as `documents.file_path` has it, and whether it was there before. */
export interface PutResult {
  readonly path: string;
  readonly isNew: boolean;
}

/** A file by its path, a stream, or bytes that are in memory anyway. */
export type StorageSource = string | Readable | Uint8Array;

/** Both ends belong to the range, as in HTTP. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface OpenedObject {
  readonly stream: Readable;
  /** Of the whole object, also where only a range is read. */
  readonly sizeBytes: number;
}

/**
 * Where the bytes of documents are kept, by keys that `keys.ts` makes. Every driver passes the same contract test.
 * A storage that cannot work now throws SERVICE_UNAVAILABLE with the way out; an absent object throws FILE_MISSING.
 */
export interface Storage {
  /** Where it is, for people: `/srv/uploads`, `s3://bucket/folder`, `azure://container`. */
  readonly place: string;
  /** What `put` answers as the path of `key`, and `documents.file_path` has. */
  pathOf(key: string): string;
  /**
   * Stores the file at the path `source`, or the bytes or the stream `source`: visible whole or not at all, and safe from a
   * power cut when this resolves. An object that is there with the same size stays, and its `modifiedAt` becomes now; one
   * of another size is damaged and is replaced. The file at `source` must not be changed afterwards: it may be shared, and it
   * loses what its mode lets everybody do.
   */
  put(key: string, source: StorageSource): Promise<PutResult>;
  /**
   * Stores as `put` does, and takes the place of whatever object is there, also of one of the same size: for an object that is
   * known to be damaged. The old one stays until the new one is whole. The file at `source` is copied, never shared.
   */
  replace(key: string, source: StorageSource): Promise<void>;
  /** A range that goes beyond the end stops there; one that begins behind it throws FILE_DAMAGED, as nobody asks for it otherwise. */
  open(key: string, range?: ByteRange): Promise<OpenedObject>;
  /** A path that other programs may read and must not change: the object itself, or a copy made in the folder `scratch`. */
  localPath(key: string, scratch: string): Promise<string>;
  /** Undefined where there is no such object. */
  stat(key: string): Promise<StoredObject | undefined>;
  /** Whether there was something to delete. */
  delete(key: string): Promise<boolean>;
  /** The objects whose keys begin with `prefix`, a folder such as `documents/`, in no particular order. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** What is wrong with the storage now. Never throws. */
  check(): Promise<ComponentHealth>;
  /** Removes what killed processes left half-written before `before`; returns how many. */
  sweepLeftovers(before: Date): Promise<number>;
  /** Gives connections back. */
  close(): Promise<void>;
}
