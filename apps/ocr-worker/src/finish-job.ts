import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { deleteStalePages, type PageTotals, summarisePages } from '@sheaf/documents/pages';
import { deleteEarlierPages } from '@sheaf/documents/versions';
import { recordEvent } from '@sheaf/events';
import { createNotification, type NewNotification } from '@sheaf/events/notifications';
import type { FoundFacts } from '@sheaf/facts';
import { type EinvoiceToKeep, holdSenders, replaceFacts, saveEinvoice } from '@sheaf/filing/facts';
import { type DocumentSignature, storeSignature } from '@sheaf/filing/near-duplicates';
import { type Component, type Live, type Logger, Loop } from '@sheaf/process';
import { inSpan } from '@sheaf/process/tracing';
import {
  type ClaimedJob,
  completeJob,
  failJob,
  getJobDocument,
  type JobFailure,
  markCompleted,
  markFailed,
  markPending,
  recoverJobs,
  retryJob,
} from '@sheaf/queue';
import { RULES_DUE } from '@sheaf/rules';
import { indexDocument } from '@sheaf/search';
import type { SheafEvent } from '@sheaf/vocabulary/events';
import { type FailureReason, PERMANENT_FAILURES } from '@sheaf/vocabulary/extraction-failures';
import { CONTENT_EXCERPT_CHARACTERS } from '@sheaf/vocabulary/limits';
import type { NotificationPolicy } from '@sheaf/vocabulary/notifications';

export interface FinishSettings {
  readonly retryDelayMs: number;
  readonly confidenceThreshold: number;
  readonly notifications: NotificationPolicy;
}

const readingOf = (totals: PageTotals, threshold: number) => {
  const confidence = totals.confidence ?? null;
  return {
    pageCount: totals.pages,
    confidence,
    excerpt: totals.excerpt,
    language: totals.language,
    missingLanguage: totals.missingLanguage,
    needsAttention: totals.failedPages > 0 || (confidence !== null && confidence < threshold),
  };
};

/** What a file states, beside its pages. */
export interface FoundInFile {
  /** Undefined where they could not be found. */
  readonly facts?: FoundFacts | undefined;
  readonly einvoice?: EinvoiceToKeep;
  readonly isSigned?: boolean;
  /** Undefined where it could not be made: it is made later. */
  readonly signature?: DocumentSignature | undefined;
}

/**
 * Everything that is true when a document has been read, in one transaction, or why it has not: where no page could be read, the reason
 * of its pages is that of the document. `readableLanguages` are those that this worker recognises. Throws LeaseLost when it is someone else's.
 */
export const complete = (
  db: Db,
  job: ClaimedJob,
  document: Document,
  { confidenceThreshold, notifications }: FinishSettings,
  readableLanguages: readonly string[],
  { facts, einvoice, isSigned, signature }: FoundInFile,
): Promise<'completed' | FailureReason> =>
  db.transaction(async (tx) => {
    if (facts !== undefined) await holdSenders(tx, document.id, facts);
    const totals = await summarisePages(tx, document.id, { excerptCharacters: CONTENT_EXCERPT_CHARACTERS, readableLanguages });
    if (totals.pages > 0 && totals.failedPages === totals.pages) return totals.commonFailure ?? 'no_readable_page';
    await completeJob(tx, job);
    if (totals.hasStale) await deleteStalePages(tx, document.id);
    const reading = readingOf(totals, confidenceThreshold);
    await saveEinvoice(tx, document.id, einvoice, document.hasEinvoice);
    const filing = facts && (await replaceFacts(tx, document.id, facts, { hasEinvoice: einvoice !== undefined })); // with what it states
    const also = { set: { ...RULES_DUE.set, ...filing?.filed }, returned: RULES_DUE.returned };
    const language = await markCompleted(tx, document.id, { ...reading, isSigned }, also);
    await inSpan('index', {}, () => indexDocument(tx, document.id, language));
    if (signature !== undefined) await storeSignature(tx, document.id, signature);
    const changes = {
      status: 'completed',
      page_count: reading.pageCount,
      ocr_confidence: reading.confidence,
      needs_attention: reading.needsAttention,
      ...filing?.changes,
    };
    await notifyProcessed(tx, notifications, document, reading, [
      { type: 'ocr_progress', document_id: document.id, progress: 100, status: 'completed' },
      { type: 'document_updated', document_id: document.id, changes },
    ]);
    return 'completed';
  });

/** Whether a failed try ends the job: the reason is one no try can change, or the tries are used up. */
const isFinal = (job: ClaimedJob, failure: JobFailure): boolean =>
  PERMANENT_FAILURES.has(failure.reason) || job.attempts >= job.maxAttempts;

/** A try that failed: queued again after a pause, or failed for good with the reason on the document. */
export const fail = (
  db: Db,
  job: ClaimedJob,
  document: Document,
  failure: JobFailure,
  settings: FinishSettings,
): Promise<'failed' | 'retried'> =>
  db.transaction(async (tx) => {
    if (isFinal(job, failure)) return failForGood(tx, job, document, failure, settings);
    await retryJob(tx, job, failure, settings.retryDelayMs);
    await markPending(tx, document.id);
    await recordEvent(tx, { type: 'ocr_progress', document_id: document.id, progress: 0, status: 'pending' }, document.ownerId);
    return 'retried';
  });

