import { recordAudit } from '@sheaf/accounts/users';
import { codedError, documentNotFound } from '@sheaf/contract';
import { type Db, sqlState } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { lockStoredBytes } from '@sheaf/documents';
import { freeOfTrashed, isTakenMeanwhile, leaveTakenFields } from '@sheaf/documents/unique-fields';
import { recordEvent } from '@sheaf/events';
import { retry } from '@sheaf/process';
import { indexDocument } from '@sheaf/search';
import type { IngestRoute } from '@sheaf/vocabulary/documents';
import { CHANNELS } from '@sheaf/vocabulary/events';
import { type Actor, listOf, MOVED_COLUMNS } from './move-to-trash.ts';

export interface RestoredDocument {
  readonly id: string;
  /** The archive number that it had and that another document has by now; it came back without it. */
  readonly lostArchiveNumber: number | undefined;
}

interface Locked extends Record<string, unknown> {
  readonly owner_id: string;
  readonly title: string;
  readonly sha256: string;
  readonly source: IngestRoute;
  readonly was_indexed: boolean;
}

/** Its bytes, so that nobody moves or removes them meanwhile, and then its row in the trash. */
const lockTrashed = async (tx: Db, id: string): Promise<Locked> => {
  const files = await tx.execute<{ sha256: string }>(sql`select distinct sha256 from kept_files where document_id = ${id} order by sha256`);
  for (const { sha256 } of files.rows) await lockStoredBytes(tx, sha256, 'share');
  const { rows } = await tx.execute<Locked>(sql`
    select owner_id, title, sha256, source, was_indexed from trashed_documents where id = ${id} for update`);
  const [locked] = rows;
  if (locked === undefined) throw documentNotFound(id);
  return locked;
};

const refuseTwin = async (tx: Db, { owner_id, sha256 }: Locked): Promise<void> => {
  const { rows } = await tx.execute<{ id: string }>(sql`select id from documents where owner_id = ${owner_id} and sha256 = ${sha256}`);
  if (rows[0] !== undefined) throw codedError('DUPLICATE_RESOURCE', 'DOCUMENT_EXISTS', { document_id: rows[0].id });
};

/** What is not as it was: nobody processes the document now, and another one of its owner may have its number. */
const CHANGED: Readonly<Record<string, SQL>> = {
  status: sql`case status when 'processing' then 'pending' else status end`,
  ...freeOfTrashed(sql`trashed`),
  source_removed_at: sql`case reason when 'source_file_removed' then trashed_at else source_removed_at end`,
  updated_at: sql`now()`,
};

const restoreRow = (tx: Db, id: string): Promise<unknown> =>
  tx.execute(sql`
    insert into documents (${listOf(MOVED_COLUMNS)})
    select ${sql.join(
      MOVED_COLUMNS.map((column) => CHANGED[column] ?? sql.identifier(column)),
      sql`, `,
    )}
    from trashed_documents as trashed where id = ${id}`);

/** What is kept of an OCR job. Columns that are younger than it have what they have in a new one. */
const JOB_COLUMNS = [
  'id',
  'document_id',
  'status',
  'priority',
  'attempts',
  'max_attempts',
  'due_at',
  'lease_by',
  'lease_until',
  'fence',
  'pages_done',
  'pages_total',
  'error_code',
  'error_message',
  'created_at',
  'started_at',
  'completed_at',
  'claimed_at',
  'spent_ms',
  'trace_context',
  'processing_since',
  'crashes',
  'is_suspect',
] as const;

/** One that was being done comes back as after a lease that expired: whoever held it has lost it. */
const restoreJob = (tx: Db, id: string): Promise<unknown> =>
  tx.execute(sql`
    insert into ocr_jobs (${listOf(JOB_COLUMNS)})
    select ${listOf(JOB_COLUMNS)}
    from (
      select case job ->> 'status' when 'processing' then job || jsonb_build_object(
        'status', 'pending', 'lease_by', null, 'lease_until', null, 'claimed_at', null, 'processing_since', null,
        'fence', (job ->> 'fence')::bigint + 1, 'attempts', greatest((job ->> 'attempts')::integer - 1, 0))
        else job end as kept
      from trashed_documents where trashed_documents.id = ${id} and job is not null
    ) as jobs cross join lateral jsonb_populate_record(null::ocr_jobs, kept) as back`);

