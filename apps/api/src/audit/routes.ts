import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type AuditFilter, listAudit, listAuditAfter } from '@sheaf/accounts/users';
import { firstAfter, notBefore, type PageQuery } from '@sheaf/contract';
import { type AuditEntryBody, auditEntryBody, auditExportQuery, auditQuery } from '@sheaf/contract/users';
import type { Database, Db, Position } from '@sheaf/db';
import type { AuditRow } from '@sheaf/db/schema';
import { stringify } from 'csv-stringify';
import type { z } from 'zod';
import { type Cursors, listRoute } from '../http/list-route.ts';
import { type Route, streamRoute } from '../http/route.ts';

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

const ROWS_AT_ONCE = 1_000;
const COLUMNS = ['time', 'user', 'user_id', 'address', 'action', 'outcome', 'subject_type', 'subject_id', 'details'];

const toRecord = (row: AuditRow): readonly (string | null)[] => [
  row.createdAt.toISOString(),
  row.actorName,
  row.actorId,
  row.address,
  row.action,
  row.outcome,
  row.subjectType,
  row.subjectId,
  JSON.stringify(row.details),
];

async function* recordsOf(db: Db, filter: AuditFilter): AsyncGenerator<readonly (string | null)[]> {
  let after: Position | undefined;
  do {
    const { rows, next } = await listAuditAfter(db, { ...filter, sort: 'created_at', order: 'desc', after, limit: ROWS_AT_ONCE });
    for (const row of rows) yield toRecord(row);
    after = next;
  } while (after !== undefined);
}

const exportAudit = ({ database }: AuditServices): Route =>
  streamRoute({
    method: 'get',
    path: '/api/audit/export',
    access: 'audit.view',
    summary: 'Export audit log entries as CSV, newest first',
    description: 'A cell that a spreadsheet would take for a formula begins with an apostrophe.',
    content: { answers: [{ status: 200, description: 'The entries that match, in UTF-8 with a header line', contentTypes: ['text/csv'] }] },
    query: auditExportQuery,
    stream: async ({ query, context }, { response }) => {
      response.status(200).type('text/csv; charset=utf-8');
      response.setHeader('Content-Disposition', 'attachment; filename="audit-log.csv"');
      // names and details are strangers' words, and a spreadsheet runs what begins like a formula
      const csv = stringify({ header: true, columns: COLUMNS, bom: true, escape_formulas: true });
      await pipeline(Readable.from(recordsOf(database.db, auditFilterOf(query))), csv, response, { signal: context.signal });
    },
  });

interface AuditServices {
  readonly database: Database;
  readonly cursors: Cursors;
}

/** Which entries are asked for. */
const auditFilterOf = (query: z.infer<typeof auditExportQuery>) => ({
  action: query.action,
  actorId: query.actor_id,
  outcome: query.outcome,
  from: query.date_from === undefined ? undefined : notBefore(query.date_from),
  before: query.date_to === undefined ? undefined : firstAfter(query.date_to),
});
