import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { CHANNELS } from '@sheaf/vocabulary/events';

/**
 * Records a `document_updated` for each document with this label, with the names of its labels as they are now; without this
 * one, if it `isGoing`. One statement: a label may be on most documents.
 */
export const emitDocumentUpdates = async (tx: Db, labelId: string, { isGoing }: { readonly isGoing: boolean }): Promise<void> => {
  const { rowCount } = await tx.execute(sql`
    insert into events (type, owner_id, document_id, data)
    select 'document_updated', documents.owner_id, documents.id, jsonb_build_object('document_id', documents.id, 'changes',
      jsonb_build_object('labels', to_jsonb(array(
        select labels.name from document_labels other join labels on labels.id = other.label_id
        where other.document_id = documents.id and (not ${isGoing} or labels.id <> ${labelId}::uuid) order by lower(labels.name)))))
    from document_labels join documents on documents.id = document_labels.document_id
    where document_labels.label_id = ${labelId}::uuid
    order by documents.id`);
  if ((rowCount ?? 0) > 0) await tx.execute(sql`select pg_notify(${CHANNELS.events}, '')`);
};

/**
 * Locks the documents with this label, in the order in which everyone locks several. Whoever deletes a label begins with it:
 * documents go before labels, and who deletes documents takes the same rows of `document_labels` along in another order.
 */
export const lockDocumentsOfLabel = async (tx: Db, labelId: string): Promise<void> => {
  await tx.execute(sql`
    select from documents where id in (select document_id from document_labels where label_id = ${labelId}::uuid)
    order by id for no key update`);
};
