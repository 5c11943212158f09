import { type Issue, makeIssue } from '@sheaf/contract';
import type { FieldFilters, FieldValue } from '@sheaf/contract/documents';
import { type Db, type Reach, readingReach, within } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import type { FieldOperator, FieldType } from '@sheaf/vocabulary/custom-fields';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { type NamedField, refuse, requireFieldsByName } from './find-by-name.ts';
import { type FieldKind, parseValue } from './parse-value.ts';

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
