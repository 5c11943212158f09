import type { Db } from '@sheaf/db';
import type { Logger } from '@sheaf/process';
import { compareWaiting } from './compare-documents.ts';
import { addMissingSignature, listWithoutSignature } from './store-signature.ts';

const BATCH = 100;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** Between two looks at all documents for such that have no signature. */
const SWEEP_INTERVAL_MS = 5 * 60_000;

/**
 * Gives a signature to processed documents that have none, because they were there before signatures were, or came back from the trash, or
 * their file was replaced; and compares documents that wait for it. Several processes may do so at once.
 */
export class SignatureBacklog {
  readonly #db: Db;
  readonly #log: Logger;
  #after = BEFORE_ALL;
  #nextSweepMs = 0;

  constructor(db: Db, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  /** One round. Returns whether there may be more to do at once. */
  async run(signal: AbortSignal): Promise<boolean> {
    const hasMore = await this.compare(BATCH, signal);
    return (await this.#addSignatures(signal)) || hasMore;
  }

  /** Compares up to `limit` of the documents that wait for it. Returns whether there may be more. */
  compare(limit: number, signal?: AbortSignal): Promise<boolean> {
    return compareWaiting(this.#db, limit, signal);
  }

  async #addSignatures(signal: AbortSignal): Promise<boolean> {
    if (this.#after === BEFORE_ALL && performance.now() < this.#nextSweepMs) return false;
    const ids = await listWithoutSignature(this.#db, this.#after, BATCH);
    for (const id of ids) {
      if (signal.aborted) return false;
      try {
        await addMissingSignature(this.#db, id);
      } catch (error) {
        this.#log.warn({ err: error, document_id: id }, 'signature for near-duplicates could not be made');
      }
      this.#after = id;
    }
    if (ids.length > 0) return true;
    this.#after = BEFORE_ALL;
    this.#nextSweepMs = performance.now() + SWEEP_INTERVAL_MS;
    return false;
  }
}
