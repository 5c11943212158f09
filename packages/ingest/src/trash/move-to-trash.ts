import { recordAuditEntries } from '@sheaf/accounts/users';
import type { Db } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { deleteDocuments } from '@sheaf/documents';
import { recordEvents } from '@sheaf/events';
import type { TrashReason } from '@sheaf/vocabulary/documents';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { INDEX_TABLE, KEPT_TABLES, POINTING_TABLES } from './put-rows-back.ts';

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

const keepRows = (table: string, documentId: SQL, content: SQL, ids: SQL): SQL => sql`
  insert into trashed_rows (document_id, table_name, content)
  select ${documentId}, ${table}, ${content} from ${sql.identifier(table)} as kept where ${documentId} = ${ids}`;

/** Notes everything that is to come back. Nothing of it passes through this process. */
const keepAll = async (tx: Db, ids: SQL): Promise<void> => {
  for (const table of KEPT_TABLES)
    await tx.execute(keepRows(table, table === 'documents' ? sql`kept.id` : sql`kept.document_id`, sql`to_jsonb(kept)`, ids));
  // what leads to it from other documents, which goes with it
  await tx.execute(keepRows('document_fields', sql`kept.document_value`, sql`to_jsonb(kept)`, ids));
  await tx.execute(keepRows('near_duplicates', sql`kept.other_id`, sql`to_jsonb(kept)`, ids));
  for (const table of POINTING_TABLES) await tx.execute(keepRows(table, sql`kept.document_id`, sql`to_jsonb(kept)`, ids));
  await tx.execute(keepRows(INDEX_TABLE, sql`kept.document_id`, sql`jsonb_build_object('document_id', kept.document_id)`, ids));
};

/**
 * Moves documents to the trash, with all that hangs on them, and notes it for the audit log and for who listens. Lock them first, with
 * their jobs. Their stored files stay.
 */
export const moveToTrash = async (tx: Db, documents: readonly GoingDocument[], { reason, by, details }: TrashOptions): Promise<void> => {
  if (documents.length === 0) return;
  const all = documents.map(({ id }) => id);
  const ids = sql`any(${sql.param(all)}::uuid[])`;
  await tx.execute(sql`
    insert into trashed_documents (id, owner_id, title, filename, mime_type, size_bytes, sha256, page_count, source, source_id, created_at,
      trashed_by, reason)
    select id, owner_id, title, filename, mime_type, size_bytes, sha256, page_count, source, source_id, created_at,
      ${by?.principal.userId ?? null}::uuid, ${reason}
    from documents where id = ${ids}`);
  await tx.execute(sql`
    insert into trashed_files (document_id, version, sha256, size_bytes, file_path)
    select document_id, version, sha256, size_bytes, file_path from kept_files where document_id = ${ids} and kept_as <> 'trash'`);
  await keepAll(tx, ids);
  await recordAuditEntries(
    tx,
    documents.map(({ id, title, ownerId, sha256 }) => ({
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
    documents.map(({ id, ownerId }) => ({ event: { type: 'document_deleted', document_id: id }, ownerId })),
  );
};

/** Who does something, and from where. */
export interface Actor {
  readonly principal: Pick<Principal, 'userId' | 'username' | 'permissions'>;
  readonly address: string | undefined;
}
