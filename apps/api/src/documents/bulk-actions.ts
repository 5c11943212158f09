import { recordAuditEntries } from '@sheaf/accounts/users';
import { permissionNeeded, reasonedError } from '@sheaf/contract';
import { type BulkRequest, bulkBody, bulkRequest } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { deleteDocuments, type SelectedDocument, touchDocuments } from '@sheaf/documents';
import { addLabelsToDocuments, listLabelNames, removeLabelsFromDocuments, requireLabelsByIdOrName } from '@sheaf/documents/labels';
import { recordEvents } from '@sheaf/events';
import { removeStoredBytes, runOcrAgain } from '@sheaf/ingest';
import { moveToTrash } from '@sheaf/ingest/trash';
import { forEachLimit } from '@sheaf/process';
import { MAX_BULK_DOCUMENTS } from '@sheaf/vocabulary/limits';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { jsonRoute, type Route } from '../http/route.ts';
import { type Filing, requireFiling, setFiling } from './document-filing.ts';
import type { DocumentServices } from './document-services.ts';
import { DOCUMENT_ACTIONS, type DocumentAction, readSelection, takeDocuments } from './select-documents.ts';

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

/** Who deletes by a filter has seen how many that are, as a filter that was mistyped may match everything. */
const requireConfirmation = ({ filter, action, confirm }: BulkRequest, matched: number): void => {
  if (filter === undefined || confirm === matched || (confirm === undefined && action !== 'delete')) return;
  throw reasonedError('VALIDATION_ERROR', 'not_confirmed', { matched });
};

/** Puts the labels on the documents, which are locked, or takes them off, and says so for those that this changes. */
export const changeLabels = async (
  tx: Db,
  action: 'add_labels' | 'remove_labels',
  documents: readonly SelectedDocument[],
  wanted: readonly string[],
  principal: Principal,
): Promise<void> => {
  const isAdding = action === 'add_labels';
  const change = isAdding ? addLabelsToDocuments : removeLabelsFromDocuments;
  const ids = documents.map(({ id }) => id);
  // what these documents have can be taken off them, but is nothing to give to others
  const labels = (await requireLabelsByIdOrName(tx, principal, wanted, isAdding ? [] : ids)).map(({ id }) => id);
  const changed = await change(tx, ids, labels);
  const names = await listLabelNames(tx, [...changed]);
  await touchDocuments(tx, [...changed]);
  const said = documents.filter(({ id }) => changed.has(id));
  await recordEvents(
    tx,
    said.map(({ id, ownerId }) => ({
      event: { type: 'document_updated', document_id: id, changes: { labels: names.get(id) ?? [] } },
      ownerId,
    })),
  );
};

const act = async (
  tx: Db,
  { action, labels = [], language, permanent: isPermanent = false }: BulkRequest,
  documents: readonly SelectedDocument[],
  filing: Filing,
  by: Deleter,
  { ingest }: DocumentServices,
): Promise<unknown> => {
  switch (action) {
    case 'delete':
      return deleteRows(tx, documents, by, { isPermanent });
    case 'add_labels':
    case 'remove_labels':
      return changeLabels(tx, action, documents, labels, by.principal);
    case 'set_correspondent':
    case 'set_document_type':
      return setFiling(tx, action, documents, filing);
    case 'retry_ocr':
      return runOcrAgain(tx, documents, { maxAttempts: ingest.settings.current().maxAttempts, language });
  }
};

export const bulkActions = (services: DocumentServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/documents/bulk',
    // Each action asks for a permission of its own below.
    access: 'documents.read',
    summary: 'Bulk action on documents: delete, label, file or run OCR again; all or nothing',
    description: `Set either \`ids\` or \`filter\`. \`delete\` requires documents.delete, the label actions documents.update (and labels.read for labels that are not yet on the documents), \`set_correspondent\` and \`set_document_type\` documents.update (and labels.read) and \`retry_ocr\` ocr.update, for every document: a document without this permission rejects the request with 403, a document that is not visible returns 404 (by ID) or does not match (by filter). An empty filter selects every visible document. Deleting by filter requires \`confirm\` with the number of documents that match; otherwise the response is 400 with the reason \`not_confirmed\` and the number in \`details.matched\`. A filter that matches more than ${MAX_BULK_DOCUMENTS} documents is rejected with 400. \`retry_ocr\` is rejected with 409 while one of the documents is being processed. Deleted documents are moved to the trash; with \`permanent\`, which requires documents.purge, they and their files are removed before the response.`,
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', DOCUMENT_IS_PROCESSING: 'DUPLICATE_RESOURCE' },
    body: bulkRequest,
    response: bulkBody,
    handle: async ({ body, principal, context: { address } }) => {
      const isPermanent = body.permanent === true;
      const action = body.action === 'delete' ? deletionOf(isPermanent) : DOCUMENT_ACTIONS[body.action];
      if (scopeOf(principal.permissions, action.permission) === 'none') throw permissionNeeded(action.permission);
      await services.languages.requireInstalled(body.language);
      const documents = await services.database.db.transaction(async (tx) => {
        const filing = await requireFiling(tx, principal, body, []);
        const taken = await takeDocuments(tx, principal, action, await readSelection(tx, principal, body));
        requireConfirmation(body, taken.length);
        await act(tx, body, taken, filing, { principal, address }, services);
        return taken;
      });
      if (isPermanent) await removeBytes(services, documents);
      return { matched: documents.length, done: documents.length };
    },
  });
