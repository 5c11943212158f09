import { type Issue, makeIssue, reasonedError, validationError } from '@sheaf/contract';
import type { FieldChanges, FieldFilters, FieldValue } from '@sheaf/contract/documents';
import { type Db, documentsFor, type Reach, readingReach, within } from '@sheaf/db';
import { and, count, eq, inArray, type SQL, sql } from '@sheaf/db/drizzle';
import { documentFields, documents } from '@sheaf/db/schema';
import { type FieldOperator, type FieldType, MAX_DOCUMENT_FIELDS, MAX_FIELD_NAME_CHARACTERS } from '@sheaf/vocabulary/custom-fields';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { addEmptyFields, writeValues } from './import-values.ts';
import { type FieldKind, NO_VALUE, parseValue, type ValueColumns } from './parse-value.ts';
import { EVENT_JSON, hasValue } from './value-sql.ts';

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

/** A field as far as a condition depends on it. */
export type ComparedField = FieldKind & Pick<NamedField, 'id'>;

/** One comparison of the value of a field. */
export interface FieldTest {
  readonly operator: FieldOperator;
  /** Also as people write it: a number as a text, an amount without a currency. */
  readonly value: FieldValue;
}

/** The condition; or what is wrong with the test, for the path at which it stands. */
export type FieldCondition = { readonly condition: SQL } | { readonly issueAt: (path: string) => Issue };

const OPERATORS: Readonly<Record<FieldType, readonly FieldOperator[]>> = {
  text: ['eq', 'contains'],
  long_text: ['eq', 'contains'],
  url: ['eq', 'contains'],
  choice: ['eq', 'contains'],
  number: ['eq', 'gt', 'gte', 'lt', 'lte'],
  integer: ['eq', 'gt', 'gte', 'lt', 'lte'],
  amount: ['eq', 'gt', 'gte', 'lt', 'lte'],
  date: ['eq', 'gt', 'gte', 'lt', 'lte'],
  boolean: ['eq'],
  document: ['eq'],
};

const SIGNS: Readonly<Record<Exclude<FieldOperator, 'contains'>, SQL>> = {
  eq: sql`=`,
  gt: sql`>`,
  gte: sql`>=`,
  lt: sql`<`,
  lte: sql`<=`,
};

const NUMERIC_TYPES: ReadonlySet<FieldType> = new Set(['number', 'integer', 'amount']);

const NUMBER = /^-?\d{1,15}(?:\.\d{1,6})?$/;

/** The text of a number that the value is, of an amount one without a currency. */
const plainNumber = (value: FieldValue): string | undefined => {
  if (typeof value === 'string') return NUMBER.test(value) ? value : undefined;
  if (typeof value !== 'number') return undefined;
  const parsed = parseValue({ type: 'number', choices: [] }, value);
  return typeof parsed === 'function' ? undefined : (parsed.numberValue ?? undefined);
};

const isBoolean = (value: FieldValue): FieldValue => (value === 'true' ? true : value === 'false' ? false : value);

const compareText = (operator: FieldOperator, value: FieldValue): FieldCondition => {
  const text = typeof value === 'string' ? value.normalize('NFC').trim() : '';
  if (text === '') return { issueAt: (path) => makeIssue(path, 'wrong_type', { expected: 'string' }) };
  if (operator === 'contains') return { condition: sql`position(lower(${text}::text) in lower(value.text_value)) > 0` };
  // the first part is what the index knows
  return {
    condition: sql`lower(left(value.text_value, 200)) = lower(left(${text}::text, 200)) and lower(value.text_value) = lower(${text}::text)`,
  };
};

const compareTyped = (field: ComparedField, sign: SQL, value: FieldValue, reach: Reach): FieldCondition => {
  const number = NUMERIC_TYPES.has(field.type) ? plainNumber(value) : undefined;
  if (number !== undefined) return { condition: sql`value.number_value ${sign} ${number}::numeric` };
  const parsed = parseValue(field, field.type === 'boolean' ? isBoolean(value) : value);
  if (typeof parsed === 'function') return { issueAt: parsed };
  const { numberValue, currency, dateValue, booleanValue, documentValue } = parsed;
  if (dateValue !== null) return { condition: sql`value.date_value ${sign} ${dateValue}::date` };
  if (booleanValue !== null) return { condition: sql`value.boolean_value = ${booleanValue}` };
  if (numberValue !== null)
    return { condition: sql`value.number_value ${sign} ${numberValue}::numeric and value.currency = ${currency}::text` };
  // of what may not be read nobody learns what leads to it
  return {
    condition: sql`value.document_value = ${documentValue}::uuid and exists (
      select from documents as linked where linked.id = value.document_value and ${within(reach, sql<string>`linked.owner_id`)})`,
  };
};

