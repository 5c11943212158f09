import { isDeepStrictEqual } from 'node:util';
import type { RuleAction, RuleValue } from '@sheaf/contract/rules';
import { type Db, documentsFor } from '@sheaf/db';
import { and, asc, sql } from '@sheaf/db/drizzle';
import { documents, ruleChanges } from '@sheaf/db/schema';
import { countFieldValues, readFieldValues } from '@sheaf/documents/custom-fields';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { DocumentState, FieldState } from './plan-changes.ts';

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

type FieldStates = Pick<DocumentState, 'fields' | 'fieldCount'>;

/** Of a document without fields, or of which none were asked for. */
const NO_FIELDS: FieldStates = { fields: new Map(), fieldCount: 0 };

/** The custom fields that actions set. */
export const fieldIdsOf = (actions: readonly RuleAction[]): string[] =>
  actions.flatMap((action) => ('set' in action && action.set === 'field' ? [action.id] : []));

const pairOf = (documentId: string, fieldId: string): string => `${documentId} ${fieldId}`;

/** What rules have set last, and not undone, of the custom fields of these documents. */
const readSetByRules = async (db: Db, documentIds: readonly string[]): Promise<ReadonlyMap<string, RuleValue>> => {
  const { rows } = await db.execute<{ document_id: string; to_value: RuleValue }>(sql`
    select distinct on (document_id, to_value ->> 'id') document_id, to_value from ${ruleChanges}
    where document_id = any(${sql.param([...documentIds])}::uuid[]) and field = 'field' and undone_at is null
    order by document_id, to_value ->> 'id', changed_at desc, id desc`);
  return new Map(rows.map(({ document_id: documentId, to_value: value }) => [pairOf(documentId, value.id), value]));
};

/** What each of the documents has of the custom fields, by the ids of the documents. */
const readFieldStates = async (
  db: Db,
  documentIds: readonly string[],
  fieldIds: readonly string[],
): Promise<ReadonlyMap<string, FieldStates>> => {
  if (documentIds.length === 0 || fieldIds.length === 0) return new Map();
  const counts = await countFieldValues(db, documentIds);
  const setByRules = await readSetByRules(db, documentIds);
  const values = Map.groupBy(await readFieldValues(db, documentIds, fieldIds), ({ documentId }) => documentId);
  return new Map(
    documentIds.map((documentId) => {
      const fields = (values.get(documentId) ?? []).map(({ fieldId: id, name, value }): readonly [string, FieldState] => {
        if (value === null) return [id, { current: { id, name }, isOfRule: true }];
        const isOfRule = isDeepStrictEqual(setByRules.get(pairOf(documentId, id))?.value, value);
        return [id, { current: { id, name, value }, isOfRule }];
      });
      return [documentId, { fields: new Map(fields), fieldCount: counts.get(documentId) ?? 0 }];
    }),
  );
};
