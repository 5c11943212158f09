import { DOCUMENT_SORT_FIELDS, DOCUMENT_STATUSES, documentBody, type PageQuery, pageQuery } from '@sheaf/contract';
import { type DocumentFilter, listDocuments, listDocumentsAfter } from '@sheaf/db';
import { z } from 'zod';
import { idList } from '../http/id-list.ts';
import { listRoute } from '../http/list-route.ts';
import { firstAfter, notBefore } from './day-range.ts';
import { toDocumentBody } from './document-body.ts';

const moment = z.iso.datetime({ offset: true }).or(z.iso.date());

const query = pageQuery.extend({
  sort: z.enum(DOCUMENT_SORT_FIELDS).default('created_at'),
  order: z.enum(['asc', 'desc']).default('desc'),
  status: z.enum(DOCUMENT_STATUSES).optional(),
  source_id: z.uuid().optional(),
  label_ids: idList(50).optional().describe('Ids of labels, parted by commas, at most 50'),
  date_from: moment.optional().describe('Made at this time or later; a date means its first moment in UTC'),
  date_to: moment.optional().describe('Made at this time or earlier; a date means the whole day in UTC'),
});

const filterOf = (q: Omit<z.infer<typeof query>, keyof PageQuery>): DocumentFilter => ({
  sort: q.sort,
  order: q.order,
  status: q.status,
  sourceId: q.source_id,
  labelIds: q.label_ids,
  from: q.date_from === undefined ? undefined : notBefore(q.date_from),
  before: q.date_to === undefined ? undefined : firstAfter(q.date_to),
});

export const list = listRoute({
  path: '/api/documents',
  access: 'documents.read',
  summary: 'List documents',
  query,
  name: 'data',
  item: documentBody,
  page: async ({ query: q, principal }, { database }) => {
    const { rows, total } = await listDocuments(database.db, principal, { page: q.page, perPage: q.per_page, ...filterOf(q) });
    return { rows: rows.map((row) => toDocumentBody(row)), total };
  },
  cut: async ({ query: q, principal }, part, { database }) => {
    const { rows, next } = await listDocumentsAfter(database.db, principal, { ...filterOf(q), ...part });
    return { rows: rows.map((row) => toDocumentBody(row)), next };
  },
});
