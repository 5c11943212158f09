import { ConfigError } from '@sheaf/config';
import { AppError } from '@sheaf/contract';
import { type Db, isDatabaseUnavailable } from '@sheaf/db';
import type { MovablePlace } from '@sheaf/ingest/integrity';
import type { Storage, TempArea } from '@sheaf/storage';
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
