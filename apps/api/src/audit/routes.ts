import { type AuditEntryBody, auditEntryBody, auditQuery, paginationBody, toPagination } from '@sheaf/contract';
import { type AuditRow, listAudit } from '@sheaf/db';
import { z } from 'zod';
import { firstAfter, notBefore } from '../documents/day-range.ts';
import { jsonRoute, type Route } from '../http/route.ts';

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

const list = jsonRoute({
  method: 'get',
  path: '/api/audit',
  access: 'audit.view',
  summary: 'Who did what, from where, to what; the newest first',
  query: auditQuery,
  status: 200,
  response: z.strictObject({ data: z.array(auditEntryBody), pagination: paginationBody }),
  handle: async ({ query }, { database }) => {
    const { rows, total } = await listAudit(database.db, {
      page: query.page,
      perPage: query.per_page,
      action: query.action,
      actorId: query.actor_id,
      outcome: query.outcome,
      from: query.date_from === undefined ? undefined : notBefore(query.date_from),
      before: query.date_to === undefined ? undefined : firstAfter(query.date_to),
    });
    return { data: rows.map(toAuditEntryBody), pagination: toPagination(query, total) };
  },
});

export const auditRoutes: readonly Route[] = [list];
