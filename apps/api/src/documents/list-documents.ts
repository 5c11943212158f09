import type { PageQuery } from '@sheaf/contract';
import { documentBody, documentListQuery } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { listDocuments, listDocumentsAfter } from '@sheaf/documents';
import { fieldConditions } from '@sheaf/documents/custom-fields';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { z } from 'zod';
import { listRoute } from '../http/list-route.ts';
import type { Route } from '../http/route.ts';
import { toFilter } from './document-filter.ts';
import type { DocumentServices } from './document-services.ts';
import { presentDocuments } from './present-documents.ts';

const filterOf = async (db: Db, principal: Principal, query: Omit<z.infer<typeof documentListQuery>, keyof PageQuery>) => ({
  ...toFilter(query, await fieldConditions(db, principal, query.fields)),
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
      const filter = await filterOf(db, principal, q);
      const { rows, total } = await listDocuments(db, principal, { page: q.page, perPage: q.per_page, ...filter });
      return { rows: await presentDocuments(db, principal, rows), total };
    },
    cut: async ({ query: q, principal, context: { db } }, part) => {
      const { rows, next } = await listDocumentsAfter(db, principal, { ...(await filterOf(db, principal, q)), ...part });
      return { rows: await presentDocuments(db, principal, rows), next };
    },
  });