/** Fails job and document, whatever tries are left. Throws LeaseLost when it is someone else's. */
export const failForGood = async (
  tx: Db,
  job: ClaimedJob,
  document: Document,
  failure: JobFailure,
  { notifications }: FinishSettings,
): Promise<'failed'> => {
  await failJob(tx, job, failure);
  const message = await markFailed(tx, document.id, failure.reason, failure.message);
  await deleteEarlierPages(tx, document.id);
  // a document that could not be read is still found by its title
  await indexDocument(tx, document.id);
  await recordEvent(tx, { type: 'ocr_progress', document_id: document.id, progress: 0, status: 'failed' }, document.ownerId);
  await recordEvent(
    tx,
    { type: 'document_updated', document_id: document.id, changes: { status: 'failed', error: { code: failure.reason, message } } },
    document.ownerId,
  );
  await notifyFailed(tx, notifications, document, { reason: failure.reason, message });
  return 'failed';
};

interface Reading {
  readonly confidence: number | null;
  readonly needsAttention: boolean;
}

interface Unread {
  readonly reason: FailureReason;
  readonly message: string;
}

const doubts = ({ confidence, needsAttention }: Reading): string => {
  if (!needsAttention) return '';
  const share = confidence === null ? '' : ` (confidence ${Math.round(confidence * 100)} %)`;
  return ` Low OCR quality${share}. Check the text, or run OCR again with another language.`;
};

/** Tells the owner that their document can be searched now, in the transaction that makes it so, with `events`. */
const notifyProcessed = (
  tx: Db,
  policy: NotificationPolicy,
  { id, ownerId, title }: Document,
  reading: Reading,
  events: readonly SheafEvent[],
): Promise<void> => {
  const notification: NewNotification = {
    userId: ownerId,
    type: 'ocr_completed',
    title: 'Document processed',
    message: `${title} is searchable.${doubts(reading)}`,
    data: { document_id: id, title, needs_attention: reading.needsAttention, confidence: reading.confidence },
    // one that needs a look is not to go under among the others
    ...(reading.needsAttention ? {} : { folded: (count: number) => `${count} documents processed` }),
  };
  return createNotification(
    tx,
    policy,
    notification,
    events.map((event) => ({ event, ownerId })),
  );
};

/** Tells the owner that their document cannot be read, and why. */
const notifyFailed = (tx: Db, policy: NotificationPolicy, { id, ownerId, title }: Document, { reason, message }: Unread): Promise<void> =>
  createNotification(tx, policy, {
    userId: ownerId,
    type: 'ocr_failed',
    title: 'Document processing failed',
    message: `${title}: ${message}`,
    data: { document_id: id, title, reason, error: message },
    folded: (count) => `Processing failed for ${count} documents`,
  });

export interface CrashRecoverySettings extends FinishSettings {
  readonly leaseMs: number;
}

export interface CrashRecoveryDeps {
  readonly db: Db;
  readonly log: Logger;
  /** Who holds the leases of this process. */
  readonly worker: string;
  readonly settings: Live<CrashRecoverySettings>;
}

const INTERVAL_MS = 3_000;
const POISON: JobFailure = { reason: 'reader_died' };

/** Returns the jobs of workers that died to the queue, and fails the documents that made them die. */
export class CrashRecovery {
  readonly #deps: CrashRecoveryDeps;
  /** In the time of `performance.now`. While the database was away nobody could renew a lease. */
  #trustsLeasesAtMs = 0;

  constructor(deps: CrashRecoveryDeps) {
    this.#deps = deps;
  }

  /** One round. Throws when the database is away. */
  async recover(): Promise<void> {
    if (performance.now() < this.#trustsLeasesAtMs) return;
    const { db, worker, settings, log } = this.#deps;
    const { leaseMs } = settings.current();
    try {
      const { pending, poison } = await recoverJobs(db, worker, leaseMs);
      for (const { documentId, crashes, isSuspect } of pending)
        log.warn({ document_id: documentId, crashes, is_suspect: isSuspect }, 'lease expired, job returned to the queue');
      for (const job of poison) await this.#fail(job);
    } catch (error) {
      this.#trustsLeasesAtMs = performance.now() + leaseMs;
      throw error;
    }
  }

  async #fail(job: Parameters<typeof getJobDocument>[1]): Promise<void> {
    const { db, settings, log } = this.#deps;
    const document = await getJobDocument(db, job);
    if (document === undefined) return; // deleted, and the job with it
    await db.transaction((tx) => failForGood(tx, job, document, POISON, settings.current()));
    log.error({ document_id: job.documentId, crashes: job.crashes }, 'document failed: worker crashed repeatedly');
  }
}

/** Looks for jobs of dead workers, also while the queue is paused. */
export const makeCrashRecovery = (deps: CrashRecoveryDeps): Component => {
  const recovery = new CrashRecovery(deps);
  const run = async (): Promise<boolean> => {
    await recovery.recover();
    return false;
  };
  return new Loop({ name: 'crash-recovery', intervalMs: INTERVAL_MS, log: deps.log, run });
};
