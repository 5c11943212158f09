import { recordAuditEntries } from '@sheaf/accounts/users';
import type { Db } from '@sheaf/db';
import { deleteDocuments, type SelectedDocument } from '@sheaf/documents';
import { recordEvents } from '@sheaf/events';
import { removeStoredBytes } from '@sheaf/ingest';
import { moveToTrash } from '@sheaf/ingest/trash';
import { forEachLimit } from '@sheaf/process';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { DocumentServices } from './document-services.ts';
import { DOCUMENT_ACTIONS, type DocumentAction } from './select-documents.ts';

/** Files removed at the same time; each holds a database connection. */
const AT_ONCE = 3;

/** Who deletes, and from where. */
export interface Deleter {
  readonly principal: Principal;
  readonly address: string | undefined;
}

/** What documents are selected for that are to be deleted, or removed for good at once. */
export const deletionOf = (isPermanent: boolean): DocumentAction => (isPermanent ? DOCUMENT_ACTIONS.purge : DOCUMENT_ACTIONS.delete);

/** Removes rows, text, index entries and jobs for good, and says so. */
const purgeRows = async (tx: Db, documents: readonly SelectedDocument[], { principal, address }: Deleter): Promise<void> => {
  await recordAuditEntries(
    tx,
    documents.map(({ id, title, ownerId, sha256 }) => ({
      actor: principal,
      address,
      action: 'document.purged',
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

/** Moves the documents to the trash, or removes them for good. Take them first, for `deletionOf`. */
export const deleteRows = async (
  tx: Db,
  documents: readonly SelectedDocument[],
  by: Deleter,
  { isPermanent }: { readonly isPermanent: boolean },
): Promise<void> => (isPermanent ? purgeRows(tx, documents, by) : moveToTrash(tx, documents, { reason: 'deleted', by }));

/** Removes stored bytes unless something refers to them. Does not throw: what stays is swept later. */
export const makeBytesRemoval =
  ({ database, storage, log }: Pick<DocumentServices, 'database' | 'storage' | 'log'>) =>
  async (sha256: string): Promise<void> => {
    await removeStoredBytes({ db: database.db, storage }, sha256).catch((error: unknown) =>
      log.warn({ err: error, sha256 }, 'stored file left to cleanup'),
    );
  };

/**
 * Removes the bytes of documents that were removed for good, those that nothing else refers to. After the commit: a crash here leaves
 * bytes that no row refers to, which are swept later. Never the other way round.
 */
export const removeBytes = (
  services: Pick<DocumentServices, 'database' | 'storage' | 'log'>,
  documents: readonly SelectedDocument[],
): Promise<void> =>
  forEachLimit(
    documents.map(({ sha256 }) => sha256),
    AT_ONCE,
    makeBytesRemoval(services),
  );
