import { type Db, documentsFor } from '@sheaf/db';
import { and, asc, sql } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { DocumentState } from './plan-changes.ts';

const selectStates = (db: Db, principal: Principal, ids: readonly string[]) =>
  db
    .select({
      id: documents.id,
      ownerId: documents.ownerId,
      title: documents.title,
      isAllowed: sql<boolean>`(${documentsFor(principal, 'documents.update')})`,
      correspondentId: documents.correspondentId,
      correspondentKey: documents.correspondentKey,
      documentTypeId: documents.documentTypeId,
      documentTypeKey: documents.documentTypeKey,
      // with plain names, as these stand in a query of one table
      labelIds: sql<string[]>`array(select label_id::text from document_labels where document_labels.document_id = documents.id)`,
      confirmedFields: documents.confirmedFields,
    })
    .from(documents)
    .where(and(sql`${documents.id} = any(${sql.param([...ids])}::uuid[])`, documentsFor(principal, 'documents.read')))
    .orderBy(asc(documents.id));

const toState = (row: Awaited<ReturnType<typeof selectStates>>[number]): DocumentState => ({
  id: row.id,
  ownerId: row.ownerId,
  title: row.title,
  isAllowed: row.isAllowed,
  correspondent: row.correspondentId === null ? null : { id: row.correspondentId, name: row.correspondentKey ?? '' },
  documentType: row.documentTypeId === null ? null : { id: row.documentTypeId, name: row.documentTypeKey ?? '' },
  labelIds: row.labelIds,
  confirmedFields: row.confirmedFields,
});

/** Those of the documents that `principal` may read, by their ids. */
export const readStates = async (db: Db, principal: Principal, ids: readonly string[]): Promise<DocumentState[]> =>
  (await selectStates(db, principal, ids)).map(toState);

/** The same, locked until the end of the transaction, in the order in which everyone locks several. */
export const lockStates = async (tx: Db, principal: Principal, ids: readonly string[]): Promise<DocumentState[]> =>
  (await selectStates(tx, principal, ids).for('no key update')).map(toState);
