import { permissionNeeded } from '@sheaf/contract';
import { deleteDocumentQuery, documentBody } from '@sheaf/contract/documents';
import { readWholeDocument } from '@sheaf/documents';
import { scopeOf } from '@sheaf/vocabulary/permissions';
import { idParams } from '../http/parse-input.ts';
import { emptyRoute, jsonRoute, type Route } from '../http/route.ts';
import { deleteRows, deletionOf, removeBytes } from './delete-documents.ts';
import type { DocumentServices } from './document-services.ts';
import { presentDocument } from './present-documents.ts';
import { takeDocuments } from './select-documents.ts';

export const read = ({ database }: DocumentServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/documents/{id}',
    access: 'documents.read',
    summary: 'Get a document with its full text',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    response: documentBody,
    handle: async ({ params, principal }) => {
      const document = await readWholeDocument(database.db, principal, params.id);
      return presentDocument(database.db, principal, document, document.content);
    },
  });

export const remove = (services: DocumentServices): Route =>
  emptyRoute({
    method: 'delete',
    path: '/api/documents/{id}',
    access: 'documents.delete',
    summary: 'Move a document to the trash',
    description: 'The document stays in the trash for TRASH_RETENTION_DAYS. `permanent=true` removes it at once with its files.',
    done: 'Moved to the trash, or removed',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    query: deleteDocumentQuery,
    handle: async ({ params, query: { permanent: isPermanent = false }, principal, context: { address } }) => {
      const action = deletionOf(isPermanent);
      if (scopeOf(principal.permissions, action.permission) === 'none') throw permissionNeeded(action.permission);
      const documents = await services.database.db.transaction(async (tx) => {
        const taken = await takeDocuments(tx, principal, action, { ids: [params.id] });
        await deleteRows(tx, taken, { principal, address }, { isPermanent });
        return taken;
      });
      if (isPermanent) await removeBytes(services, documents);
    },
  });
