import type { Db } from '@sheaf/db';
import { deleteDocuments, type SelectedDocument } from '@sheaf/documents';
import { recordEvents } from '@sheaf/events';
import { removeStoredBytes } from '@sheaf/ingest';
import { recordAuditEntries } from '@sheaf/users';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { DocumentServices } from './document-services.ts';

/** Files removed at the same time; each holds a database connection. */
const AT_ONCE = 3;

/** Deletes rows, text, index entries and jobs, and says so. Take the documents first. */
export const deleteRows = async (
  tx: Db,
  documents: readonly SelectedDocument[],
  { principal, address }: { principal: Principal; address: string | undefined },
): Promise<void> => {
  await recordAuditEntries(
    tx,
    documents.map(({ id, title, ownerId, sha256 }) => ({
      actor: principal,
      address,
      action: 'document.deleted',
      outcome: 'success',
      subject: { type: 'document', id },
      details: { title, owner_id: ownerId, sha256 },
    })),
  );
  await deleteDocuments(
    tx,
    documents.map(({ id }) => id),
  );
  await recordEvents(
    tx,
    documents.map(({ id, ownerId }) => ({ event: { type: 'document_deleted', document_id: id }, ownerId })),
  );
};

/**
 * Removes the bytes of deleted documents that no other document has. After the commit: a crash here leaves bytes that no row
 * refers to, which are swept later. Never the other way round.
 */
export const removeBytes = async (
  { database, storage, log }: Pick<DocumentServices, 'database' | 'storage' | 'log'>,
  documents: readonly SelectedDocument[],
): Promise<void> => {
  const waiting = [...documents];
  const work = async (): Promise<void> => {
    for (let document = waiting.pop(); document !== undefined; document = waiting.pop()) {
      const { id, sha256 } = document;
      await removeStoredBytes({ db: database.db, storage }, sha256).catch((error: unknown) =>
        log.warn({ err: error, document_id: id }, 'stored file left to cleanup'),
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
};
