import { codedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { lockDocument } from '@sheaf/documents';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { takeDocuments } from '../select-documents.ts';
import { lockForReplacement } from '../versions/replace-content.ts';
import type { SourceDocuments } from './page-arranger.ts';

/** Throws where a document is not any more what its pages were taken of. */
const requireSame = (before: Document, { id, version, sha256, status }: Document): void => {
  if (version !== before.version || sha256 !== before.sha256)
    throw codedError('DUPLICATE_RESOURCE', 'VERSION_CHANGED', { document_id: id, version });
  if (status !== 'completed') throw codedError('DUPLICATE_RESOURCE', 'DOCUMENT_NOT_PROCESSED', { document_id: id, status });
};

/**
 * Locks the document to be edited, and those that its new pages are from, and returns it. Throws as `takeDocuments` does, VERSION_CHANGED and
 * DOCUMENT_NOT_PROCESSED.
 */
export const lockEdited = async (tx: Db, principal: Principal, [edited, ...others]: SourceDocuments): Promise<Document> => {
  const ids = [edited, ...others].map(({ id }) => id);
  // all at once, so that two who append each other's documents do not wait in a circle
  if (others.length > 0) await takeDocuments(tx, principal, { permission: 'documents.read', purpose: 'read' }, { ids });
  const document = await lockForReplacement(tx, principal, edited.id);
  requireSame(edited, document);
  for (const other of others) requireSame(other, await lockDocument(tx, other.id));
  return document;
};
