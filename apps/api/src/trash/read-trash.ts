import { trashedDocumentBody, trashListQuery } from '@sheaf/contract/documents';
import { getTrashed, listTrash, listTrashAfter } from '@sheaf/trash';
import { listRoute } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import type { TrashServices } from './trash-services.ts';
import { toTrashedBody } from './trashed-body.ts';

export const list = ({ database: { db }, cursors, retentionMs }: TrashServices): Route =>
  listRoute({
    cursors,
    path: '/api/trash',
    access: 'documents.read',
    summary: 'List the documents in the trash, the latest first',
    description:
      'Documents that the caller can read, and can restore (documents.delete) or remove permanently (documents.purge). They appear nowhere else, and every other endpoint answers 404 for them.',
    query: trashListQuery,
    name: 'data',
    item: trashedDocumentBody,
    page: async ({ query: { page, per_page: perPage, ...question }, principal }) => {
      const { rows, total } = await listTrash(db, principal, { page, perPage, ...question });
      return { rows: rows.map((row) => toTrashedBody(row, retentionMs.current())), total };
    },
    cut: async ({ query, principal }, part) => {
      const { rows, next } = await listTrashAfter(db, principal, { ...query, ...part });
      return { rows: rows.map((row) => toTrashedBody(row, retentionMs.current())), next };
    },
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
