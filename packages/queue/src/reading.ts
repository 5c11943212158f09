import type { Db } from '@sheaf/db';
import { and, eq, inArray, type SQL, sql } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import { markPagesStale } from '@sheaf/documents/pages';
import { englishMessage } from '@sheaf/messages/english';
import { DOCUMENT_STATUSES, type DocumentStatus, NEXT_DOCUMENT_STATUS } from '@sheaf/vocabulary/documents';
import type { FailureReason } from '@sheaf/vocabulary/extraction-failures';
import type { JobPriority } from '@sheaf/vocabulary/jobs';
import { enqueueJobs } from './ocr-jobs.ts';

export interface ReadingResult {
  readonly pageCount: number;
  readonly confidence: number | null;
  readonly excerpt: string;
  readonly language: string | undefined;
  readonly missingLanguage: string | undefined;
  readonly needsAttention: boolean;
  readonly isSigned?: boolean | undefined;
}

/** A status that `next` may follow: the contract's table of transitions, as a predicate. */
const mayPrecede = (next: DocumentStatus): SQL => {
  const before = DOCUMENT_STATUSES.filter((status) => (NEXT_DOCUMENT_STATUS[status] as readonly DocumentStatus[]).includes(next));
  return inArray(documents.status, before);
};

/** The document, if its status is one that `next` may follow. */
const mayBecome = (documentId: string, next: DocumentStatus): SQL | undefined => and(eq(documents.id, documentId), mayPrecede(next));

/** What is written of a document with its reading, so that its row is written once. */
export interface AlsoCompleted {
  readonly set?: Parameters<ReturnType<typeof updateDocuments>['set']>[0];
  /** What the statement returns, for what that does. */
  readonly returned?: Readonly<Record<string, SQL>>;
}

const updateDocuments = (tx: Db) => tx.update(documents);

/** Returns the language of the document; undefined where it is not being processed, and nothing was written. */
export const markCompleted = async (
  tx: Db,
  documentId: string,
  result: ReadingResult,
  { set = {}, returned = {} }: AlsoCompleted = {},
): Promise<string | undefined> => {
  const [row] = await tx
    .update(documents)
    .set({
      status: 'completed',
      errorCode: null,
      errorMessage: null,
      pageCount: result.pageCount,
      ocrConfidence: result.confidence,
      contentExcerpt: result.excerpt,
      language: result.language ?? null,
      missingLanguage: result.missingLanguage ?? null,
      needsAttention: result.needsAttention,
      isSigned: result.isSigned ?? false,
      completedAt: sql`now()`,
      updatedAt: sql`now()`,
      ...set,
    })
    .where(mayBecome(documentId, 'completed'))
    .returning({ ...returned, language: sql<string>`coalesce(${documents.language}, ${documents.ocrLanguage})` });
  return row?.language;
};

/** Ends a document as failed; returns the reason in words, the usual ones where none are given. */
export const markFailed = async (
  tx: Db,
  documentId: string,
  code: FailureReason,
  message: string = englishMessage(`failures.${code}`),
): Promise<string> => {
  await tx
    .update(documents)
    .set({ status: 'failed', errorCode: code, errorMessage: message, updatedAt: sql`now()` })
    .where(mayBecome(documentId, 'failed'));
  return message;
};

/** Back to the queue: a retry, or a duplicate of a document that had failed. */
export const markPending = async (tx: Db, documentId: string): Promise<void> => {
  await tx
    .update(documents)
    .set({ status: 'pending', errorCode: null, errorMessage: null, updatedAt: sql`now()` })
    .where(mayBecome(documentId, 'pending'));
};

export interface ReadingOrder {
  readonly maxAttempts: number;
  readonly priority?: JobPriority | undefined;
  /** What they are read in from now on; each in its own language where none is given. */
  readonly language?: string | undefined;
  /** Whether pages whose text was edited keep it; by default they are processed as the others, as of another file. */
  readonly keepsEdited?: boolean | undefined;
}

/**
 * Queues documents, whose rows and jobs the caller has locked, to be read again from their first page. Their text stays until
 * the new one is there.
 */
export const queueReading = async (tx: Db, documentIds: readonly string[], order: ReadingOrder): Promise<void> => {
  const { language, priority = 'normal', maxAttempts, keepsEdited = false } = order;
  const areThese = sql`${documents.id} = any(${sql.param([...documentIds])}::uuid[])`;
  await markPagesStale(tx, documentIds, { keepsEdited });
  if (language !== undefined) await tx.update(documents).set({ ocrLanguage: language }).where(areThese);
  await tx
    .update(documents)
    .set({ status: 'pending', isTaskAcknowledged: false, errorCode: null, errorMessage: null, updatedAt: sql`now()` })
    .where(and(areThese, mayPrecede('pending')));
  await enqueueJobs(tx, documentIds, { maxAttempts, priority });
};
