import { makeIssue, reasonedError } from '@sheaf/contract';
import type { FieldChanges } from '@sheaf/contract/documents';
import { type Db, documentsFor } from '@sheaf/db';
import { and, count, eq, inArray, sql } from '@sheaf/db/drizzle';
import { documentFields, documents } from '@sheaf/db/schema';
import { MAX_DOCUMENT_FIELDS } from '@sheaf/vocabulary/custom-fields';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { type NamedField, refuse, requireFieldsByName } from './find-by-name.ts';
import { parseValue, type ValueColumns } from './parse-value.ts';
import { EVENT_JSON } from './value-sql.ts';
import { writeValues } from './write-values.ts';

interface NewValue {
  readonly field: NamedField;
  readonly columns: ValueColumns;
}

/** The new values as their fields have them. Throws VALIDATION_ERROR that names each one that is wrong. */
const parseValues = (changes: FieldChanges, fields: ReadonlyMap<string, NamedField>): NewValue[] => {
  const parsed = [...fields.values()].flatMap((field) => {
    const given = changes[field.given] ?? null;
    return given === null ? [] : [{ field, value: parseValue(field, given) }];
  });
  refuse(parsed.flatMap(({ field, value }) => (typeof value === 'function' ? [value(`fields.${field.given}`)] : [])));
  return parsed.flatMap(({ field, value }) => (typeof value === 'function' ? [] : [{ field, columns: value }]));
};

/** Throws VALIDATION_ERROR where a document is linked that `principal` may not read, as if there were none. */
const requireLinked = async (tx: Db, principal: Principal, values: readonly NewValue[]): Promise<void> => {
  const wanted = values.flatMap(({ columns: { documentValue } }) => (documentValue === null ? [] : [documentValue]));
  if (wanted.length === 0) return;
  const rows = await tx
    .select({ id: documents.id })
    .from(documents)
    .where(and(inArray(documents.id, wanted), documentsFor(principal, 'documents.read')))
    .orderBy(documents.id)
    .for('key share');
  const found = new Set(rows.map(({ id }) => id));
  refuse(
    values.flatMap(({ field, columns: { documentValue } }) =>
      documentValue === null || found.has(documentValue) ? [] : [makeIssue(`fields.${field.given}`, 'no_such_document')],
    ),
  );
};

/** Writes the values; answers the ids of the fields whose value is another one now. */
const writeNewValues = async (tx: Db, documentId: string, values: readonly NewValue[]): Promise<string[]> => {
  const rows = values.map(({ field, columns }) => ({ documentId, fieldId: field.id, ...columns }));
  return (await writeValues(tx, rows)).map(({ fieldId }) => fieldId);
};

const removeValues = async (tx: Db, documentId: string, fieldIds: readonly string[]): Promise<string[]> => {
  if (fieldIds.length === 0) return [];
  const rows = await tx
    .delete(documentFields)
    .where(and(eq(documentFields.documentId, documentId), inArray(documentFields.fieldId, [...fieldIds])))
    .returning({ fieldId: documentFields.fieldId });
  return rows.map(({ fieldId }) => fieldId);
};

const requireRoom = async (tx: Db, documentId: string): Promise<void> => {
  const [row] = await tx.select({ total: count() }).from(documentFields).where(eq(documentFields.documentId, documentId));
  if ((row?.total ?? 0) > MAX_DOCUMENT_FIELDS)
    throw reasonedError('VALIDATION_ERROR', 'too_many_document_fields', { limit: MAX_DOCUMENT_FIELDS });
};

/** What an event says of these fields of a document. */
const eventValues = async (tx: Db, documentId: string, fieldIds: readonly string[]): Promise<Record<string, unknown>> => {
  const { rows } = await tx.execute<{ name: string; value: unknown }>(sql`
    select custom_fields.name, case when document_fields.field_id is not null then ${EVENT_JSON} end as value
    from custom_fields left join document_fields on field_id = custom_fields.id and document_id = ${documentId}::uuid
    where custom_fields.id = any(${sql.param([...fieldIds])}::uuid[]) order by name_key`);
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
};

export interface ChangedValues {
  /** The fields that were named, also where they had that value before. */
  readonly fieldIds: readonly string[];
  /** What an event says of those that are changed; undefined where none is. */
  readonly changes: Record<string, unknown> | undefined;
}

/**
 * Gives a document that the caller has locked new values, and takes away those that are null; the others stay. Throws VALIDATION_ERROR where a name is no field or a value does not fit it.
 */
export const changeFieldValues = async (
  tx: Db,
  principal: Principal,
  documentId: string,
  changes: FieldChanges,
): Promise<ChangedValues> => {
  const fields = await requireFieldsByName(tx, Object.keys(changes), 'fields', { lock: true });
  const values = parseValues(changes, fields);
  await requireLinked(tx, principal, values);
  const gone = [...fields.values()].flatMap(({ id, given }) => (changes[given] === null ? [id] : []));
  const changed = [...(await removeValues(tx, documentId, gone)), ...(await writeNewValues(tx, documentId, values))];
  const fieldIds = [...fields.values()].map(({ id }) => id);
  if (changed.length === 0) return { fieldIds, changes: undefined };
  await requireRoom(tx, documentId);
  return { fieldIds, changes: await eventValues(tx, documentId, changed) };
};
