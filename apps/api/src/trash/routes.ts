import { documentNotFound, reasonedError } from '@sheaf/contract';
import {
  emptyTrashBody,
  emptyTrashRequest,
  restoredDocumentBody,
  type TrashedDocumentBody,
  trashedDocumentBody,
  trashListQuery,
} from '@sheaf/contract/documents';
import { readWholeDocument } from '@sheaf/documents';
import {
  countPurgeable,
  emptyTrash,
  getTrashed,
  listTrash,
  listTrashAfter,
  purgeDocument,
  requireTrashed,
  restoreInTransaction,
  type TrashedDocument,
} from '@sheaf/ingest/trash';
import type { Live } from '@sheaf/process';
import { makeBytesRemoval } from '../documents/bulk-actions.ts';
import type { DocumentServices } from '../documents/document-services.ts';
import { presentDocument } from '../documents/present-documents.ts';
import { rowListRoute } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { emptyRoute, jsonRoute, type Route } from '../http/route.ts';

export const restore = ({ database: { db } }: TrashServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/trash/{id}/restore',
    access: 'documents.delete',
    summary: 'Restore a document from the trash',
    description:
      'The document has its ID, pages, labels, fields, notes, facts, versions and shares again, except those whose label, field or user was deleted since. If another document of its owner has its archive number now, it is restored without one, and `lost_archive_number` is that number. If its owner has added the same file again, the response is 409 with the reason `document_exists` and the ID of that document in `details.document_id`.',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', DOCUMENT_EXISTS: 'DUPLICATE_RESOURCE' },
    params: idParams,
    response: restoredDocumentBody,
    handle: async ({ params: { id }, principal, context: { address } }) => {
      await requireTrashed(db, principal, 'documents.delete', id);
      const { lostArchiveNumber } = await restoreInTransaction(db, id, { principal, address });
      const document = await readWholeDocument(db, principal, id);
      const body = await presentDocument(db, principal, document, document.content);
      return { ...body, lost_archive_number: lostArchiveNumber ?? null };
    },
  });

export const purge = (services: TrashServices): Route =>
  emptyRoute({
    method: 'delete',
    path: '/api/trash/{id}',
    access: 'documents.purge',
    summary: 'Remove a document in the trash permanently, with its files',
    done: 'Removed',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    handle: async ({ params: { id }, principal, context: { address } }) => {
      const { db } = services.database;
      await requireTrashed(db, principal, 'documents.purge', id);
      const isPurged = await purgeDocument(db, id, { by: { principal, address }, removeBytes: makeBytesRemoval(services) });
      if (!isPurged) throw documentNotFound(id);
    },
  });

export const empty = (services: TrashServices): Route =>
  jsonRoute({
    method: 'delete',
    path: '/api/trash',
    access: 'documents.purge',
    summary: 'Empty the trash: remove all documents in it permanently',
    description:
      'Removes every document in the trash that the caller can remove. `confirm` is their number; if it differs, nothing is removed, and the response is 409 with the reason `not_confirmed` and the number in `details.matched`. Documents that are moved to the trash meanwhile stay. If the request is interrupted, repeat it with the number that is left.',
    body: emptyTrashRequest,
    response: emptyTrashBody,
    handle: async ({ body: { confirm }, principal, context: { address, signal } }) => {
      const { db } = services.database;
      const { total, asOf } = await countPurgeable(db, principal);
      if (total !== confirm) throw reasonedError('DUPLICATE_RESOURCE', 'not_confirmed', { matched: total });
      const removeBytes = makeBytesRemoval(services);
      return { purged: await emptyTrash(db, principal, asOf, { by: { principal, address }, removeBytes, signal }) };
    },
  });

/** A document in the trash as it goes over the wire, where it stays for `retentionMs`. */
const toTrashedBody = (trashed: TrashedDocument, retentionMs: number): TrashedDocumentBody => ({
  id: trashed.id,
  title: trashed.title,
  filename: trashed.filename,
  mime_type: trashed.mimeType,
  size: trashed.sizeBytes,
  sha256: trashed.sha256,
  page_count: trashed.pageCount,
  owner: { id: trashed.ownerId, name: trashed.owner },
  source: trashed.source,
  created_at: trashed.createdAt.toISOString(),
  trashed_at: trashed.trashedAt.toISOString(),
  trashed_by: trashed.trashedBy,
  reason: trashed.reason,
  purge_at: new Date(trashed.trashedAt.getTime() + retentionMs).toISOString(),
});

export const list = ({ cursors, retentionMs }: TrashServices): Route =>
  rowListRoute({
    cursors,
    path: '/api/trash',
    access: 'documents.read',
    summary: 'List the documents in the trash, the latest first',
    description:
      'Documents that the caller can read, and can restore (documents.delete) or remove permanently (documents.purge). They appear nowhere else, and every other endpoint answers 404 for them.',
    query: trashListQuery,
    name: 'data',
    item: trashedDocumentBody,
    list: listTrash,
    listAfter: listTrashAfter,
    toBody: (row) => toTrashedBody(row, retentionMs.current()),
  });

export const read = ({ database: { db }, retentionMs }: TrashServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/trash/{id}',
    access: 'documents.read',
    summary: 'Get a document in the trash',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    response: trashedDocumentBody,
    handle: async ({ params, principal }) => toTrashedBody(await getTrashed(db, principal, params.id), retentionMs.current()),
  });

/** What the routes of the trash use. */
export interface TrashServices extends Pick<DocumentServices, 'database' | 'storage' | 'cursors' | 'log'> {
  /** How long a document stays in the trash. */
  readonly retentionMs: Live<number>;
}

export const trashRoutes = (services: TrashServices): readonly Route[] => [
  list(services),
  empty(services),
  read(services),
  restore(services),
  purge(services),
];
