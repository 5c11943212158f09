import type { Readable } from 'node:stream';
import { AppError, codedError } from '@sheaf/contract';
import { ledgerReason } from '@sheaf/contract/imports';
import { type ComponentHealth, warning } from '@sheaf/contract/operations';
import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { type Live, sleep } from '@sheaf/process';
import { countWaiting } from '@sheaf/queue';
import type { Storage, TempArea } from '@sheaf/storage';
import type { IngestRoute } from '@sheaf/vocabulary/documents';
import type { LedgerReason, LedgerReasonCode, LedgerReasonDetails } from '@sheaf/vocabulary/ledger-reasons';
import type { NotificationPolicy } from '@sheaf/vocabulary/notifications';
import type { TypeCheck } from './types/type-check.ts';

/** What the sender wishes for the document. */
export interface ImportOptions {
  /** The file name without its extension where none is given. */
  readonly title?: string | undefined;
  readonly labelIds?: readonly string[] | undefined;
  readonly language?: string | undefined;
  readonly ocrEnabled?: boolean | undefined;
}

export interface IncomingFile extends ImportOptions {
  readonly route: IngestRoute;
  /** As the sender calls it, possibly with a path; it is cleaned here. */
  readonly filename: string;
  readonly ownerId: string;
  readonly body: Readable;
  readonly maxBytes: number;
  /** Without dots, lower case. */
  readonly allowedExtensions: readonly string[];
  /** The file's name in the ledger: its path below a watched root, else the file name. */
  readonly ledgerPath: string;
  /** As the sender announces it: what the ledger has of a file that is refused before it is read. */
  readonly sizeBytes?: number | undefined;
  readonly modifiedAt?: Date | undefined;
  readonly sourceId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** ImportOptions that are known only when `body` has ended, such as form fields behind the file; they go before the others. */
  readonly deferredOptions?: (() => Promise<ImportOptions>) | undefined;
  /** Asked when the bytes are here and before anything is recorded: false means that they are not to be trusted. */
  readonly confirm?: (() => Promise<boolean>) | undefined;
}

/** Whether a PDF, given by its bytes or its path, has signatures, valid or not. */
export type FindIsSigned = (content: Buffer | string, signal?: AbortSignal) => Promise<boolean>;

export interface IngestDeps {
  readonly db: Db;
  readonly storage: Storage;
  readonly temp: TempArea;
  readonly settings: Live<IngestSettings>;
  readonly typeCheck: TypeCheck;
  /** Absent: as many documents may wait as there are. */
  readonly queue?: QueueGate | undefined;
  /** Asked of imported files that nobody processes, as they come with their text. */
  readonly isSigned?: FindIsSigned | undefined;
}

export interface IngestSettings {
  /** How often reading a document is tried. */
  readonly maxAttempts: number;
  /** Where neither sender nor owner has chosen one. */
  readonly defaultLanguage: string;
  readonly notifications: NotificationPolicy;
  /** Earlier versions that a document keeps; 0: all. */
  readonly versionsKeep: number;
}

export type IngestResult =
  | { readonly outcome: 'ingested'; readonly document: Document }
  /** `documentId` is null for a watched file whose document was deleted: it is not imported a second time. */
  | { readonly outcome: 'duplicate'; readonly documentId: string | null; readonly requeued: boolean }
  /** An uploaded file whose document is in the trash, where it can be restored. */
  | { readonly outcome: 'trashed'; readonly documentId: string }
  | ({ readonly outcome: 'refused' } & Refusal);

/** Why a file is not imported, whatever happens later, unless the file itself changes. */
const REFUSAL_REASONS = [
  'too_large',
  'empty',
  'unknown_type',
  'type_not_allowed',
  'type_mismatch',
  'type_check_failed',
  'not_einvoice',
] as const satisfies readonly LedgerReasonCode[];
type RefusalReason = (typeof REFUSAL_REASONS)[number];

export interface Refusal {
  readonly reason: RefusalReason;
  /** For the sender: what is wrong and what to do. */
  readonly message: string;
  readonly details: LedgerReasonDetails;
}

const refusal = ({ code, message, details }: LedgerReason & { readonly code: RefusalReason }): Refusal => ({
  reason: code,
  message,
  details,
});

export const tooLarge = (filename: string, maxBytes: number): Refusal =>
  refusal(ledgerReason('too_large', { filename, max_bytes: maxBytes }));

export const emptyFile = (filename: string): Refusal => refusal(ledgerReason('empty', { filename }));

export const unknownType = (filename: string, extension: string, allowed: readonly string[]): Refusal =>
  refusal(ledgerReason('unknown_type', { filename, extension, allowed_types: allowed }));

export const typeNotAllowed = (filename: string, extension: string, allowed: readonly string[]): Refusal =>
  refusal(ledgerReason('type_not_allowed', { filename, extension, allowed_types: allowed }));

/** `found` is what the bytes are, in words, where that is known. */
export const typeMismatch = (filename: string, extension: string, found: string | undefined): Refusal =>
  refusal(ledgerReason('type_mismatch', { filename, declared_type: extension, ...(found === undefined ? {} : { found }) }));

/** Its contents could not be inspected within the limits, which no sound document exceeds. */
export const typeCheckFailed = (filename: string, extension: string): Refusal =>
  refusal(ledgerReason('type_check_failed', { filename, declared_type: extension }));

/** XML of another kind. */
export const notEinvoice = (filename: string): Refusal => refusal(ledgerReason('not_einvoice', { filename }));

/** The same refusal as the error that an interface answers with. */
export const toRefusalError = ({ reason, message, details }: Refusal): AppError =>
  new AppError('VALIDATION_ERROR', message, { details: { reason, ...details } });

/** The same refusal as the ledger has it. */
export const toLedgerReason = ({ reason, message, details }: Refusal): LedgerReason => ({ code: reason, message, details });

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
