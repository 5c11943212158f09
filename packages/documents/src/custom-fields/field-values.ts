import { makeIssue, reasonedError } from '@sheaf/contract';
import type { FieldChanges } from '@sheaf/contract/documents';
import { type Db, documentsFor } from '@sheaf/db';
import { and, count, eq, inArray, sql } from '@sheaf/db/drizzle';
import { documentFields, documents } from '@sheaf/db/schema';
import { MAX_DOCUMENT_FIELDS } from '@sheaf/vocabulary/custom-fields';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { findFieldsByName, type NamedField, nameIssues, refuse } from './find-by-name.ts';
import { NO_VALUE, parseValue, type ValueColumns } from './parse-value.ts';
import { EVENT_JSON, hasValue } from './value-sql.ts';
import { addEmptyFields, writeValues } from './write-values.ts';

interface NewValue {
  readonly field: NamedField;
  readonly columns: ValueColumns;
}

/** What the custom fields of a document become. */
export interface FieldUpdate {
  /** New values by names; null: none. */
  readonly fields?: FieldChanges | undefined;
  /** Names of fields that the document is to have even without a value. */
  readonly empty_fields?: readonly string[] | undefined;
}

/** An update by the fields that it names. */
interface Wanted {
  /** The fields that `fields` names. */
  readonly named: readonly NamedField[];
  /** The ids of those that the document is to have. */
  readonly kept: ReadonlySet<string>;
}

/** The fields that are named, locked until the end of the transaction. Throws VALIDATION_ERROR for names that are none. */
const findWanted = async (tx: Db, changes: FieldChanges, empty: readonly string[]): Promise<Wanted> => {
  const names = Object.keys(changes);
  // all at once, as everyone locks several fields in the order of their ids
  const found = await findFieldsByName(tx, [...new Set([...names, ...empty])], { lock: true });
  refuse([...nameIssues(found, names, 'fields'), ...nameIssues(found, empty, 'empty_fields')]);
  const fieldsOf = (wanted: readonly string[]): NamedField[] => wanted.flatMap((name) => found.get(name) ?? []);
  return { named: fieldsOf(names), kept: new Set(fieldsOf(empty).map(({ id }) => id)) };
};

/**
 * The new values as their fields have them, null of a field that stays as none. Throws VALIDATION_ERROR that names each one that is wrong.
 */
const parseValues = (changes: FieldChanges, { named, kept }: Wanted): NewValue[] => {
  const parsed = named.flatMap((field) => {
    const given = changes[field.given] ?? null;
    if (given === null) return kept.has(field.id) ? [{ field, value: NO_VALUE }] : [];
    return [{ field, value: parseValue(field, given) }];
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
const eventChanges = async (tx: Db, documentId: string, fieldIds: readonly string[]): Promise<FieldEventChanges> => {
  const { rows } = await tx.execute<{ name: string; value: unknown; is_empty: boolean }>(sql`
    select custom_fields.name, case when document_fields.field_id is not null then ${EVENT_JSON} end as value,
      document_fields.field_id is not null and not ${hasValue()} as is_empty
    from custom_fields left join document_fields on field_id = custom_fields.id and document_id = ${documentId}::uuid
    where custom_fields.id = any(${sql.param([...fieldIds])}::uuid[]) order by name_key`);
  const empty = rows.filter((row) => row.is_empty).map(({ name }) => name);
  return {
    fields: Object.fromEntries(rows.map(({ name, value }) => [name, value])),
    ...(empty.length === 0 ? {} : { empty_fields: empty }),
  };
};

/** What an event says of fields that are changed. */
export interface FieldEventChanges {
  /** The values by the names of the fields; null where there is none. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Which of them are on the document without a value. */
  readonly empty_fields?: readonly string[];
}

export interface ChangedValues {
  /** The fields whose value was given or taken away, also where it was so before. */
  readonly fieldIds: readonly string[];
  /** What an event says of those that are changed; undefined where none is. */
  readonly changes: FieldEventChanges | undefined;
}

/**
 * Gives a document that the caller has locked new values, takes away those that are null, and adds fields without a value; the others stay. Throws
 * VALIDATION_ERROR where a name is no field or a value does not fit it.
 */
export const changeFieldValues = async (
  tx: Db,
  principal: Principal,
  documentId: string,
  { fields: changes = {}, empty_fields: empty = [] }: FieldUpdate,
): Promise<ChangedValues> => {
  const wanted = await findWanted(tx, changes, empty);
  const values = parseValues(changes, wanted);
  await requireLinked(tx, principal, values);
  const { named, kept } = wanted;
  const gone = named.flatMap(({ id, given }) => (changes[given] === null && !kept.has(id) ? [id] : []));
  const added = [...kept].map((fieldId) => ({ documentId, fieldId }));
  const changed = [
    ...(await removeValues(tx, documentId, gone)),
    ...(await writeNewValues(tx, documentId, values)),
    ...(await addEmptyFields(tx, added)).map(({ fieldId }) => fieldId),
  ];
  const fieldIds = named.map(({ id }) => id);
  if (changed.length === 0) return { fieldIds, changes: undefined };
  await requireRoom(tx, documentId);
  return { fieldIds, changes: await eventChanges(tx, documentId, changed) };
};
