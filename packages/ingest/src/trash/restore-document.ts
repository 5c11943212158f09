import { recordAudit } from '@sheaf/accounts/users';
import { codedError, documentNotFound } from '@sheaf/contract';
import { type Db, sqlState, violates } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { holdArchiveNumber, isArchiveNumberTaken, lockStoredBytes } from '@sheaf/documents';
import { recordEvent } from '@sheaf/events';
import { indexDocument } from '@sheaf/search';
import type { IngestRoute } from '@sheaf/vocabulary/documents';
import { CHANNELS } from '@sheaf/vocabulary/events';
import type { Actor } from './move-to-trash.ts';
import { INDEX_TABLE, putRowsBack } from './put-rows-back.ts';

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
  readonly archive_number: number | null;
  readonly was_indexed: boolean;
}

/** Its bytes, so that nobody moves or removes them meanwhile, and then its row in the trash. */
const lockTrashed = async (tx: Db, id: string): Promise<Locked> => {
  const files = await tx.execute<{ sha256: string }>(
    sql`select distinct sha256 from trashed_files where document_id = ${id} order by sha256`,
  );
  for (const { sha256 } of files.rows) await lockStoredBytes(tx, sha256, 'share');
  const { rows } = await tx.execute<Locked>(sql`
    select owner_id, title, sha256, source,
      (select (content ->> 'archive_number')::integer from trashed_rows where document_id = trashed_documents.id and table_name = 'documents')
        as archive_number,
      exists (select from trashed_rows where document_id = trashed_documents.id and table_name = ${INDEX_TABLE}) as was_indexed
    from trashed_documents where id = ${id} for update`);
  const [locked] = rows;
  if (locked === undefined) throw documentNotFound(id);
  return locked;
};

/** Nobody brings back a number that a document has which they may read, as nobody gives it. Rows without it came back already where the owner has it. */
const leaveTakenNumber = async (tx: Db, { archive_number: number }: Locked, id: string, by: Actor | undefined): Promise<void> => {
  if (number === null || by === undefined) return;
  await holdArchiveNumber(tx, number);
  if (await isArchiveNumberTaken(tx, by.principal, number, id))
    await tx.execute(sql`update documents set archive_number = null where id = ${id}`);
};

const refuseTwin = async (tx: Db, { owner_id, sha256 }: Locked): Promise<void> => {
  const { rows } = await tx.execute<{ id: string }>(sql`select id from documents where owner_id = ${owner_id} and sha256 = ${sha256}`);
  if (rows[0] !== undefined) throw codedError('DUPLICATE_RESOURCE', 'DOCUMENT_EXISTS', { document_id: rows[0].id });
};

/**
 * Takes a document out of the trash: its rows as they were, as far as what they refer to is still there; it is processed where that was
 * not finished. Throws DOCUMENT_NOT_FOUND where it is not in the trash, DOCUMENT_EXISTS where its owner has its bytes again.
 */
export const restoreDocument = async (tx: Db, id: string, by?: Actor): Promise<RestoredDocument> => {
  const locked = await lockTrashed(tx, id);
  await refuseTwin(tx, locked);
  await putRowsBack(tx, id);
  await leaveTakenNumber(tx, locked, id, by);
  const { rows } = await tx.execute<{ archive_number: number | null }>(sql`
    select archive_number, pg_notify(${CHANNELS.jobs}, '') from documents where id = ${id}`);
  const isNumberLost = locked.archive_number !== null && rows[0]?.archive_number === null;
  await tx.execute(sql`delete from trashed_documents where id = ${id}`);
  if (locked.was_indexed) await indexDocument(tx, id);
  await recordAudit(tx, {
    actor: by?.principal,
    address: by?.address,
    action: 'document.restored',
    outcome: 'success',
    subject: { type: 'document', id },
    details: { title: locked.title, owner_id: locked.owner_id, sha256: locked.sha256 },
  });
  await recordEvent(tx, { type: 'document_restored', document_id: id, title: locked.title, source: locked.source }, locked.owner_id);
  return { id, lostArchiveNumber: isNumberLost ? (locked.archive_number ?? undefined) : undefined };
};

const MAX_TRIES = 3;
const FOREIGN_KEY_VIOLATION = '23503';
/** What somebody deletes or gives away between our look and our row. */
const MEANWHILE = ['documents_owner_sha256_key', 'documents_archive_number_key'] as const;

/** The same in a transaction of its own, and again where somebody deleted a label, or took a number, at the same moment. */
export const restoreInTransaction = async (db: Db, id: string, by?: Actor): Promise<RestoredDocument> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction((tx) => restoreDocument(tx, id, by));
    } catch (error) {
      const isPassing = sqlState(error) === FOREIGN_KEY_VIOLATION || MEANWHILE.some((name) => violates(error, name));
      if (!isPassing || attempt === MAX_TRIES) throw error;
    }
  }
};
