import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { reasonedError } from '@sheaf/contract';
import type { ComponentHealth } from '@sheaf/contract/operations';
import { uuidv7 } from '@sheaf/process';
import { contentHashOf, DERIVED_PREFIXES, DOCUMENTS_PREFIX, isKey, ORPHANS_PREFIX } from '../joined-storage.ts';
import { download } from '../remote/download.ts';
import { HealthProbe, PATIENCE, type Patience } from '../remote/patience.ts';
import { ByteBudget, otherHash, type Piece, piecesOf, type SpooledSource, spool } from '../remote/pieces.ts';
import { verifiedStream } from '../remote/verified-stream.ts';
import type { ByteRange, OpenedObject, PutResult, S3StorageSettings, Storage, StorageSource, StoredObject } from '../storage.ts';
import { TempArea } from '../temp-area.ts';
import { abortUnfinished, Bucket, type FoundObject } from './bucket.ts';
import { SpoiltTransfer, StrangeAnswer, toS3Error } from './s3-failure.ts';

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

/** All objects below `folder` in our part of the bucket, page by page; their keys as far as they are ours. */
const listObjects = async function* (bucket: Bucket, folder: string): AsyncIterable<StoredObject> {
  const { bucket: Bucket, prefix } = bucket.settings;
  let token: string | undefined;
  do {
    const page = await askPage(bucket, { Bucket, Prefix: `${prefix}${folder}`, ContinuationToken: token });
    for (const { Key = '', Size = 0, LastModified = new Date(0) } of page.Contents ?? []) {
      const name = page.EncodingType === 'url' ? decodeName(Key) : Key;
      if (name?.startsWith(`${prefix}${folder}`) === true)
        yield { key: name.slice(prefix.length), sizeBytes: Size, modifiedAt: LastModified };
    }
    token = page.next;
  } while (token !== undefined);
};

const askPage = (bucket: Bucket, question: { Bucket: string; Prefix: string; ContinuationToken: string | undefined }) =>
  bucket.ask({ action: 'list' }, async (abortSignal) => {
    const command = new ListObjectsV2Command({ ...question, EncodingType: 'url' }); // XML cannot hold every name
    const page = await bucket.client.send(command, { abortSignal });
    const next = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    const isLost = page.IsTruncated === true && (next === undefined || next === question.ContinuationToken);
    if (page.Name === undefined || isLost) throw new StrangeAnswer('no listing, or one without an end');
    return { ...page, next };
  });

/** Undefined where it is no UTF-8, and so not ours. */
const decodeName = (encoded: string): string | undefined => {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
};

/** Up to this an object is sent by one request, and in parts of it above. */
const PART_BYTES = 8 * 1024 * 1024;
/** Parts of an object on their way at once. What all uploads together hold in memory is the budget's. */
const PARTS_AT_ONCE = 4;

interface Upload {
  readonly bucket: Bucket;
  /** The full name in the bucket. */
  readonly name: string;
  readonly source: SpooledSource;
  /** What the bytes must have; undefined where it is not known. */
  readonly sha256: string | undefined;
  readonly budget: ByteBudget;
}

/** What each way to make an object says of how it is kept. */
const keeping = ({ storageClass, encryption, kmsKeyId }: S3StorageSettings) => ({
  ...(storageClass === 'STANDARD' ? {} : { StorageClass: storageClass as 'STANDARD_IA' }),
  ...(encryption === undefined ? {} : { ServerSideEncryption: encryption }),
  ...(encryption !== 'aws:kms' || kmsKeyId === undefined ? {} : { SSEKMSKeyId: kmsKeyId }),
});

/**
 * Sends an object: it appears whole or not at all, and takes the place of another. The SDK signs the SHA-256 of each request's body
 * and each carries its MD5: services that look at one of them refuse spoiled bytes, and those that do not are found out by their
 * tag. Not by lib-storage: that compares nothing, tries no part again, goes on after a part failed, and knows no common budget.
 */
const writeObject = (upload: Upload): Promise<void> => (upload.source.sizeBytes <= PART_BYTES ? writeAtOnce(upload) : writeInParts(upload));

const targetOf = ({ bucket, name }: Upload) => ({ Bucket: bucket.settings.bucket, Key: name });

const writeAtOnce = async (upload: Upload): Promise<void> => {
  const { source, budget } = upload;
  for await (const piece of piecesOf(source, { pieceBytes: PART_BYTES, sha256: undefined, budget })) await writeWhole(upload, piece);
};

const writeWhole = async (upload: Upload, piece: Piece): Promise<void> => {
  using held = piece;
  const { bucket } = upload;
  const sha256 = await sha256Of(held.bytes);
  if (upload.sha256 !== undefined && sha256 !== upload.sha256) throw otherHash(upload.sha256);
  const tags = new ExpectedTag(held.bytes);
  const command = new PutObjectCommand({
    ...targetOf(upload),
    ...keeping(bucket.settings),
    Body: held.bytes,
    ContentMD5: tags.md5,
  });
  command.middlewareStack.add((next) => (args) => next(signedBy(sha256, args)), { step: 'build' });
  try {
    await bucket.ask({ action: 'create', movedBytes: held.bytes.length }, async (abortSignal) =>
      tags.compare(await bucket.client.send(command, { abortSignal })),
    );
  } catch (error) {
    if (tags.wrong !== undefined) await removeSpoilt(upload, tags.wrong);
    throw error;
  }
};