const compare = (field: ComparedField, { operator, value }: FieldTest, reach: Reach): FieldCondition => {
  const { type } = field;
  if (!OPERATORS[type].includes(operator)) return { issueAt: (path) => makeIssue(path, 'not_for_field_type', { type }) };
  if (operator === 'contains' || OPERATORS[type].includes('contains')) return compareText(operator, value);
  return compareTyped(field, SIGNS[operator], value, reach);
};

/**
 * A condition on `documents.id`: the document has a value of the field that passes the test. Links lead only where `reach` does. Pure: look the field
 * up with `findFieldsByName`.
 */
export const fieldCondition = (field: ComparedField, test: FieldTest, reach: Reach): FieldCondition => {
  const compared = compare(field, test, reach);
  if ('issueAt' in compared) return compared;
  return {
    condition: sql`exists (select from document_fields as value
      where value.document_id = documents.id and value.field_id = ${field.id}::uuid and ${compared.condition})`,
  };
};

/**
 * A condition on `documents.id`: all of `filters` hold. Undefined where there are none. Throws VALIDATION_ERROR where a name is no field, or a field
 * cannot be compared so; `path` is where the filters stand in the request.
 */
export const fieldConditions = async (
  db: Db,
  principal: Principal,
  filters: FieldFilters | undefined,
  path = 'fields',
): Promise<SQL | undefined> => {
  const names = Object.keys(filters ?? {});
  if (filters === undefined || names.length === 0) return undefined;
  const fields = await requireFieldsByName(db, names, path);
  const reach = readingReach(principal);
  const conditions = [...fields.values()].flatMap((field) =>
    Object.entries(filters[field.given] ?? {}).map(([operator, value]) => ({
      at: `${path}.${field.given}.${operator}`,
      made: fieldCondition(field, { operator: operator as FieldOperator, value }, reach),
    })),
  );
  refuse(conditions.flatMap(({ at, made }) => ('issueAt' in made ? [made.issueAt(at)] : [])));
  return sql.join(
    conditions.flatMap(({ made }) => ('condition' in made ? [made.condition] : [])),
    sql` and `,
  );
};

/** A field that somebody has named. */
export interface NamedField {
  /** As it was written. */
  readonly given: string;
  readonly id: string;
  readonly name: string;
  readonly type: FieldType;
  readonly choices: readonly string[];
}

interface FoundRow extends Record<string, unknown>, Omit<NamedField, 'choices'> {
  readonly choices: string[];
}

/** A name that PostgreSQL can be asked for. */
const canBeName = (text: string): boolean => text.length <= 2 * MAX_FIELD_NAME_CHARACTERS && !text.includes('\0') && text.isWellFormed();

/** What a name looks like that people may have written otherwise. */
const tidy = (text: string): string => text.trim().normalize('NFC');

/** The fields of these names, the case of letters aside, by what was given. `lock`: nobody changes them until the end of the transaction. */
export const findFieldsByName = async (
  db: Db,
  names: readonly string[],
  { lock = false }: { readonly lock?: boolean } = {},
): Promise<ReadonlyMap<string, NamedField>> => {
  const wanted = names.filter(canBeName);
  if (wanted.length === 0) return new Map();
  const { rows } = await db.execute<FoundRow>(sql`
    select wishes.given, custom_fields.id, name, type, choices
    from unnest(${sql.param(wanted)}::text[], ${sql.param(wanted.map(tidy))}::text[]) as wishes (given, wanted)
    join custom_fields on lower(name) = lower(wanted)
    order by custom_fields.id ${lock ? sql`for share of custom_fields` : sql``}`);
  return new Map(rows.map((row) => [row.given, row]));
};

/** What is wrong with names of which `found` are fields: one of them is none, or two are one. `path` is where the names stand. */
const nameIssues = (found: ReadonlyMap<string, NamedField>, names: readonly string[], path: string): Issue[] => {
  const seen = new Set<string>();
  const issues: Issue[] = [];
  for (const name of names) {
    const id = found.get(name)?.id;
    if (id === undefined) issues.push(makeIssue(`${path}.${name}`, 'unknown_field'));
    else if (seen.has(id)) issues.push(makeIssue(`${path}.${name}`, 'field_twice'));
    else seen.add(id);
  }
  return issues;
};

/** The fields of all these names. Throws VALIDATION_ERROR where one of them is none, or two are one. `path` is where the names stand. */
const requireFieldsByName = async (db: Db, names: readonly string[], path: string): Promise<ReadonlyMap<string, NamedField>> => {
  const found = await findFieldsByName(db, names);
  refuse(nameIssues(found, names, path));
  return found;
};

/** Throws VALIDATION_ERROR where there are issues. */
const refuse = (issues: readonly Issue[]): void => {
  const [first] = issues;
  if (first !== undefined) throw validationError(`${first.path}: ${first.message}`, { issues });
};
