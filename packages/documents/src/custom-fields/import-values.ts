import type { Issue } from '@sheaf/contract';
import type { FieldValue } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { documentFields, type FieldValueRow } from '@sheaf/db/schema';
import { confirmedNameOf } from '@sheaf/vocabulary/custom-fields';
import { type FieldKind, NO_VALUE, parseValue, type ValueColumns } from './parse-value.ts';
import { hasValue } from './value-sql.ts';

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

const COLUMNS = {
  textValue: sql`excluded.text_value`,
  numberValue: sql`excluded.number_value`,
  currency: sql`excluded.currency`,
  dateValue: sql`excluded.date_value`,
  booleanValue: sql`excluded.boolean_value`,
  documentValue: sql`excluded.document_value`,
};

/** Gives documents, which the caller has locked, fields without a value; what has them keeps its value. Answers those that are new. */
export const addEmptyFields = async (
  tx: Db,
  pairs: readonly Pick<FieldValueRow, 'documentId' | 'fieldId'>[],
): Promise<readonly Pick<FieldValueRow, 'documentId' | 'fieldId'>[]> => {
  if (pairs.length === 0) return [];
  return tx
    .insert(documentFields)
    .values(pairs.map(({ documentId, fieldId }) => ({ documentId, fieldId, ...NO_VALUE })))
    .onConflictDoNothing()
    .returning({ documentId: documentFields.documentId, fieldId: documentFields.fieldId });
};

/** The same for values, which replace those that documents have; answers which of them are other ones now. */
export const writeValues = async (
  tx: Db,
  rows: readonly FieldValueRow[],
): Promise<readonly Pick<FieldValueRow, 'documentId' | 'fieldId'>[]> => {
  if (rows.length === 0) return [];
  return tx
    .insert(documentFields)
    .values([...rows])
    .onConflictDoUpdate({
      target: [documentFields.documentId, documentFields.fieldId],
      set: COLUMNS,
      setWhere: sql`(document_fields.text_value, document_fields.number_value, document_fields.currency, document_fields.date_value,
          document_fields.boolean_value, document_fields.document_value)
        is distinct from (excluded.text_value, excluded.number_value, excluded.currency, excluded.date_value, excluded.boolean_value,
          excluded.document_value)`,
    })
    .returning({ documentId: documentFields.documentId, fieldId: documentFields.fieldId });
};
