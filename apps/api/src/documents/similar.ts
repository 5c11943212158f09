import { documentNotFound } from '@sheaf/contract';
import { similarDocumentsBody, similarListQuery, similarParams } from '@sheaf/contract/documents';
import { getDocument, readInOrder } from '@sheaf/documents';
import { recordEvent } from '@sheaf/events';
import { dismissSimilar, listSimilar } from '@sheaf/filing/near-duplicates';
import { idParams } from '../http/parse-input.ts';
import { emptyRoute, jsonRoute, type Route } from '../http/route.ts';
import { partOf } from '../http/short-list.ts';
import type { DocumentServices } from './document-services.ts';
import { presentDocuments } from './present-documents.ts';
import { DOCUMENT_ACTIONS, takeDocuments } from './select-documents.ts';

export const similar = ({ database: { db } }: DocumentServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/documents/{id}/similar',
    access: 'documents.read',
    summary: 'List the near-duplicates of a document',
    description:
      'Documents visible to the caller with nearly the same text, such as a second scan of the same paper, at most 50, the most similar first by default. `sort=title` and `sort=created_at` sort by the documents. They are found some seconds after processing. Dismissed ones are left out.',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    query: similarListQuery,
    status: 200,
    response: similarDocumentsBody,
    handle: async ({ params, query, principal }) => {
      const { id } = await getDocument(db, principal, params.id);
      const found = await listSimilar(db, principal, id);
      const rows = await readInOrder(
        db,
        found.map(({ documentId }) => documentId),
      );
      const similarities = new Map(found.map(({ documentId, similarity }) => [documentId, similarity]));
      const bodies = await presentDocuments(db, principal, rows);
      const data = bodies.map((document) => ({ document, similarity: similarities.get(document.id) ?? 0 }));
      const { rows: part, ...more } = partOf(data, query, (row, field) => (field === 'similarity' ? row.similarity : row.document[field]));
      return { data: part, ...more };
    },
  });

export const dismiss = ({ database: { db } }: DocumentServices): Route =>
  emptyRoute({
    method: 'post',
    path: '/api/documents/{id}/similar/{other_id}/dismiss',
    access: 'documents.update',
    summary: 'Remember that two documents are not duplicates',
    description:
      'For both documents, in either order. They are no longer listed as near-duplicates of each other, also after processing again.',
    done: 'Dismissed',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    params: similarParams,
    handle: async ({ params: { id, other_id: otherId }, principal }) => {
      if (id === otherId) throw documentNotFound(otherId); // none is a duplicate of itself
      await db.transaction(async (tx) => {
        const both = await takeDocuments(tx, principal, DOCUMENT_ACTIONS.update, { ids: [id, otherId] });
        await dismissSimilar(tx, id, otherId);
        for (const document of both) {
          const changes = { similar_dismissed: true };
          await recordEvent(tx, { type: 'document_updated', document_id: document.id, changes }, document.ownerId);
        }
      });
    },
  });
