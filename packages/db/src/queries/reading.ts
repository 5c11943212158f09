import {
  DOCUMENT_STATUSES,
  type DocumentStatus,
  documentNotFound,
  FAILURE_MESSAGES,
  type FailureReason,
  NEXT_DOCUMENT_STATUS,
} from '@sheaf/contract';
import type { Db } from '../client.ts';
import { and, eq, inArray, type SQL, sql } from '../drizzle.ts';
import { documents } from '../schema/documents.ts';

export interface ReadingResult {
  readonly pageCount: number;
  readonly confidence: number | null;
  readonly excerpt: string;
  readonly needsAttention: boolean;
}

/** The document, if its status is one that `next` may follow: the contract's table of transitions, as a predicate. */
const mayBecome = (documentId: string, next: DocumentStatus): SQL | undefined => {
  const before = DOCUMENT_STATUSES.filter((status) => (NEXT_DOCUMENT_STATUS[status] as readonly DocumentStatus[]).includes(next));
  return and(eq(documents.id, documentId), inArray(documents.status, before));
};

export const markCompleted = async (tx: Db, documentId: string, result: ReadingResult): Promise<void> => {
  await tx
    .update(documents)
    .set({
      status: 'completed',
      errorCode: null,
      errorMessage: null,
      pageCount: result.pageCount,
      ocrConfidence: result.confidence,
      contentExcerpt: result.excerpt,
      needsAttention: result.needsAttention,
      completedAt: sql`now()`,
      updatedAt: sql`now()`,
    })
    .where(mayBecome(documentId, 'completed'));
};

/** Ends a document as failed; returns the reason in words, the usual ones where none are given. */
export const markFailed = async (
  tx: Db,
  documentId: string,
  code: FailureReason,
  message: string = FAILURE_MESSAGES[code],
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

/** The status of a document whose row stays locked until the end of the transaction. Throws DOCUMENT_NOT_FOUND. */
export const lockDocument = async (tx: Db, documentId: string): Promise<DocumentStatus> => {
  const [row] = await tx.select({ status: documents.status }).from(documents).where(eq(documents.id, documentId)).for('update');
  if (row === undefined) throw documentNotFound(documentId);
  return row.status;
};

/** The language the document is read in from the next time on. */
export const setOcrLanguage = async (tx: Db, documentId: string, language: string): Promise<void> => {
  await tx.update(documents).set({ ocrLanguage: language }).where(eq(documents.id, documentId));
};
