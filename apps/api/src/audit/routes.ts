import { firstAfter, notBefore, type PageQuery } from '@sheaf/contract';
import { type AuditEntryBody, auditEntryBody, auditQuery } from '@sheaf/contract/users';
import type { Database } from '@sheaf/db';
import type { AuditRow } from '@sheaf/db/schema';
import { listAudit, listAuditAfter } from '@sheaf/users';
import type { z } from 'zod';
import type { Cursors } from '../http/cursor.ts';
import { listRoute } from '../http/list-route.ts';
import type { Route } from '../http/route.ts';

interface AuditServices {
  readonly database: Database;
  readonly cursors: Cursors;
}

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

const filterOf = (query: Omit<z.infer<typeof auditQuery>, keyof PageQuery>) => ({
  action: query.action,
  actorId: query.actor_id,
  outcome: query.outcome,
  sort: query.sort,
  order: query.order,
  from: query.date_from === undefined ? undefined : notBefore(query.date_from),
  before: query.date_to === undefined ? undefined : firstAfter(query.date_to),
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
      const { rows, total } = await listAudit(database.db, { page: query.page, perPage: query.per_page, ...filterOf(query) });
      return { rows: rows.map(toAuditEntryBody), total };
    },
    cut: async ({ query }, part) => {
      const { rows, next } = await listAuditAfter(database.db, { ...filterOf(query), ...part });
      return { rows: rows.map(toAuditEntryBody), next };
    },
  });

export const auditRoutes = (services: AuditServices): readonly Route[] => [list(services)];
