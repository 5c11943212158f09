import { isDeepStrictEqual } from 'node:util';
import type { RuleAction, RuleValue } from '@sheaf/contract/rules';
import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { ruleChanges } from '@sheaf/db/schema';
import { countFieldValues, readFieldValues } from '@sheaf/documents/custom-fields';
import type { DocumentState, FieldState } from './plan-changes.ts';

type FieldStates = Pick<DocumentState, 'fields' | 'fieldCount'>;

/** Of a document without fields, or of which none were asked for. */
export const NO_FIELDS: FieldStates = { fields: new Map(), fieldCount: 0 };

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
export const readFieldStates = async (
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
