import { firstAfter, notBefore, type PageQuery } from '@sheaf/contract';
import { documentBody, documentListQuery } from '@sheaf/contract/documents';
import { type DocumentFilter, listDocuments, listDocumentsAfter } from '@sheaf/documents';
import type { z } from 'zod';
import { listRoute } from '../http/list-route.ts';
import type { Route } from '../http/route.ts';
import { toDocumentBody } from './document-body.ts';
import type { DocumentServices } from './document-services.ts';

const filterOf = (q: Omit<z.infer<typeof documentListQuery>, keyof PageQuery>): DocumentFilter => ({
  sort: q.sort,
  order: q.order,
  status: q.status,
  sourceId: q.source_id,
  language: q.language,
  labelIds: q.label_ids,
  from: q.date_from === undefined ? undefined : notBefore(q.date_from),
  before: q.date_to === undefined ? undefined : firstAfter(q.date_to),
});

export const list = ({ database, cursors }: DocumentServices): Route =>
  listRoute({
    cursors,
    path: '/api/documents',
    access: 'documents.read',
    summary: 'List documents',
    query: documentListQuery,
    name: 'data',
    item: documentBody,
    page: async ({ query: q, principal }) => {
      const { rows, total } = await listDocuments(database.db, principal, { page: q.page, perPage: q.per_page, ...filterOf(q) });
      return { rows: rows.map((row) => toDocumentBody(row)), total };
    },
    cut: async ({ query: q, principal }, part) => {
      const { rows, next } = await listDocumentsAfter(database.db, principal, { ...filterOf(q), ...part });
      return { rows: rows.map((row) => toDocumentBody(row)), next };
    },
  });
