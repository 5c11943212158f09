import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import {
  countBytesAt,
  findDocumentsOfBytes,
  listBytesAt,
  type MovablePlace,
  type ReferencedBytes,
  sampleBytesAt,
} from '@sheaf/ingest/integrity';
import { forEachLimit } from '@sheaf/process';
import { documentKey, type Storage } from '@sheaf/storage';
import { FailureJudge, type Transfer, TransferStopped } from './judge-failure.ts';

async function* sampleAtTarget({ db, target }: Transfer, size: number): AsyncGenerator<ReferencedBytes> {
  yield* await sampleBytesAt(db, target.place, size);
}

const beginReport = async ({ db, target, report }: Transfer, sampleSize: number | undefined): Promise<void> => {
  const { files, bytes } = await countBytesAt(db, target.place);
  const chosen = Math.min(files, sampleSize ?? files);
  report.begin('verifying', { files: chosen, bytes: files === 0 ? 0 : Math.round((bytes * chosen) / files) });
};

/** Reads what is at the target again, all of it or `sampleSize` objects at random, and compares the hashes. Throws TransferStopped. */
export const verifyTarget = async (transfer: Transfer, sampleSize: number | undefined): Promise<void> => {
  const { db, target, parallel, report, tally } = transfer;
  const judge = new FailureJudge(transfer);
  const look = async (sha256: string): Promise<string> => {
    try {
      const condition = await readOriginal(target.storage, sha256);
      judge.noteSuccess();
      return condition;
    } catch (error) {
      return await judge.judge(error);
    }
  };
  const verifyOne = async ({ sha256, sizeBytes }: ReferencedBytes): Promise<void> => {
    const finding = await look(sha256);
    report.advance(sizeBytes);
    if (finding === 'right') {
      tally.verified += 1;
      return report.detail(`verified ${sha256}`);
    }
    const documents = await nameDocuments(db, sha256);
    if (documents === undefined) return; // deleted while it was read
    tally.mismatched += 1;
    report.line(`wrong    ${sha256}: ${documents}: at ${target.storage.place}: ${finding}`);
  };
  await beginReport(transfer, sampleSize);
  const chosen = sampleSize === undefined ? walkBytesAt(transfer, target.place) : sampleAtTarget(transfer, sampleSize);
  await forEachLimit(whileAllowed(transfer, chosen), parallel, verifyOne);
};

const MAX_NAMED = 5;

/** `document <id>`, or `documents <id>, <id>` with these bytes; undefined where there is none any more. */
export const nameDocuments = async (db: Db, sha256: string): Promise<string | undefined> => {
  const ids = await findDocumentsOfBytes(db, sha256, MAX_NAMED + 1);
  if (ids.length === 0) return undefined;
  const named = ids.slice(0, MAX_NAMED).join(', ');
  return `${ids.length === 1 ? 'document' : 'documents'} ${named}${ids.length > MAX_NAMED ? ' and others' : ''}`;
};

/** The items as long as the tool may go on: asked to stop at each of them, the service's processes looked at once a batch. Throws TransferStopped. */
export async function* whileAllowed<T>({ signal, mayGoOn, batchSize }: Transfer, items: AsyncIterable<T>): AsyncGenerator<T> {
  let count = 0;
  for await (const item of items) {
    if (signal.aborted) throw new TransferStopped('stopped by a signal');
    if (count % batchSize === 0) await mayGoOn();
    count += 1;
    yield item;
  }
}

/** All bytes of which documents say that they are at `place`, fetched batch by batch. */
export async function* walkBytesAt({ db, batchSize }: Transfer, place: MovablePlace): AsyncGenerator<ReferencedBytes> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const batch: ReferencedBytes[] = await listBytesAt(db, place, after, batchSize);
    yield* batch;
    after = batch.at(-1)?.sha256;
  }
}

/** What a stored original is found to be. */
export type Condition = 'right' | 'missing' | 'damaged';

/** An original as a file, or what is wrong with it. */
type FetchedOriginal =
  | { readonly condition: 'right'; readonly path: string; readonly sizeBytes: number }
  | { readonly condition: 'missing' | 'damaged' };

const hashOf = async (stream: Readable): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(stream, hash);
  return hash.digest('hex');
};

/** Absence and damage are findings; everything else is thrown on. */
const toCondition = (error: unknown): Exclude<Condition, 'right'> => {
  if (error instanceof AppError && error.code === 'FILE_MISSING') return 'missing';
  if (error instanceof AppError && error.code === 'FILE_DAMAGED') return 'damaged';
  throw error;
};

/** Reads all bytes of the original and compares their hash. */
export const readOriginal = async (storage: Storage, sha256: string): Promise<Condition> => {
  try {
    const { stream } = await storage.open(documentKey(sha256));
    return (await hashOf(stream)) === sha256 ? 'right' : 'damaged';
  } catch (error) {
    return toCondition(error);
  }
};

/** The original as a file, its hash compared: the stored one itself, or a copy in `scratch`. */
export const fetchOriginal = async (storage: Storage, sha256: string, scratch: string): Promise<FetchedOriginal> => {
  try {
    const path = await storage.localPath(documentKey(sha256), scratch);
    if ((await hashOf(createReadStream(path))) !== sha256) return { condition: 'damaged' };
    return { condition: 'right', path, sizeBytes: (await stat(path)).size };
  } catch (error) {
    return { condition: toCondition(error) };
  }
};
