import type { FieldValueRow } from '@sheaf/db/schema';
import { readValue } from '@sheaf/documents/custom-fields';
import type { ImportedField } from './fields.ts';
import type { FieldInstanceFields } from './records.ts';

/** The column of an instance that has the value, by the type of its field. */
const COLUMNS: Readonly<Record<string, string>> = {
  string: 'value_text',
  longtext: 'value_long_text',
  url: 'value_url',
  date: 'value_date',
  boolean: 'value_bool',
  integer: 'value_int',
  float: 'value_float',
  monetary: 'value_monetary',
  documentlink: 'value_document_ids',
  select: 'value_select',
};

export type ReadValueRow = Omit<FieldValueRow, 'documentId'>;

/** What a value becomes: rows, one but for links to several documents; and why something of it is left out. */
export interface ReadFieldValue {
  readonly rows: readonly ReadValueRow[];
  readonly left: readonly string[];
}

const NOTHING: ReadFieldValue = { rows: [], left: [] };

/** The field is on the document without a value. */
const empty = ({ fields: [target] }: ImportedField): ReadFieldValue => {
  const read = target && readValue(target, null);
  return target === undefined || read === undefined || 'issue' in read
    ? NOTHING
    : { rows: [{ fieldId: target.id, ...read.columns }], left: [] };
};

const MONEY = /^([A-Z]{3})?(-?\d{1,15}(?:\.\d{1,15})?)$/;

/** `EUR12.50`, or `12.50` in the currency of the field. */
const toAmount = (given: unknown, currency: string): { amount: string; currency: string } | string => {
  const [, own = currency, amount] = MONEY.exec(String(given).trim()) ?? [];
  if (amount === undefined) return `${String(given)} is no amount`;
  return own === '' ? `${amount} has no currency, and its field has none either` : { amount, currency: own };
};

const one = (field: ImportedField, given: unknown): ReadFieldValue => {
  const [target] = field.fields;
  const value = field.dataType === 'monetary' ? toAmount(given, field.currency) : given;
  if (target === undefined) return NOTHING;
  if (field.dataType === 'monetary' && typeof value === 'string') return { rows: [], left: [value] };
  const parsed = readValue(target, value as Parameters<typeof readValue>[1]);
  return 'issue' in parsed
    ? { rows: [], left: [`${JSON.stringify(given).slice(0, 200)} is left out: ${parsed.issue.message}`] }
    : { rows: [{ fieldId: target.id, ...parsed.columns }], left: [] };
};

const choice = (field: ImportedField, given: unknown): ReadFieldValue => {
  const label = field.options.get(String(given));
  return label === undefined ? { rows: [], left: [`${String(given)} is none of the choices`] } : one(field, label);
};

const links = ({ fields }: ImportedField, given: unknown, documentOf: (pk: string) => string | undefined): ReadFieldValue => {
  if (!Array.isArray(given)) return { rows: [], left: ['It is no list of documents'] };
  const rows: ReadValueRow[] = [];
  const left: string[] = [];
  for (const pk of given) {
    const id = documentOf(String(pk));
    const field = fields[rows.length];
    if (id === undefined) left.push(`The document ${String(pk)} was not imported, so there is no link to it`);
    else if (field === undefined) left.push(`There are too many links for one to document ${String(pk)}`);
    else {
      const parsed = readValue(field, id);
      if ('columns' in parsed) rows.push({ fieldId: field.id, ...parsed.columns });
    }
  }
  return { rows, left };
};

/** Reads the value of an instance. `documentOf` answers what a document became here. */
export const readInstance = (
  field: ImportedField,
  fields: FieldInstanceFields,
  documentOf: (pk: string) => string | undefined,
): ReadFieldValue => {
  const given = fields[COLUMNS[field.dataType] ?? ''];
  if (given === null || given === undefined || given === '' || (Array.isArray(given) && given.length === 0)) return empty(field);
  if (field.dataType === 'documentlink') return links(field, given, documentOf);
  return field.dataType === 'select' ? choice(field, given) : one(field, given);
};
