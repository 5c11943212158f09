import type { PageQuery } from '@sheaf/contract';
import { documentBody, documentListQuery } from '@sheaf/contract/documents';
import { listDocuments, listDocumentsAfter, type OrderedFilter } from '@sheaf/documents';
import type { z } from 'zod';
import { listRoute } from '../http/list-route.ts';
import type { Route } from '../http/route.ts';
import { toDocumentBody } from './document-body.ts';
import { toFilter } from './document-filter.ts';
import type { DocumentServices } from './document-services.ts';

const filterOf = (query: Omit<z.infer<typeof documentListQuery>, keyof PageQuery>): OrderedFilter => ({
  ...toFilter(query),
  sort: query.sort,
  order: query.order,
});

export const list = ({ cursors }: DocumentServices): Route =>
  listRoute({
    cursors,
    path: '/api/documents',
    access: 'documents.read',
    mayReadReplica: true,
    summary: 'List documents',
    query: documentListQuery,
    name: 'data',
    item: documentBody,
    page: async ({ query: q, principal, context: { db } }) => {
      const { rows, total } = await listDocuments(db, principal, { page: q.page, perPage: q.per_page, ...filterOf(q) });
      return { rows: rows.map((row) => toDocumentBody(row)), total };
    },
    cut: async ({ query: q, principal, context: { db } }, part) => {
      const { rows, next } = await listDocumentsAfter(db, principal, { ...filterOf(q), ...part });
      return { rows: rows.map((row) => toDocumentBody(row)), next };
    },
  });
