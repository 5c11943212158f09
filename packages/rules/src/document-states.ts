import { type Db, documentsFor } from '@sheaf/db';
import { and, asc, sql } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { NO_FIELDS, readFieldStates } from './field-states.ts';
import type { DocumentState } from './plan-changes.ts';

const selectStates = (db: Db, principal: Principal, ids: readonly string[]) =>
  db
    .select({
      id: documents.id,
      ownerId: documents.ownerId,
      ownerName: sql<string>`(select username from users where users.id = documents.owner_id)`,
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

type Row = Awaited<ReturnType<typeof selectStates>>[number];

/** With the values of these custom fields. */
const toStates = async (db: Db, rows: readonly Row[], fieldIds: readonly string[]): Promise<DocumentState[]> => {
  const fieldsOf = await readFieldStates(
    db,
    rows.map(({ id }) => id),
    fieldIds,
  );
  return rows.map((row) => ({
    id: row.id,
    title: row.title,
    isAllowed: row.isAllowed,
    owner: { id: row.ownerId, name: row.ownerName },
    correspondent: row.correspondentId === null ? null : { id: row.correspondentId, name: row.correspondentKey ?? '' },
    documentType: row.documentTypeId === null ? null : { id: row.documentTypeId, name: row.documentTypeKey ?? '' },
    labelIds: row.labelIds,
    confirmedFields: row.confirmedFields,
    ...(fieldsOf.get(row.id) ?? NO_FIELDS),
  }));
};

/** Those of the documents that `principal` may read, by their ids, with their values of the custom fields `fieldIds`. */
export const readStates = async (
  db: Db,
  principal: Principal,
  ids: readonly string[],
  fieldIds: readonly string[],
): Promise<DocumentState[]> => toStates(db, await selectStates(db, principal, ids), fieldIds);

/** The same, locked until the end of the transaction, in the order in which everyone locks several. */
export const lockStates = async (
  tx: Db,
  principal: Principal,
  ids: readonly string[],
  fieldIds: readonly string[],
): Promise<DocumentState[]> => toStates(tx, await selectStates(tx, principal, ids).for('no key update'), fieldIds);
