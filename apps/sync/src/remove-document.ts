import { type Db, type Document, deleteDocument, recordAudit, recordEvent, type Source } from '@sheaf/db';

/** Deletes a document whose file is gone at its source, and says so. The caller has locked it. */
export const removeDocument = async (tx: Db, { id, title, ownerId, sha256 }: Document, source: Source): Promise<void> => {
  await recordAudit(tx, {
    action: 'document.deleted',
    outcome: 'success',
    subject: { type: 'document', id },
    details: { title, owner_id: ownerId, sha256, source_id: source.id, reason: 'removed at its source' },
  });
  await deleteDocument(tx, id);
  await recordEvent(tx, { type: 'document_deleted', document_id: id }, ownerId);
};
