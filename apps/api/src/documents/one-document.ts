import { documentBody } from '@sheaf/contract/documents';
import { readWholeDocument } from '@sheaf/documents';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type Route, streamRoute } from '../http/route.ts';
import { deleteRows, removeBytes } from './delete-documents.ts';
import type { DocumentServices } from './document-services.ts';
import { presentDocument } from './present-documents.ts';
import { DOCUMENT_ACTIONS, takeDocuments } from './select-documents.ts';

export const read = ({ database }: DocumentServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/documents/{id}',
    access: 'documents.read',
    summary: 'Get a document with its full text',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    status: 200,
    response: documentBody,
    handle: async ({ params, principal }) => {
      const document = await readWholeDocument(database.db, principal, params.id);
      return presentDocument(database.db, principal, document, document.content);
    },
  });

export const remove = (services: DocumentServices): Route =>
  streamRoute({
    method: 'delete',
    path: '/api/documents/{id}',
    access: 'documents.delete',
    summary: 'Delete a document with its text, search entry, job and files',
    content: { answers: [{ status: 204, description: 'Deleted' }] },
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    stream: async ({ params, principal, context: { address } }, { response }) => {
      const documents = await services.database.db.transaction(async (tx) => {
        const taken = await takeDocuments(tx, principal, DOCUMENT_ACTIONS.delete, { ids: [params.id] });
        await deleteRows(tx, taken, { principal, address });
        return taken;
      });
      await removeBytes(services, documents);
      response.status(204).end();
    },
  });
