import { AppError, forbidden, jobPriority, type Principal, queueItemBody, queueListQuery, queueStatusBody } from '@sheaf/contract';
import {
  cancelJob,
  getQueueItem,
  isQueuePaused,
  listQueueItems,
  listQueueItemsAfter,
  markFailed,
  mayChangeJob,
  type QueueItem,
  readingReach,
  readQueueStatus,
  recordEvent,
  setJobPriority,
  setQueuePaused,
} from '@sheaf/db';
import { indexDocument } from '@sheaf/search';
import { z } from 'zod';
import type { ApiDeps } from '../deps.ts';
import { listRoute } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type Route, streamRoute } from '../http/route.ts';
import { ocrLanguages } from './languages.ts';
import { toQueueItemBody } from './queue-item-body.ts';

export const statusOf = (principal: Principal, { database, clock }: ApiDeps) =>
  readQueueStatus(database.db, readingReach(principal), clock.now());

/** The item, if the caller may see it. Throws FORBIDDEN when he may see it and not change it. */
const getChangeable = async ({ database }: ApiDeps, principal: Principal, id: string): Promise<QueueItem> => {
  const item = await getQueueItem(database.db, principal, id);
  if (!(await mayChangeJob(database.db, principal, item.documentId)))
    throw forbidden('You are not allowed to change the processing of this document.', { reason: 'not_your_own' });
  return item;
};

const hasEnded = (item: QueueItem): AppError =>
  new AppError('DUPLICATE_RESOURCE', 'This queue item has already ended.', {
    code: 'QUEUE_ITEM_ENDED',
    details: { queue_item_id: item.id, status: item.status },
  });

const status = jsonRoute({
  method: 'get',
  path: '/api/ocr/queue/status',
  access: 'ocr.read',
  summary: 'Get queue statistics of the documents visible to the caller',
  status: 200,
  response: queueStatusBody,
  handle: ({ principal }, deps) => statusOf(principal, deps),
});

/** Items with what is said of them in view of the whole queue. */
const toBodies = (
  rows: readonly QueueItem[],
  [queueStatus, paused]: readonly [Awaited<ReturnType<typeof statusOf>>, boolean],
  { clock }: ApiDeps,
) => {
  const now = clock.now();
  return { rows: rows.map((row) => toQueueItemBody(row, queueStatus, now)), paused };
};

const list = listRoute({
  path: '/api/ocr/queue',
  access: 'ocr.read',
  summary: 'List queue items: processing, then pending in order, then finished',
  description: 'Items move while they are processed: with a cursor, they can appear twice or be skipped.',
  query: queueListQuery,
  name: 'data',
  item: queueItemBody,
  more: { paused: z.boolean() },
  page: async ({ query: { page, per_page: perPage, ...filter }, principal }, deps) => {
    const { db } = deps.database;
    const [{ rows, total }, ...around] = await Promise.all([
      listQueueItems(db, principal, { page, perPage, ...filter }),
      statusOf(principal, deps),
      isQueuePaused(db),
    ]);
    return { ...toBodies(rows, around, deps), total };
  },
  cut: async ({ query, principal }, part, deps) => {
    const { db } = deps.database;
    const [{ rows, next }, ...around] = await Promise.all([
      listQueueItemsAfter(db, principal, { ...query, ...part }),
      statusOf(principal, deps),
      isQueuePaused(db),
    ]);
    return { ...toBodies(rows, around, deps), next };
  },
});

const read = jsonRoute({
  method: 'get',
  path: '/api/ocr/queue/{id}',
  access: 'ocr.read',
  summary: 'Get a queue item',
  errors: { QUEUE_ITEM_NOT_FOUND: 'NOT_FOUND' },
  params: idParams,
  status: 200,
  response: queueItemBody,
  handle: async ({ params, principal }, deps) =>
    toQueueItemBody(await getQueueItem(deps.database.db, principal, params.id), await statusOf(principal, deps), deps.clock.now()),
});

const cancel = streamRoute({
  method: 'delete',
  path: '/api/ocr/queue/{id}',
  access: 'ocr.update',
  summary: 'Cancel the processing of a document; it fails with the reason cancelled and keeps its processed pages',
  content: { answers: [{ status: 204, description: 'Cancelled' }] },
  errors: { QUEUE_ITEM_NOT_FOUND: 'NOT_FOUND', QUEUE_ITEM_ENDED: 'DUPLICATE_RESOURCE' },
  params: idParams,
  stream: async ({ params, principal }, deps, { response }) => {
    const item = await getChangeable(deps, principal, params.id);
    await deps.database.db.transaction(async (tx) => {
      if (!(await cancelJob(tx, item.id))) throw hasEnded(item);
      const message = await markFailed(tx, item.documentId, 'cancelled');
      await indexDocument(tx, item.documentId);
      await recordEvent(
        tx,
        { type: 'document_updated', document_id: item.documentId, changes: { status: 'failed', error: { code: 'cancelled', message } } },
        item.ownerId,
      );
    });
    response.status(204).end();
  },
});

const prioritise = jsonRoute({
  method: 'put',
  path: '/api/ocr/queue/{id}/priority',
  access: 'ocr.update',
  summary: 'Change the priority of a queue item',
  errors: { QUEUE_ITEM_NOT_FOUND: 'NOT_FOUND', QUEUE_ITEM_ENDED: 'DUPLICATE_RESOURCE' },
  params: idParams,
  body: z.strictObject({ priority: jobPriority }),
  status: 200,
  response: queueItemBody,
  handle: async ({ params, body, principal }, deps) => {
    const item = await getChangeable(deps, principal, params.id);
    if (!(await deps.database.db.transaction((tx) => setJobPriority(tx, item.id, body.priority)))) throw hasEnded(item);
    return toQueueItemBody(await getQueueItem(deps.database.db, principal, item.id), await statusOf(principal, deps), deps.clock.now());
  },
});

/** Pausing concerns everybody's documents, so it is a matter of settings and not of one's own queue items. */
const setPaused = (path: string, isPaused: boolean, summary: string): Route =>
  jsonRoute({
    method: 'post',
    path,
    access: 'settings.update',
    summary,
    status: 200,
    response: z.strictObject({ paused: z.boolean() }),
    handle: async ({ principal }, { database, log }) => {
      await database.db.transaction((tx) => setQueuePaused(tx, isPaused, principal.userId));
      log.info({ user_id: principal.userId, paused: isPaused }, 'queue paused or resumed');
      return { paused: isPaused };
    },
  });

export const queueRoutes: readonly Route[] = [
  ocrLanguages,
  status,
  list,
  setPaused('/api/ocr/queue/pause', true, 'Pause the queue; documents being processed are finished'),
  setPaused('/api/ocr/queue/resume', false, 'Resume the queue'),
  read,
  cancel,
  prioritise,
];
