import { reasonedError } from '@sheaf/contract';
import { type Db, violates } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { lockStoredBytes, readWholeDocument } from '@sheaf/documents';
import { findOtherByHash, restoreContent, type Version } from '@sheaf/documents/versions';
import { removeTrimmed } from '@sheaf/ingest';
import { enqueueJobs, markPending } from '@sheaf/queue';
import { indexDocument } from '@sheaf/search';
import { CONTENT_EXCERPT_CHARACTERS } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { DocumentServices } from '../document-services.ts';
import { presentDocument } from '../present-documents.ts';

/** The owner has the file as another document; undefined: it came in this moment. */
const fileOfAnother = (documentId: string | undefined) =>
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

/**
 * Runs `change`, which restores a file and returns the hashes of versions that are too many then, and removes their bytes. Returns the document as
 * the caller sees it.
 */
export const restoreAndPresent = async (
  { database: { db }, storage }: Pick<DocumentServices, 'database' | 'storage'>,
  principal: Principal,
  id: string,
  change: (tx: Db) => Promise<string[]>,
) => {
  try {
    await removeTrimmed({ db, storage }, await db.transaction(change));
  } catch (error) {
    if (violates(error, 'documents_owner_sha256_key')) throw fileOfAnother(undefined); // uploaded in this moment
    throw error;
  }
  const document = await readWholeDocument(db, principal, id);
  return presentDocument(db, principal, document, document.content);
};
