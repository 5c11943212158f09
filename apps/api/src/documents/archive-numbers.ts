import { archiveNumberBody } from '@sheaf/contract/documents';
import { nextArchiveNumber } from '@sheaf/documents';
import { jsonRoute, type Route } from '../http/route.ts';
import type { DocumentServices } from './document-services.ts';

export const archiveNumber = ({ database: { db } }: DocumentServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/archive-numbers/next',
    access: 'documents.update',
    summary: 'Get the number after the highest archive number of the documents that you may read',
    status: 200,
    response: archiveNumberBody,
    handle: async ({ principal }) => ({ archive_number: await nextArchiveNumber(db, principal) }),
  });
