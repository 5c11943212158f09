import { queueItemBody, retryRequest } from '@sheaf/contract';
import { getDocument, getQueueItemOfDocument } from '@sheaf/db';
import { readAgain } from '@sheaf/ingest';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute } from '../http/route.ts';
import { requireInstalledLanguage } from '../queue/languages.ts';
import { toQueueItemBody } from '../queue/queue-item-body.ts';
import { statusOf } from '../queue/routes.ts';
import { DEEDS, takeDocuments } from './select-documents.ts';

export const retryOcr = jsonRoute({
  method: 'post',
  path: '/api/documents/{id}/retry-ocr',
  access: 'ocr.update',
  summary: 'Run OCR again, optionally with another language or priority; the previous text remains until it is replaced',
  errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', DOCUMENT_IS_PROCESSING: 'DUPLICATE_RESOURCE' },
  params: idParams,
  body: retryRequest.optional(),
  // Choice: the specification's table of operations says 200, which goes before the contract's 202.
  status: 200,
  response: queueItemBody,
  handle: async ({ params, body = {}, principal }, deps) => {
    const { database, clock, config } = deps;
    const document = await getDocument(database.db, principal, params.id);
    await requireInstalledLanguage(deps, body.language);
    await database.db.transaction(async (tx) => {
      const documents = await takeDocuments(tx, principal, DEEDS.retry_ocr, { ids: [document.id] });
      await readAgain(tx, documents, { maxAttempts: config.ingest.maxAttempts, ...body });
    });
    return toQueueItemBody(await getQueueItemOfDocument(database.db, principal, document.id), await statusOf(principal, deps), clock.now());
  },
});
