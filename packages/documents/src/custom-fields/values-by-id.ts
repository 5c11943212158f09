import { type Issue, makeIssue } from '@sheaf/contract';
import type { FieldValue } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { and, asc, eq, inArray, sql } from '@sheaf/db/drizzle';
import { type CustomFieldRow, customFields, documentFields } from '@sheaf/db/schema';
import { writeValues } from './import-values.ts';
import { NO_VALUE, parseValue, type ValueColumns } from './parse-value.ts';
import { VALUE_JSON } from './value-sql.ts';

/** A field as far as setting its values depends on it. */
export type SettableField = Pick<CustomFieldRow, 'id' | 'name' | 'type' | 'choices'>;

/** The fields of these ids, which nobody changes until the end of the transaction. Lock documents first. */
export const holdFields = async (tx: Db, ids: readonly string[]): Promise<ReadonlyMap<string, SettableField>> => {
  if (ids.length === 0) return new Map();
  const { id, name, type, choices } = customFields;
  const rows = await tx
    .select({ id, name, type, choices })
    .from(customFields)
    .where(inArray(customFields.id, [...ids]))
    .orderBy(asc(customFields.id))
    .for('share');
  return new Map(rows.map((row) => [row.id, row]));
};

/** The columns of a value; or what is wrong with it. A link has none: it would lock a second document, out of the order of the first ones. */
const columnsOf = (field: SettableField, given: FieldValue): ReturnType<typeof parseValue> =>
  field.type === 'document' ? (path): Issue => makeIssue(path, 'not_for_field_type', { type: field.type }) : parseValue(field, given);

const toValue = ({ type }: SettableField, { textValue, numberValue, currency, dateValue, booleanValue }: ValueColumns): FieldValue => {
  if (type === 'amount') return { amount: numberValue ?? '', currency: currency ?? '' };
  if (type === 'number' || type === 'integer') return Number(numberValue);
  return booleanValue ?? dateValue ?? textValue ?? '';
};

/** The value as documents have it, such as with all decimals of its currency; or what is wrong with it, for the path at which it stands. */
export const normalizeValue = (
  field: SettableField,
  given: FieldValue,
): { readonly value: FieldValue } | { readonly issueAt: (path: string) => Issue } => {
  const columns = columnsOf(field, given);
  return typeof columns === 'function' ? { issueAt: columns } : { value: toValue(field, columns) };
};

/** A field that a document has, with its value; null where it is empty. */
export interface StoredValue extends Record<string, unknown> {
  readonly documentId: string;
  readonly fieldId: string;
  readonly name: string;
  readonly value: FieldValue | null;
}

/** What the documents have of these fields. Whoever calls it has found that the documents may be read. */
export const readFieldValues = async (db: Db, documentIds: readonly string[], fieldIds: readonly string[]): Promise<StoredValue[]> => {
  const { rows } = await db.execute<StoredValue>(sql`
    select document_fields.document_id as "documentId", custom_fields.id as "fieldId", custom_fields.name, ${VALUE_JSON} as value
    from document_fields join custom_fields on custom_fields.id = document_fields.field_id
    where document_fields.document_id = any(${sql.param([...documentIds])}::uuid[])
      and document_fields.field_id = any(${sql.param([...fieldIds])}::uuid[])`);
  return rows;
};

/** How many fields each of the documents has, with or without a value; documents without any are missing. */
export const countFieldValues = async (db: Db, documentIds: readonly string[]): Promise<ReadonlyMap<string, number>> => {
  const rows = await db
    .select({ id: documentFields.documentId, total: sql<number>`count(*)::int` })
    .from(documentFields)
    .where(inArray(documentFields.documentId, [...documentIds]))
    .groupBy(documentFields.documentId);
  return new Map(rows.map(({ id, total }) => [id, total]));
};

/**
 * Gives the documents, which the caller has locked, this value of a field that is held; null leaves the field without one. Undefined takes the field
 * away, and so does a value that does not fit it.
 */
export const setFieldOfDocuments = async (
  tx: Db,
  field: SettableField,
  documentIds: readonly string[],
  value: FieldValue | null | undefined,
): Promise<void> => {
  const columns = value === undefined ? undefined : value === null ? NO_VALUE : columnsOf(field, value);
  if (columns === undefined || typeof columns === 'function') {
    await tx.delete(documentFields).where(and(eq(documentFields.fieldId, field.id), inArray(documentFields.documentId, [...documentIds])));
    return;
  }
  await writeValues(
    tx,
    documentIds.map((documentId) => ({ documentId, fieldId: field.id, ...columns })),
  );
};
