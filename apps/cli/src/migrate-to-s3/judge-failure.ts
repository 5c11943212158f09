import { ConfigError } from '@sheaf/config';
import { AppError } from '@sheaf/contract';
import { isDatabaseUnavailable } from '@sheaf/db';
import { reasonOf } from '../failure.ts';
import { type Transfer, TransferStopped } from './transfer.ts';

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
