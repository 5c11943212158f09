import type { FailureReason } from '@sheaf/contract';
import type { Db } from '../client.ts';
import { eq, sql } from '../drizzle.ts';
import { documents } from '../schema/documents.ts';

export interface ReadingResult {
  readonly pageCount: number;
  readonly confidence: number | null;
  readonly excerpt: string;
  readonly needsAttention: boolean;
}

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
    .where(eq(documents.id, documentId));
};

export const markFailed = async (tx: Db, documentId: string, code: FailureReason, message: string): Promise<void> => {
  await tx
    .update(documents)
    .set({ status: 'failed', errorCode: code, errorMessage: message, updatedAt: sql`now()` })
    .where(eq(documents.id, documentId));
};

/** Back to the queue: a retry, or a duplicate of a document that had failed. */
export const markPending = async (tx: Db, documentId: string): Promise<void> => {
  await tx
    .update(documents)
    .set({ status: 'pending', errorCode: null, errorMessage: null, updatedAt: sql`now()` })
    .where(eq(documents.id, documentId));
};
