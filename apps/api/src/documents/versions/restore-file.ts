import { reasonedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { lockStoredBytes } from '@sheaf/documents';
import { findOtherByHash, restoreContent, type Version } from '@sheaf/documents/versions';
import { enqueueJobs, markPending } from '@sheaf/ocr-queue';
import { indexDocument } from '@sheaf/search';
import { CONTENT_EXCERPT_CHARACTERS } from '@sheaf/vocabulary/limits';

/** The owner has the file as another document; undefined: it came in this moment. */
export const fileOfAnother = (documentId: string | undefined) =>
  reasonedError('DUPLICATE_RESOURCE', 'duplicate_file', { document_id: documentId ?? null, requeued: false });

/** Makes the file of an earlier version of a locked document the newest one, and queues what is left to do. Throws `duplicate_file`. */
export const restoreFile = async (tx: Db, { id, ownerId }: Document, { version, sha256 }: Version, maxAttempts: number): Promise<void> => {
  await lockStoredBytes(tx, sha256, 'share');
  const other = await findOtherByHash(tx, ownerId, sha256, id);
  if (other !== undefined) throw fileOfAnother(other);
  await restoreContent(tx, id, version, CONTENT_EXCERPT_CHARACTERS);
  await markPending(tx, id);
  // its pages are there, so that nothing is recognised again: what is left are the facts, the e-invoice and the rules
  await enqueueJobs(tx, [id], { maxAttempts, priority: 'high' });
  await indexDocument(tx, id);
};
