import { type ShareBody, shareBody, shareListQuery } from '@sheaf/contract/documents';
import { listShares, listSharesAfter, type Share, type ShareFilter } from '@sheaf/search/shares';
import type { z } from 'zod';
import { listRoute } from '../http/list-route.ts';
import type { Route } from '../http/route.ts';
import type { ShareServices } from './share-services.ts';

const toBody = (share: Share): ShareBody => ({
  id: share.id,
  state: share.state,
  document_id: share.documentId,
  saved_search_id: share.savedSearchId,
  title: share.title,
  has_password: share.hasPassword,
  allow_download: share.allowDownload,
  access_count: share.accessCount,
  last_accessed_at: share.lastAccessedAt?.toISOString() ?? null,
  expires_at: share.expiresAt.toISOString(),
  created_by: share.createdBy,
  created_at: share.createdAt.toISOString(),
});

type Query = Omit<z.infer<typeof shareListQuery>, 'page' | 'per_page'>;

const filterOf = ({ document_id: documentId, active, sort, order }: Query): ShareFilter => ({ documentId, active, sort, order });

export const list = ({ cursors }: ShareServices): Route =>
  listRoute({
    cursors,
    path: '/api/shares',
    access: 'documents.share',
    mayReadReplica: true,
    summary: 'List your share links; administrators see those of all users',
    description: 'Links are deleted 30 days after they expired or were revoked.',
    errors: { FEATURE_DISABLED: 'NOT_FOUND' },
    query: shareListQuery,
    name: 'data',
    item: shareBody,
    page: async ({ query: { page, per_page: perPage, ...query }, principal, context: { db } }) => {
      const { rows, total } = await listShares(db, principal, { page, perPage, ...filterOf(query) });
      return { rows: rows.map(toBody), total };
    },
    cut: async ({ query, principal, context: { db } }, part) => {
      const { rows, next } = await listSharesAfter(db, principal, { ...filterOf(query), ...part });
      return { rows: rows.map(toBody), next };
    },
  });
