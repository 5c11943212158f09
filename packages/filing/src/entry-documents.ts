import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { CHANNELS } from '@sheaf/vocabulary/events';
import type { FilingKind } from './filing-kinds.ts';

/** Locks the documents of an entry that the caller has locked, in the order in which everyone locks several. */
export const lockDocumentsOfEntry = async (tx: Db, { reference }: FilingKind, id: string): Promise<void> => {
  await tx.execute(sql`select from documents where ${reference} = ${id}::uuid order by id for no key update`);
};

/**
 * Records a `document_updated` for each document of this entry, with what becomes of it: the entry `then`, or none. One statement:
 * an entry may be on most documents.
 */
export const emitDocumentUpdates = async (
  tx: Db,
  { reference, field }: FilingKind,
  id: string,
  then: { readonly id: string; readonly name: string } | null,
): Promise<void> => {
  const changes = JSON.stringify({ [field]: then && { id: then.id, name: then.name } });
  const { rowCount } = await tx.execute(sql`
    insert into events (type, owner_id, document_id, data)
    select 'document_updated', documents.owner_id, documents.id,
      jsonb_build_object('document_id', documents.id, 'changes', ${changes}::jsonb)
    from documents where ${reference} = ${id}::uuid order by documents.id`);
  if ((rowCount ?? 0) > 0) await tx.execute(sql`select pg_notify(${CHANNELS.events}, '')`);
};
