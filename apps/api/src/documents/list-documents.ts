import { DOCUMENT_SORT_FIELDS, DOCUMENT_STATUSES, documentBody, pageQuery, paginationBody, toPagination } from '@sheaf/contract';
import { listDocuments } from '@sheaf/db';
import { z } from 'zod';
import { jsonRoute } from '../http/route.ts';
import { toDocumentBody } from './document-body.ts';

const moment = z.iso.datetime({ offset: true }).or(z.iso.date());

const labelIds = z
  .string()
  .transform((text) => text.split(',').map((id) => id.trim()))
  .pipe(z.array(z.uuid()).max(50));

const query = pageQuery.extend({
  sort: z.enum(DOCUMENT_SORT_FIELDS).default('created_at'),
  order: z.enum(['asc', 'desc']).default('desc'),
  status: z.enum(DOCUMENT_STATUSES).optional(),
  source_id: z.uuid().optional(),
  label_ids: labelIds.optional(),
  date_from: moment.optional(),
  date_to: moment.optional(),
});

/** A date without a time means the whole day. */
const endOf = (text: string): Date => new Date(text.includes('T') ? text : `${text}T23:59:59.999Z`);

export const list = jsonRoute({
  method: 'get',
  path: '/api/documents',
  access: 'documents.read',
  summary: 'List documents',
  query,
  status: 200,
  response: z.strictObject({ data: z.array(documentBody), pagination: paginationBody }),
  handle: async ({ query: q, principal }, { database }) => {
    const { rows, total } = await listDocuments(database.db, principal, {
      page: q.page,
      perPage: q.per_page,
      sort: q.sort,
      order: q.order,
      status: q.status,
      sourceId: q.source_id,
      labelIds: q.label_ids,
      from: q.date_from === undefined ? undefined : new Date(q.date_from),
      to: q.date_to === undefined ? undefined : endOf(q.date_to),
    });
    return { data: rows.map((row) => toDocumentBody(row)), pagination: toPagination(q, total) };
  },
});
