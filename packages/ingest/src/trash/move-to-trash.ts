import { recordAuditEntries } from '@sheaf/accounts/users';
import type { Db } from '@sheaf/db';
import { getTableColumns, type SQL, sql } from '@sheaf/db/drizzle';
import { documents, trashedDocuments } from '@sheaf/db/schema';
import { deleteDocuments } from '@sheaf/documents';
import { recordEvents } from '@sheaf/events';
import type { TrashReason } from '@sheaf/vocabulary/documents';
import type { Principal } from '@sheaf/vocabulary/permissions';

/** What the audit log tells of a document that goes. */
export interface GoingDocument {
  readonly id: string;
  readonly title: string;
  readonly ownerId: string;
  readonly sha256: string;
}

export interface TrashOptions {
  readonly reason: TrashReason;
  /** Who does it; undefined: the service itself. */
  readonly by?: Actor | undefined;
  /** What the audit log has to tell beside. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** The columns that a document has in the library and in the trash. */
export const MOVED_COLUMNS: readonly string[] = Object.values(getTableColumns(documents))
  .map(({ name }) => name)
  .filter((name) => Object.values(getTableColumns(trashedDocuments)).some((column) => column.name === name));

export const listOf = (columns: readonly string[]): SQL =>
  sql.join(
    columns.map((column) => sql.identifier(column)),
    sql`, `,
  );

/** Notes which rows are about to forget the documents, or to go with them: files that became them, and links to them. */
const keepReferences = (tx: Db, ids: SQL): Promise<unknown> =>
  tx.execute(sql`
    insert into trashed_references (document_id, kind, row_id, sha256, linking_id, field_id)
    select document_id, 'ingest_ledger', id::text, sha256, null::uuid, null::uuid from ingest_ledger where document_id = ${ids}
    union all
    select document_id, 'source_files', id::text, sha256, null, null from source_files where document_id = ${ids}
    union all
    select document_value, 'link', null, null, document_id, field_id from document_fields where document_value = ${ids}`);

/**
 * Moves documents to the trash, and notes it for the audit log and for who listens. Lock them first, with their jobs. Their rows move; what
 * hangs on them and their stored files stay where they are, so that a document of many pages costs no more than one of few.
 */
export const moveToTrash = async (tx: Db, going: readonly GoingDocument[], { reason, by, details }: TrashOptions): Promise<void> => {
  if (going.length === 0) return;
  const all = going.map(({ id }) => id);
  const ids = sql`any(${sql.param(all)}::uuid[])`;
  await tx.execute(sql`
    insert into trashed_documents (${listOf(MOVED_COLUMNS)}, trashed_by, reason, was_indexed, job)
    select ${listOf(MOVED_COLUMNS)}, ${by?.principal.userId ?? null}::uuid, ${reason},
      exists (select from document_search where document_search.document_id = documents.id),
      (select to_jsonb(ocr_jobs) from ocr_jobs where ocr_jobs.document_id = documents.id)
    from documents where id = ${ids}`);
  await keepReferences(tx, ids);
  await tx.execute(sql`update document_search set is_trashed = true where document_id = ${ids}`);
  await recordAuditEntries(
    tx,
    going.map(({ id, title, ownerId, sha256 }) => ({
      actor: by?.principal,
      address: by?.address,
      action: 'document.deleted',
      outcome: 'success',
      subject: { type: 'document', id },
      details: { title, owner_id: ownerId, sha256, ...details },
    })),
  );
  await deleteDocuments(tx, all);
  await recordEvents(
    tx,
    going.map(({ id, ownerId }) => ({ event: { type: 'document_deleted', document_id: id }, ownerId })),
  );
};

/** Who does something, and from where. */
export interface Actor {
  readonly principal: Pick<Principal, 'userId' | 'username' | 'permissions'>;
  readonly address: string | undefined;
}
