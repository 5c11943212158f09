import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ConfigError } from '@sheaf/config';
import { AppError } from '@sheaf/contract';
import { type Db, isDatabaseUnavailable } from '@sheaf/db';
import {
  countBytesAt,
  findDocumentsOfBytes,
  listBytesAt,
  type MovablePlace,
  type ReferencedBytes,
  sampleBytesAt,
} from '@sheaf/ingest/integrity';
import { forEachLimit } from '@sheaf/process';
import { documentKey, type Storage, type TempArea } from '@sheaf/storage';
import { reasonOf } from '../failure.ts';
import type { Report } from '../progress/progress.ts';

/** So many failures one after the other have rather one reason than many. */
const MAX_IN_A_ROW = 20;

const isUnavailable = (error: unknown): boolean => error instanceof AppError && error.kind === 'SERVICE_UNAVAILABLE';

const hasWords = (error: unknown): error is Error => error instanceof AppError || error instanceof TransferStopped;

/** What went wrong, in one line: some errors have words for people, of the others it is the innermost cause. */
export const describeFailure = (error: unknown): string =>
  (hasWords(error) ? error.message : reasonOf(error)).replaceAll(/\s+/g, ' ').trim();

/** What a failed migration reports. A wrong configuration keeps its line for each variable. */
export const explainFailure = (error: unknown): string => (error instanceof ConfigError ? error.message : describeFailure(error));

/** Tells a failure of one object from one that the next object would meet as well. */
export class FailureJudge {
  readonly #transfer: Transfer;
  #inARow = 0;

  constructor(transfer: Transfer) {
    this.#transfer = transfer;
  }

  noteSuccess(): void {
    this.#inARow = 0;
  }

  /** The reason why this one object failed. Throws TransferStopped where it is a storage, the database or everything that fails. */
  async judge(error: unknown): Promise<string> {
    if (error instanceof TransferStopped) throw error;
    const reason = describeFailure(error);
    if (isDatabaseUnavailable(error)) throw new TransferStopped(`the database is not reachable: ${reason}`, { cause: error });
    if (isUnavailable(error)) await this.#askStorages();
    this.#inARow += 1;
    if (this.#inARow < MAX_IN_A_ROW) return reason;
    throw new TransferStopped(`${MAX_IN_A_ROW} files failed in a row; last reason: ${reason}`, { cause: error });
  }

  async #askStorages(): Promise<void> {
    for (const { storage } of [this.#transfer.target, this.#transfer.source]) {
      const { status, message } = await storage.check();
      if (status === 'unhealthy') throw new TransferStopped(message ?? `the storage ${storage.place} is not available`);
    }
  }
}

/** One of the two storages, and how the paths of documents name it. */
export interface Side {
  readonly place: MovablePlace;
  readonly storage: Storage;
}

/** What all steps of moving documents from one storage to the other work with. */
export interface Transfer {
  readonly db: Db;
  readonly source: Side;
  readonly target: Side;
  /** For copies of objects while they are on their way. */
  readonly temp: TempArea;
  readonly batchSize: number;
  /** How many objects are moved at the same time. */
  readonly parallel: number;
  /** Whether old copies stay until everything has arrived. */
  readonly keepsOldCopies: boolean;
  readonly tally: Tally;
  readonly report: Report;
  /** Aborted when the tool is asked to stop. */
  readonly signal: AbortSignal;
  /** Asked before each batch. Throws TransferStopped when the documents must not be moved now. */
  readonly mayGoOn: () => Promise<void>;
}

/** There is no point in going on with the next object. */
export class TransferStopped extends Error {
  override readonly name = 'TransferStopped';
}

/** What became of the objects of a run. */
export class Tally {
  /** Originals that are in the target now, with all that was derived from them. */
  moved = 0;
  /** Documents whose rows say so. */
  documents = 0;
  /** Of the originals moved. */
  bytes = 0;
  /** Originals whose documents were deleted or changed while they were on their way. */
  skipped = 0;
  /** Of the last pass: what is left, and why. */
  missing = 0;
  damaged = 0;
  failed = 0;
  /** Old copies that were removed, and that stay for now because their documents are being read or a backup runs. */
  removedCopies = 0;
  keptCopies = 0;
  /** Objects of the target that were read again. */
  verified = 0;
  mismatched = 0;
  /** Documents that were switched back to their old copies, and that could not be. */
  rolledBack = 0;
  notRolledBack = 0;

  /** Each pass meets again what could not be moved. */
  beginPass(): void {
    this.missing = 0;
    this.damaged = 0;
    this.failed = 0;
  }

  /** What the last pass could not move. */
  get left(): number {
    return this.missing + this.damaged + this.failed;
  }
}

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