/** Search finds it again; its entry has what changed meanwhile of what it is a copy of. Returns whether there is an entry. */
const showInSearch = async (tx: Db, id: string): Promise<boolean> => {
  const { rowCount } = await tx.execute(sql`
    update document_search set is_trashed = false, owner_id = documents.owner_id, correspondent_id = documents.correspondent_id,
      document_type_id = documents.document_type_id
    from documents where documents.id = ${id} and document_search.document_id = documents.id`);
  return (rowCount ?? 0) > 0;
};

/** Has the rows that forgot the document know it again, unless they are about other bytes or another document by now. */
const restoreReferences = async (tx: Db, id: string): Promise<void> => {
  for (const table of ['ingest_ledger', 'source_files'])
    await tx.execute(sql`
      update ${sql.identifier(table)} as pointing set document_id = ${id}, updated_at = now()
      from trashed_references as kept
      where kept.document_id = ${id} and kept.kind = ${table} and pointing.id::text = kept.row_id
        and pointing.document_id is null and pointing.sha256 is not distinct from kept.sha256
        and pointing.state in ('ingested', 'split', 'duplicate')`);
  await tx.execute(sql`
    update ingest_ledger set reason = null, reason_code = null, reason_details = null
    where document_id = ${id} and reason_code in ('document_deleted', 'document_deleted_of', 'deleted_with_source')`);
  await tx.execute(sql`
    insert into document_fields (document_id, field_id, document_value)
    select linking_id, field_id, document_id from trashed_references where document_id = ${id} and kind = 'link' order by id
    on conflict do nothing`);
};

/**
 * Takes a document out of the trash: its row as it was, as far as what it refers to is still there; it is processed where that was
 * not finished. Throws DOCUMENT_NOT_FOUND where it is not in the trash, DOCUMENT_EXISTS where its owner has its bytes again.
 */
export const restoreDocument = async (tx: Db, id: string, by?: Actor): Promise<RestoredDocument> => {
  const locked = await lockTrashed(tx, id);
  await refuseTwin(tx, locked);
  await restoreRow(tx, id);
  await restoreJob(tx, id);
  await restoreReferences(tx, id);
  const lostNumber = await leaveTakenFields(tx, id, by?.principal);
  // documents that came meanwhile were not compared with it
  await tx.execute(sql`update minhash_signatures set is_compared = false where document_id = ${id}`);
  await tx.execute(sql`delete from trashed_documents where id = ${id} returning pg_notify(${CHANNELS.jobs}, '')`);
  if (!(await showInSearch(tx, id)) && locked.was_indexed) await indexDocument(tx, id);
  await recordAudit(tx, {
    actor: by?.principal,
    address: by?.address,
    action: 'document.restored',
    outcome: 'success',
    subject: { type: 'document', id },
    details: { title: locked.title, owner_id: locked.owner_id, sha256: locked.sha256 },
  });
  await recordEvent(tx, { type: 'document_restored', document_id: id, title: locked.title, source: locked.source }, locked.owner_id);
  return { id, lostArchiveNumber: lostNumber };
};

const MAX_TRIES = 3;
const FOREIGN_KEY_VIOLATION = '23503';

/** The same in a transaction of its own, and again where somebody deleted a correspondent, or took a number, at the same moment. */
export const restoreInTransaction = (db: Db, id: string, by?: Actor): Promise<RestoredDocument> =>
  retry(() => db.transaction((tx) => restoreDocument(tx, id, by)), {
    attempts: MAX_TRIES,
    isPassing: (error) => sqlState(error) === FOREIGN_KEY_VIOLATION || isTakenMeanwhile(error),
  });