/** Only what was written here: somebody else may have stored the right bytes meanwhile. */
const removeSpoilt = async (upload: Upload, etag: string): Promise<void> => {
  const { bucket, name } = upload;
  if ((await bucket.look(name))?.etag === etag) await remove(upload);
};

const remove = async (upload: Upload): Promise<void> => {
  const { bucket } = upload;
  await bucket.ask({ action: 'delete' }, (abortSignal) => bucket.client.send(new DeleteObjectCommand(targetOf(upload)), { abortSignal }));
};

const writeInParts = async (upload: Upload): Promise<void> => {
  const { bucket, name, source } = upload;
  const begin = new CreateMultipartUploadCommand({ ...targetOf(upload), ...keeping(bucket.settings) });
  const { UploadId } = await bucket.ask({ action: 'create' }, (abortSignal) => bucket.client.send(begin, { abortSignal }));
  const target = { ...targetOf(upload), UploadId };
  try {
    const parts = await sendParts(upload, UploadId);
    const complete = new CompleteMultipartUploadCommand({ ...target, MultipartUpload: { Parts: parts } });
    const asked = { action: 'create', movedBytes: source.sizeBytes } as const;
    await bucket.ask(asked, (abortSignal) => bucket.client.send(complete, { abortSignal }));
  } catch (error) {
    // Where this fails as well, nothing is to be seen of the parts either, and the sweep of leftovers takes them.
    await bucket
      .ask({ action: 'delete' }, (abortSignal) => bucket.client.send(new AbortMultipartUploadCommand(target), { abortSignal }))
      .catch(() => {});
    throw error;
  }
  const found = await bucket.look(name);
  if (found?.sizeBytes === source.sizeBytes) return;
  if (found !== undefined) await remove(upload);
  throw toS3Error(new SpoiltTransfer(), bucket.names, 'create');
};

/** All of them, some at once. Begins no further one when one has failed, and returns when none is on its way any more. */
const sendParts = async (upload: Upload, uploadId: string | undefined): Promise<CompletedPart[]> => {
  const parts: CompletedPart[] = [];
  const onTheWay = new Set<Promise<void>>();
  const { source, sha256, budget } = upload;
  try {
    for await (const piece of piecesOf(source, { pieceBytes: PART_BYTES, sha256, budget })) {
      const sending = sendPart(upload, uploadId, piece).then((part) => void parts.push(part));
      const settled = sending.finally(() => onTheWay.delete(settled));
      settled.catch(() => {}); // told by whoever waits for it
      onTheWay.add(settled);
      if (onTheWay.size >= PARTS_AT_ONCE) await Promise.race(onTheWay);
    }
    await Promise.all(onTheWay);
  } finally {
    await Promise.allSettled(onTheWay);
  }
  return parts.toSorted((a, b) => (a.PartNumber ?? 0) - (b.PartNumber ?? 0));
};

const sendPart = async (upload: Upload, uploadId: string | undefined, piece: Piece): Promise<CompletedPart> => {
  using held = piece;
  const { client } = upload.bucket;
  const sha256 = await sha256Of(held.bytes);
  const tags = new ExpectedTag(held.bytes);
  const part = { UploadId: uploadId, PartNumber: held.number, Body: held.bytes, ContentMD5: tags.md5 };
  const command = new UploadPartCommand({ ...targetOf(upload), ...part });
  command.middlewareStack.add((next) => (args) => next(signedBy(sha256, args)), { step: 'build' });
  const etag = await upload.bucket.ask({ action: 'create', movedBytes: held.bytes.length }, async (abortSignal) =>
    tags.compare(await client.send(command, { abortSignal })),
  );
  return { PartNumber: held.number, ETag: etag };
};

/** In a thread of its own: the SDK would take the hash in the one that answers requests. */
const sha256Of = async (bytes: Buffer<ArrayBuffer>): Promise<string> =>
  Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex');

/** Gives the hash of the body to the SDK, which takes it into the signature. */
const signedBy = <T extends { readonly request: unknown }>(sha256: string, args: T): T => {
  (args.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] = sha256;
  return args;
};

/** The tag of bytes is their MD5, in quotes, where they are kept as they were sent or only with the key of the service itself. */
class ExpectedTag {
  /** As a header has it. */
  readonly md5: string;
  /** What a service gave that has other bytes; undefined where it has not, or none could be compared. */
  wrong: string | undefined;
  readonly #expected: string;

  constructor(bytes: Uint8Array) {
    const md5 = createHash('md5').update(bytes).digest();
    this.md5 = md5.toString('base64');
    this.#expected = md5.toString('hex');
  }

  /** Returns the tag. Throws SpoiltTransfer, or StrangeAnswer where there is none. */
  compare({ ETag, ServerSideEncryption }: { ETag?: string | undefined; ServerSideEncryption?: string | undefined }): string {
    if (ETag === undefined) throw new StrangeAnswer('no tag');
    const isMd5 = /^"?[0-9a-f]{32}"?$/.test(ETag) && (ServerSideEncryption === undefined || ServerSideEncryption === 'AES256');
    this.wrong = isMd5 && ETag.replaceAll('"', '') !== this.#expected ? ETag : undefined;
    if (this.wrong !== undefined) throw new SpoiltTransfer();
    return ETag;
  }
}
