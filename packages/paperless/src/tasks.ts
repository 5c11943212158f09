import type { Db } from '@sheaf/db';
import { documentsFor } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import type { DocumentStatus } from '@sheaf/vocabulary/documents';
import type { Principal } from '@sheaf/vocabulary/permissions';

/** The processing of a document, as a task of Paperless. It has the id of the document. */
export interface PaperlessTask {
  readonly id: string;
  readonly filename: string;
  readonly mimeType: string;
  readonly ownerId: string;
  readonly status: DocumentStatus;
  /** Why it failed; null otherwise. */
  readonly error: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly isAcknowledged: boolean;
}

interface TaskRow extends Record<string, unknown> {
  readonly id: string;
  readonly filename: string;
  readonly mime_type: string;
  readonly owner_id: string;
  readonly status: DocumentStatus;
  readonly error_message: string | null;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly is_task_acknowledged: boolean;
}

const toDate = (text: string | null): Date | null => (text === null ? null : new Date(text));

export interface TaskRequest {
  /** Only these. */
  readonly ids?: readonly string[] | undefined;
  readonly statuses?: readonly DocumentStatus[] | undefined;
  readonly isAcknowledged?: boolean | undefined;
  readonly limit: number;
  readonly offset: number;
}

const wanted = ({ ids, statuses, isAcknowledged }: TaskRequest): SQL => sql`
  ${ids === undefined ? sql`` : sql`and documents.id = any(${sql.param([...ids])}::uuid[])`}
  ${statuses === undefined ? sql`` : sql`and documents.status = any(${sql.param([...statuses])}::text[])`}
  ${isAcknowledged === undefined ? sql`` : sql`and documents.is_task_acknowledged = ${isAcknowledged}`}`;

/** The processing of documents that `principal` uploaded and may read, the newest first. */
export const listTasks = async (db: Db, principal: Principal, request: TaskRequest): Promise<PaperlessTask[]> => {
  const { rows } = await db.execute<TaskRow>(sql`
    select documents.id, filename, mime_type, owner_id, documents.status, documents.error_message, documents.created_at,
      documents.is_task_acknowledged, ocr_jobs.started_at, coalesce(ocr_jobs.completed_at, documents.completed_at) as ended_at
    from documents left join ocr_jobs on ocr_jobs.document_id = documents.id
    where documents.owner_id = ${principal.userId}::uuid and ${documentsFor(principal, 'documents.read')} ${wanted(request)}
    order by documents.created_at desc, documents.id desc limit ${request.limit} offset ${request.offset}`);
  return rows.map((row) => ({
    id: row.id,
    filename: row.filename,
    mimeType: row.mime_type,
    ownerId: row.owner_id,
    status: row.status,
    error: row.status === 'failed' ? (row.error_message ?? '') : null,
    createdAt: new Date(row.created_at),
    startedAt: toDate(row.started_at),
    endedAt: row.status === 'completed' || row.status === 'failed' ? toDate(row.ended_at) : null,
    isAcknowledged: row.is_task_acknowledged,
  }));
};

/** How many there are, up to `most`. */
export const countTasks = async (
  db: Db,
  principal: Principal,
  request: Omit<TaskRequest, 'limit' | 'offset'>,
  most: number,
): Promise<number> => {
  const { rows } = await db.execute<{ count: number }>(sql`select count(*)::int as count from (
    select from documents where documents.owner_id = ${principal.userId}::uuid and ${documentsFor(principal, 'documents.read')}
      ${wanted({ ...request, limit: 0, offset: 0 })} limit ${most}) as counted`);
  return rows[0]?.count ?? 0;
};

/** Notes of tasks of `principal` that they were seen, until the document is processed again; answers how many there are. */
export const acknowledgeTasks = async (db: Db, principal: Principal, documentIds: readonly string[]): Promise<number> => {
  const { rowCount } = await db.execute(sql`
    update documents set is_task_acknowledged = true
    where id = any(${sql.param([...documentIds])}::uuid[]) and owner_id = ${principal.userId}::uuid and ${documentsFor(principal, 'documents.read')}`);
  return rowCount ?? 0;
};
