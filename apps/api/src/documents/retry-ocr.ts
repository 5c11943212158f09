import { queueItemBody, retryRequest } from '@sheaf/contract/queue';
import { getDocument } from '@sheaf/documents';
import { readAgain } from '@sheaf/ingest';
import { getQueueItemOfDocument } from '@sheaf/queue';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import { toQueueItemBody } from '../queue/queue-item-body.ts';
import { statusOf } from '../queue/routes.ts';
import type { DocumentServices } from './document-services.ts';
import { DOCUMENT_ACTIONS, takeDocuments } from './select-documents.ts';

export const retryOcr = (services: DocumentServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/documents/{id}/retry-ocr',
    access: 'ocr.update',
    summary:
      'Run OCR again, optionally with another language or priority; the previous text remains until it is replaced, text that was edited also then',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', DOCUMENT_IS_PROCESSING: 'DUPLICATE_RESOURCE' },
    params: idParams,
    body: retryRequest.optional(),
    // Choice: the specification's table of operations says 200, which goes before the contract's 202.
    status: 200,
    response: queueItemBody,
    handle: async ({ params, body = {}, principal }) => {
      const { database, clock, ingest } = services;
      const document = await getDocument(database.db, principal, params.id);
      await services.languages.requireInstalled(body.language);
      await database.db.transaction(async (tx) => {
        const documents = await takeDocuments(tx, principal, DOCUMENT_ACTIONS.retry_ocr, { ids: [document.id] });
        const { replace_edited: replacesEdited, ...order } = body;
        await readAgain(tx, documents, { maxAttempts: ingest.settings.current().maxAttempts, ...order, replacesEdited });
      });
      return toQueueItemBody(
        await getQueueItemOfDocument(database.db, principal, document.id),
        await statusOf(principal, services),
        clock.now(),
      );
    },
  });
