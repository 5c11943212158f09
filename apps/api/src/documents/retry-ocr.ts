import { AppError, forbidden, queueItemBody, retryRequest } from '@sheaf/contract';
import {
  enqueueJob,
  getDocument,
  getQueueItemOfDocument,
  lockDocument,
  markPagesStale,
  markPending,
  mayChangeJob,
  recordEvent,
  setOcrLanguage,
} from '@sheaf/db';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute } from '../http/route.ts';
import { requireInstalledLanguage } from '../queue/languages.ts';
import { toQueueItemBody } from '../queue/queue-item-body.ts';
import { statusOf } from '../queue/routes.ts';

const isBeingRead = (id: string): AppError =>
  new AppError('DUPLICATE_RESOURCE', 'The document is being read at the moment; wait for the end or cancel it', {
    code: 'DOCUMENT_IS_PROCESSING',
    details: { document_id: id },
  });

export const retryOcr = jsonRoute({
  method: 'post',
  path: '/api/documents/{id}/retry-ocr',
  access: 'ocr.update',
  summary:
    'Read a document again from its first page, in another language or sooner if wished; its old text stays until the new one is there',
  params: idParams,
  body: retryRequest.optional(),
  // Choice: the specification's table of operations says 200, which goes before the contract's 202.
  status: 200,
  response: queueItemBody,
  handle: async ({ params, body = {}, principal }, deps) => {
    const { database, clock, config } = deps;
    const document = await getDocument(database.db, principal, params.id);
    if (!(await mayChangeJob(database.db, principal, document.id))) throw forbidden('You may not change the reading of this document');
    await requireInstalledLanguage(deps, body.language);
    await database.db.transaction(async (tx) => {
      if ((await lockDocument(tx, document.id)) === 'processing') throw isBeingRead(document.id);
      await markPagesStale(tx, document.id);
      if (body.language !== undefined) await setOcrLanguage(tx, document.id, body.language);
      await markPending(tx, document.id);
      await enqueueJob(tx, {
        documentId: document.id,
        maxAttempts: config.ingest.maxAttempts,
        ...(body.priority === undefined ? {} : { priority: body.priority }),
      });
      await recordEvent(tx, { type: 'document_updated', document_id: document.id, changes: { status: 'pending' } }, document.ownerId);
    });
    return toQueueItemBody(await getQueueItemOfDocument(database.db, principal, document.id), await statusOf(principal, deps), clock.now());
  },
});
