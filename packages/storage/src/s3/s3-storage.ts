import type { Readable } from 'node:stream';
import { CopyObjectCommand, DeleteObjectCommand, GetObjectCommand, type GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { reasonedError } from '@sheaf/contract';
import type { ComponentHealth } from '@sheaf/contract/operations';
import { uuidv7 } from '@sheaf/process';
import { contentHashOf, DERIVED_PREFIXES, DOCUMENTS_PREFIX, isKey, ORPHANS_PREFIX } from '../keys.ts';
import { ByteBudget } from '../remote/byte-budget.ts';
import { download } from '../remote/download.ts';
import { HealthProbe } from '../remote/health-probe.ts';
import { PATIENCE, type Patience } from '../remote/patience.ts';
import { type SpooledSource, spool } from '../remote/spool.ts';
import { verifiedStream } from '../remote/verified-stream.ts';
import type { ByteRange, OpenedObject, PutResult, Storage, StorageSource, StoredObject } from '../storage.ts';
import type { S3StorageSettings } from '../storage-settings.ts';
import { TempArea } from '../temp-area.ts';
import { Bucket, type FoundObject } from './bucket.ts';
import { listObjects } from './list-objects.ts';
import { StrangeAnswer, toS3Error } from './s3-failure.ts';
import { abortUnfinished } from './unfinished-uploads.ts';
import { keeping, writeObject } from './write-object.ts';

/** What all uploads of a process together hold in memory. */
const UPLOAD_MEMORY_BYTES = 96 * 1024 * 1024;

/** Hidden, so that no probe is ever taken for an object. */
const PROBES = '.sheaf-probe/';
const FOLDERS = [DOCUMENTS_PREFIX, ...DERIVED_PREFIXES, ORPHANS_PREFIX];

/** The documents in a bucket of Amazon S3, or of a service that speaks like it. */
export const openS3Storage = (settings: S3StorageSettings, patience: Patience = PATIENCE): Storage => new S3Storage(settings, patience);

class S3Storage implements Storage {
  readonly #bucket: Bucket;
  readonly #patience: Patience;
  readonly #temp: TempArea;
  readonly #budget = new ByteBudget(UPLOAD_MEMORY_BYTES);
  readonly #probe = new HealthProbe({ whole: () => this.#lookWholly(), brief: () => this.#bucket.prove() });

  constructor(settings: S3StorageSettings, patience: Patience) {
    this.#bucket = new Bucket(settings, patience);
    this.#patience = patience;
    this.#temp = new TempArea(settings.tempPath);
  }

  get place(): string {
    return this.#bucket.names.place;
  }

  pathOf(key: string): string {
    return `s3://${this.#bucket.names.bucket}/${this.#bucket.nameOf(key)}`;
  }

  async put(key: string, source: StorageSource): Promise<PutResult> {
    const [path, name] = [this.pathOf(key), this.#bucket.nameOf(key)];
    await using spooled = await spool(source, this.#temp);
    const found = await this.#bucket.look(name); // without the bucket the upload tells so
    const isNew = found?.sizeBytes !== spooled.sizeBytes;
    if (found === undefined || isNew || !(await this.#freshen(name, found))) await this.#write(name, spooled, contentHashOf(key));
    return { path, isNew };
  }

  async replace(key: string, source: StorageSource): Promise<void> {
    const name = this.#bucket.nameOf(key);
    await using spooled = await spool(source, this.#temp);
    await this.#write(name, spooled, contentHashOf(key));
  }

  async open(key: string, range?: ByteRange): Promise<OpenedObject> {
    const { place } = this.#bucket.names;
    const { stream, bodyBytes, sizeBytes } = await this.#get(key, range);
    const expected = {
      key,
      place,
      sizeBytes: bodyBytes,
      sha256: range === undefined ? contentHashOf(key) : undefined,
      idleMs: this.#patience.idleMs,
      toError: (error: unknown) => reasonedError('SERVICE_UNAVAILABLE', 'storage_transfer_closed', { storage: place }, error),
    };
    return { stream: verifiedStream(stream, expected), sizeBytes };
  }

  localPath(key: string, scratch: string): Promise<string> {
    return download(this, key, scratch);
  }

  async stat(key: string): Promise<StoredObject | undefined> {
    const found = await this.#bucket.find(this.#bucket.nameOf(key));
    return found && { key, sizeBytes: found.sizeBytes, modifiedAt: found.modifiedAt };
  }

  async delete(key: string): Promise<boolean> {
    const name = this.#bucket.nameOf(key);
    if ((await this.#bucket.find(name)) === undefined) return false;
    await this.#remove(name);
    return true;
  }

  async *list(prefix: string): AsyncIterable<StoredObject> {
    for await (const object of listObjects(this.#bucket, prefix)) if (isKey(object.key)) yield object;
  }

  /** Objects can be created, read, listed and deleted. */
  check(): Promise<ComponentHealth> {
    return this.#probe.check();
  }

  async sweepLeftovers(before: Date): Promise<number> {
    let swept = await abortUnfinished(this.#bucket, before, (key) => isKey(key) && FOLDERS.some((folder) => key.startsWith(folder)));
    for await (const { key, modifiedAt } of listObjects(this.#bucket, PROBES)) {
      if (modifiedAt >= before) continue;
      await this.#remove(`${this.#bucket.settings.prefix}${key}`);
      swept += 1;
    }
    return swept;
  }

  async close(): Promise<void> {
    this.#bucket.client.destroy();
  }

  #write(name: string, source: SpooledSource, sha256: string | undefined): Promise<void> {
    return writeObject({ bucket: this.#bucket, name, source, sha256, budget: this.#budget });
  }

  /** Lets the service copy an object onto itself, so that it counts as new. False where that did not help. */
  async #freshen(name: string, found: FoundObject): Promise<boolean> {
    const { client, settings } = this.#bucket;
    const command = new CopyObjectCommand({
      Bucket: settings.bucket,
      Key: name,
      CopySource: `${settings.bucket}/${name.split('/').map(encodeURIComponent).join('/')}`,
      MetadataDirective: 'REPLACE',
      ...keeping(settings),
    });
    try {
      const asked = { action: 'create', movedBytes: found.sizeBytes } as const;
      const { CopyObjectResult } = await this.#bucket.ask(asked, (abortSignal) => client.send(command, { abortSignal }));
      // Some only note the new metadata. The time is of whole seconds: within one of them it tells nothing.
      return (CopyObjectResult?.LastModified ?? new Date(0)) > found.modifiedAt;
    } catch {
      return false; // gone at this moment, or the service cannot: the object is sent again, and tells what is wrong
    }
  }

  async #get(key: string, range: ByteRange | undefined): Promise<{ stream: Readable; bodyBytes: number; sizeBytes: number }> {
    const { client, settings } = this.#bucket;
    const command = new GetObjectCommand({
      Bucket: settings.bucket,
      Key: this.#bucket.nameOf(key),
      ...(range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` }),
    });
    const answer = await this.#bucket.ask({ action: 'read', key }, (abortSignal) => client.send(command, { abortSignal }));
    const stream = bodyOf(answer);
    const sizes = range === undefined ? wholeSizes(answer) : rangeSizes(answer, range);
    if (sizes !== undefined) return { stream, ...sizes };
    stream.destroy();
    throw toS3Error(new StrangeAnswer('wrong range, or no content length'), this.#bucket.names, 'read');
  }

  async #remove(name: string): Promise<void> {
    const { client, settings } = this.#bucket;
    const command = new DeleteObjectCommand({ Bucket: settings.bucket, Key: name });
    await this.#bucket.ask({ action: 'delete' }, (abortSignal) => client.send(command, { abortSignal }));
  }

  async #lookWholly(): Promise<void> {
    const name = `${this.#bucket.settings.prefix}${PROBES}${uuidv7()}`;
    const bytes = Buffer.from('probe');
    await this.#write(name, { content: bytes, sizeBytes: bytes.length, [Symbol.asyncDispose]: async () => {} }, undefined);
    await this.#bucket.prove();
    if ((await this.#bucket.look(name))?.sizeBytes !== bytes.length)
      throw toS3Error(new StrangeAnswer('a stored object is missing'), this.#bucket.names, 'read');
    await this.#remove(name);
  }
}

/** On Node the SDK gives the stream that came from the network. */
const bodyOf = ({ Body }: GetObjectCommandOutput): Readable => Body as Readable;

const wholeSizes = ({ ContentLength }: GetObjectCommandOutput) =>
  ContentLength === undefined ? undefined : { bodyBytes: ContentLength, sizeBytes: ContentLength };

const rangeSizes = ({ ContentRange = '' }: GetObjectCommandOutput, range: ByteRange) => {
  const [, start, end, size] = (/^bytes (\d+)-(\d+)\/(\d+)$/.exec(ContentRange) ?? []).map(Number);
  if (start !== range.start || end === undefined || size === undefined || end > range.end) return undefined;
  return { bodyBytes: end - start + 1, sizeBytes: size };
};
