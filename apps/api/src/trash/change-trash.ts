import { documentNotFound, reasonedError } from '@sheaf/contract';
import { emptyTrashBody, emptyTrashRequest, restoredDocumentBody } from '@sheaf/contract/documents';
import { readWholeDocument } from '@sheaf/documents';
import { countPurgeable, emptyTrash, purgeDocument, requireTrashed, restoreInTransaction } from '@sheaf/ingest/trash';
import { makeBytesRemoval } from '../documents/delete-documents.ts';
import { presentDocument } from '../documents/present-documents.ts';
import { idParams } from '../http/parse-input.ts';
import { emptyRoute, jsonRoute, type Route } from '../http/route.ts';
import type { TrashServices } from './trash-services.ts';

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
    status: 200,
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
    status: 200,
    response: emptyTrashBody,
    handle: async ({ body: { confirm }, principal, context: { address, signal } }) => {
      const { db } = services.database;
      const { total, asOf } = await countPurgeable(db, principal);
      if (total !== confirm) throw reasonedError('DUPLICATE_RESOURCE', 'not_confirmed', { matched: total });
      const removeBytes = makeBytesRemoval(services);
      return { purged: await emptyTrash(db, principal, asOf, { by: { principal, address }, removeBytes, signal }) };
    },
  });
