import { documentBody } from '@sheaf/contract';
import { readWholeDocument } from '@sheaf/db';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, streamRoute } from '../http/route.ts';
import { deleteRows, removeBytes } from './delete-documents.ts';
import { toDocumentBody } from './document-body.ts';
import { DEEDS, takeDocuments } from './select-documents.ts';

export const read = jsonRoute({
  method: 'get',
  path: '/api/documents/{id}',
  access: 'documents.read',
  summary: 'Get a document with its full text',
  errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
  params: idParams,
  status: 200,
  response: documentBody,
  handle: async ({ params, principal }, { database }) => {
    const document = await readWholeDocument(database.db, principal, params.id);
    return toDocumentBody(document, document.content);
  },
});

export const remove = streamRoute({
  method: 'delete',
  path: '/api/documents/{id}',
  access: 'documents.delete',
  summary: 'Delete a document with its text, search entry, job and files',
  content: { answers: [{ status: 204, description: 'Deleted' }] },
  errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
  params: idParams,
  stream: async ({ params, principal, facts: { address } }, deps, { response }) => {
    const documents = await deps.database.db.transaction(async (tx) => {
      const taken = await takeDocuments(tx, principal, DEEDS.delete, { ids: [params.id] });
      await deleteRows(tx, taken, { principal, address });
      return taken;
    });
    await removeBytes(deps, documents);
    response.status(204).end();
  },
});
