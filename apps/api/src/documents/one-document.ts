import { documentBody, forbidden } from '@sheaf/contract';
import { deleteDocument, getDocument, mayOnDocument, readContent, recordEvent } from '@sheaf/db';
import { removeStoredBytes } from '@sheaf/ingest';
import { removeFromIndex } from '@sheaf/search';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, streamRoute } from '../http/route.ts';
import { toDocumentBody } from './document-body.ts';

export const read = jsonRoute({
  method: 'get',
  path: '/api/documents/{id}',
  access: 'documents.read',
  summary: 'One document with its whole text',
  params: idParams,
  status: 200,
  response: documentBody,
  handle: async ({ params, principal }, { database }) => {
    const document = await getDocument(database.db, principal, params.id);
    return toDocumentBody(document, await readContent(database.db, document.id));
  },
});

export const remove = streamRoute({
  method: 'delete',
  path: '/api/documents/{id}',
  access: 'documents.delete',
  summary: 'Delete a document with its text, its index entry, its job and its file',
  params: idParams,
  stream: async ({ params, principal }, { database, storage, log }, { response }) => {
    const document = await getDocument(database.db, principal, params.id);
    if (!(await mayOnDocument(database.db, principal, 'documents.delete', document.id)))
      throw forbidden('You may only delete documents of your own');
    await database.db.transaction(async (tx) => {
      await removeFromIndex(tx, document.id);
      await deleteDocument(tx, document.id);
      await recordEvent(tx, { type: 'document_deleted', document_id: document.id }, document.ownerId);
    });
    // After the commit: a crash here leaves bytes that no row refers to, which are swept later. Never the other way round.
    await removeStoredBytes({ db: database.db, storage }, document.sha256).catch((error: unknown) =>
      log.warn({ err: error, document_id: document.id }, 'stored bytes left to the sweep'),
    );
    response.status(204).end();
  },
});
