import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { documentFields, type FieldValueRow } from '@sheaf/db/schema';

const COLUMNS = {
  textValue: sql`excluded.text_value`,
  numberValue: sql`excluded.number_value`,
  currency: sql`excluded.currency`,
  dateValue: sql`excluded.date_value`,
  booleanValue: sql`excluded.boolean_value`,
  documentValue: sql`excluded.document_value`,
};

/** Writes values of documents that the caller has locked; answers which of them are other ones now. */
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
