import { listAudit, listAuditAfter } from '@sheaf/accounts/users';
import type { PageQuery } from '@sheaf/contract';
import { type AuditEntryBody, auditEntryBody, auditQuery } from '@sheaf/contract/users';
import type { AuditRow } from '@sheaf/db/schema';
import type { z } from 'zod';
import { listRoute } from '../http/list-route.ts';
import type { Route } from '../http/route.ts';
import { auditFilterOf } from './audit-filter.ts';
import type { AuditServices } from './audit-services.ts';
import { exportAudit } from './export-audit.ts';

const toAuditEntryBody = (row: AuditRow): AuditEntryBody => ({
  id: row.id,
  created_at: row.createdAt.toISOString(),
  actor: { id: row.actorId, username: row.actorName },
  address: row.address,
  action: row.action,
  outcome: row.outcome,
  subject: row.subjectType === null || row.subjectId === null ? null : { type: row.subjectType, id: row.subjectId },
  details: row.details,
});

const questionOf = (query: Omit<z.infer<typeof auditQuery>, keyof PageQuery>) => ({
  ...auditFilterOf(query),
  sort: query.sort,
  order: query.order,
});

const list = ({ database, cursors }: AuditServices): Route =>
  listRoute({
    cursors,
    path: '/api/audit',
    access: 'audit.view',
    summary: 'List audit log entries, newest first',
    query: auditQuery,
    name: 'data',
    item: auditEntryBody,
    page: async ({ query }) => {
      const { rows, total } = await listAudit(database.db, { page: query.page, perPage: query.per_page, ...questionOf(query) });
      return { rows: rows.map(toAuditEntryBody), total };
    },
    cut: async ({ query }, part) => {
      const { rows, next } = await listAuditAfter(database.db, { ...questionOf(query), ...part });
      return { rows: rows.map(toAuditEntryBody), next };
    },
  });

export const auditRoutes = (services: AuditServices): readonly Route[] => [list(services), exportAudit(services)];
