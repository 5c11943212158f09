import type { Issue } from '@sheaf/contract';
import type { FieldValue } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { documentFields, type FieldValueRow } from '@sheaf/db/schema';
import { confirmedNameOf } from '@sheaf/vocabulary/custom-fields';
import { type FieldKind, NO_VALUE, parseValue, type ValueColumns } from './parse-value.ts';
import { hasValue } from './value-sql.ts';
import { addEmptyFields } from './write-values.ts';

/** A value as its field keeps it, null as none, or what is wrong with it. Whether a document that it links is there is left to who asks. */
export const readValue = (field: FieldKind, given: FieldValue | null): { readonly columns: ValueColumns } | { readonly issue: Issue } => {
  const parsed = given === null ? NO_VALUE : parseValue(field, given);
  return typeof parsed === 'function' ? { issue: parsed('value') } : { columns: parsed };
};

/** Whether a field is on a document without a value. */
export const isEmptyValue = ({ textValue, numberValue, dateValue, booleanValue, documentValue }: ValueColumns): boolean =>
  [textValue, numberValue, dateValue, booleanValue, documentValue].every((value) => value === null);

/** Fields without a value make room for those that have one. */
const removeEmpty = async (tx: Db, rows: readonly FieldValueRow[]): Promise<void> => {
  await tx.execute(sql`
    delete from document_fields using unnest(
      ${sql.param(rows.map(({ documentId }) => documentId))}::uuid[], ${sql.param(rows.map(({ fieldId }) => fieldId))}::uuid[]) as given (document_id, field_id)
    where document_fields.document_id = given.document_id and document_fields.field_id = given.field_id and not ${hasValue()}`);
};

/**
 * Gives documents, which the caller has locked, fields that people have given them elsewhere, with or without a value. Answers those that are new: a
 * value that is here stays.
 */
export const addValues = async (
  tx: Db,
  rows: readonly FieldValueRow[],
): Promise<readonly Pick<FieldValueRow, 'documentId' | 'fieldId'>[]> => {
  const filled = rows.filter((row) => !isEmptyValue(row));
  const empty = await addEmptyFields(tx, rows.filter(isEmptyValue));
  if (filled.length === 0) return empty;
  await removeEmpty(tx, filled);
  const { documentId, fieldId } = documentFields;
  const added = await tx.insert(documentFields).values(filled).onConflictDoNothing().returning({ documentId, fieldId });
  await tx.execute(sql`
    update documents set confirmed_fields = array(
      select distinct field from unnest(confirmed_fields || given.fields) as field order by field)
    from (
      select id, array_agg(field) as fields from unnest(
        ${sql.param(added.map((row) => row.documentId))}::uuid[],
        ${sql.param(added.map((row) => confirmedNameOf(row.fieldId)))}::text[]) as pairs (id, field)
      group by id) as given
    where documents.id = given.id`);
  return [...empty, ...added];
};
