import { AppError, codedError } from '@sheaf/contract';
import { ledgerReason } from '@sheaf/contract/imports';
import { type ComponentHealth, warning } from '@sheaf/contract/operations';
import type { Db } from '@sheaf/db';
import { type Live, sleep } from '@sheaf/process';
import { countWaiting } from '@sheaf/queue';

/** A count is good for so long; those who are let in meanwhile are counted here. */
const COUNT_AGE_MS = 1_000;
const RETRY_AFTER_SECONDS = 10;

/** Why a file waits where it lies; always the same, so that it is noted once. */
export const QUEUE_FULL_REASON = ledgerReason('queue_full');

const queueFull = (limit: number): AppError =>
  codedError('SERVICE_UNAVAILABLE', 'QUEUE_FULL', { limit, retry_after_seconds: RETRY_AFTER_SECONDS });

export const isQueueFullError = (error: unknown): boolean => error instanceof AppError && error.code === 'QUEUE_FULL';

/**
 * Lets files in while fewer than `limit` documents wait to be read. Several processes let
 * in, so it may be a few more than that, but not for longer than a second. Undefined is no limit: then nothing is counted.
 */
export class QueueGate {
  readonly #db: Db;
  readonly #limit: Live<number | undefined>;
  #room = 0;
  #goodUntilMs = 0;
  #counting: Promise<void> | undefined;

  constructor(db: Db, limit: Live<number | undefined>) {
    this.#db = db;
    this.#limit = limit;
  }

  async isFull(): Promise<boolean> {
    const limit = this.#limit.current();
    if (limit === undefined) return false;
    await this.#count(limit);
    return this.#room <= 0;
  }

  /** A full queue is a warning: it does its work, but nothing more comes in. */
  async health(): Promise<ComponentHealth> {
    const limit = this.#limit.current();
    return limit === undefined || !(await this.isFull()) ? { status: 'healthy' } : warning('ocr_queue_full', { limit });
  }

  /** Throws QUEUE_FULL where no file would be let in now. */
  async requireRoom(): Promise<void> {
    const limit = this.#limit.current();
    if (limit !== undefined && (await this.isFull())) throw queueFull(limit);
  }

  /** Lets one file in. Throws QUEUE_FULL. */
  async enter(): Promise<void> {
    const limit = this.#limit.current();
    if (limit === undefined) return;
    await this.#count(limit);
    // nothing is awaited in between, or many who come together would all find the one place
    if (this.#room <= 0) throw queueFull(limit);
    this.#room -= 1;
  }

  /** Resolves when there is room. Throws the signal's reason. */
  async waitForRoom(signal: AbortSignal): Promise<void> {
    while (await this.isFull()) {
      await sleep(COUNT_AGE_MS, signal);
      signal.throwIfAborted();
    }
  }

  async #count(limit: number): Promise<void> {
    if (performance.now() < this.#goodUntilMs) return;
    this.#counting ??= this.#countAnew(limit).finally(() => {
      this.#counting = undefined;
    });
    await this.#counting;
  }

  async #countAnew(limit: number): Promise<void> {
    this.#room = limit - (await countWaiting(this.#db, limit));
    this.#goodUntilMs = performance.now() + COUNT_AGE_MS;
  }
}
