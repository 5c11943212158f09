import { queueStatusBody } from '@sheaf/contract';
import { documentsFor, readQueueStatus } from '@sheaf/db';
import { jsonRoute, type Route } from '../http/route.ts';

const status = jsonRoute({
  method: 'get',
  path: '/api/ocr/queue/status',
  access: 'ocr.read',
  summary: 'The queue in numbers, over the documents the caller may read',
  status: 200,
  response: queueStatusBody,
  handle: ({ principal }, { database, clock }) => readQueueStatus(database.db, documentsFor(principal, 'documents.read'), clock.now()),
});

export const queueRoutes: readonly Route[] = [status];
