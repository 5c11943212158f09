import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type AuditFilter, listAuditAfter } from '@sheaf/accounts/users';
import { auditExportQuery } from '@sheaf/contract/users';
import type { Db, Position } from '@sheaf/db';
import type { AuditRow } from '@sheaf/db/schema';
import { stringify } from 'csv-stringify';
import { type Route, streamRoute } from '../http/route.ts';
import { auditFilterOf } from './audit-filter.ts';
import type { AuditServices } from './audit-services.ts';

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

export const exportAudit = ({ database }: AuditServices): Route =>
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
