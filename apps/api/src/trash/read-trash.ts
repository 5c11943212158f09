import { type TrashedDocumentBody, trashedDocumentBody, trashListQuery } from '@sheaf/contract/documents';
import { getTrashed, listTrash, listTrashAfter, type TrashedDocument } from '@sheaf/ingest/trash';
import { rowListRoute } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import type { TrashServices } from './trash-services.ts';

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
    status: 200,
    response: trashedDocumentBody,
    handle: async ({ params, principal }) => toTrashedBody(await getTrashed(db, principal, params.id), retentionMs.current()),
  });
