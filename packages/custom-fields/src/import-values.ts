import type { Issue } from '@sheaf/contract';
import type { FieldValue } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { documentFields, type FieldValueRow } from '@sheaf/db/schema';
import { confirmedNameOf } from '@sheaf/vocabulary/custom-fields';
import { type FieldKind, parseValue, type ValueColumns } from './parse-value.ts';

/** A value as its field keeps it, or what is wrong with it. Whether a document that it links is there is left to who asks. */
export const readValue = (field: FieldKind, given: FieldValue): { readonly columns: ValueColumns } | { readonly issue: Issue } => {
  const parsed = parseValue(field, given);
  return typeof parsed === 'function' ? { issue: parsed('value') } : { columns: parsed };
};

/** Gives documents, which the caller has locked, values that people have set elsewhere. Answers those that are new: a value that is here stays. */
export const addValues = async (
  tx: Db,
  rows: readonly FieldValueRow[],
): Promise<readonly Pick<FieldValueRow, 'documentId' | 'fieldId'>[]> => {
  if (rows.length === 0) return [];
  const { documentId, fieldId } = documentFields;
  const added = await tx
    .insert(documentFields)
    .values([...rows])
    .onConflictDoNothing()
    .returning({ documentId, fieldId });
  await tx.execute(sql`
    update documents set confirmed_fields = array(
      select distinct field from unnest(confirmed_fields || given.fields) as field order by field)
    from (
      select id, array_agg(field) as fields from unnest(
        ${sql.param(added.map((row) => row.documentId))}::uuid[],
        ${sql.param(added.map((row) => confirmedNameOf(row.fieldId)))}::text[]) as pairs (id, field)
      group by id) as given
    where documents.id = given.id`);
  return added;
};
