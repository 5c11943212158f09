import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { documentFields, type FieldValueRow } from '@sheaf/db/schema';
import { NO_VALUE } from './parse-value.ts';

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
