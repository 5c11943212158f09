import { createHash } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { ByteBudget } from '../remote/byte-budget.ts';
import { otherHash, type Piece, piecesOf } from '../remote/pieces.ts';
import type { SpooledSource } from '../remote/spool.ts';
import type { S3StorageSettings } from '../storage-settings.ts';
import type { Bucket } from './bucket.ts';
import { SpoiltTransfer, StrangeAnswer, toS3Error } from './s3-failure.ts';

/** Up to this an object is sent by one request, and in parts of it above. */
const PART_BYTES = 8 * 1024 * 1024;
/** Parts of an object on their way at once. What all uploads together hold in memory is the budget's. */
const PARTS_AT_ONCE = 4;

export interface Upload {
  readonly bucket: Bucket;
  /** The full name in the bucket. */
  readonly name: string;
  readonly source: SpooledSource;
  /** What the bytes must have; undefined where it is not known. */
  readonly sha256: string | undefined;
  readonly budget: ByteBudget;
}

/** What each way to make an object says of how it is kept. */
export const keeping = ({ storageClass, encryption, kmsKeyId }: S3StorageSettings) => ({
  ...(storageClass === 'STANDARD' ? {} : { StorageClass: storageClass as 'STANDARD_IA' }),
  ...(encryption === undefined ? {} : { ServerSideEncryption: encryption }),
  ...(encryption !== 'aws:kms' || kmsKeyId === undefined ? {} : { SSEKMSKeyId: kmsKeyId }),
});

/**
 * Sends an object: it appears whole or not at all, and takes the place of another. The SDK signs the SHA-256 of each request's body
 * and each carries its MD5: services that look at one of them refuse spoiled bytes, and those that do not are found out by their
 * tag. Not by lib-storage: that compares nothing, tries no part again, goes on after a part failed, and knows no common budget.
 */
export const writeObject = (upload: Upload): Promise<void> =>
  upload.source.sizeBytes <= PART_BYTES ? writeAtOnce(upload) : writeInParts(upload);

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
