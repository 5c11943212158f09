import type { FieldValueRow } from '@sheaf/db/schema';
import { lockImported } from '@sheaf/documents';
import { addValues, isEmptyValue, readValue } from '@sheaf/documents/custom-fields';
import { PAPERLESS_VALUE_COLUMNS } from '../archive/index.ts';
import { readAmount } from '../document-parts.ts';
import { type ImportContext, type ReadRecord, readNewRecords } from './context.ts';
import type { ImportedDocuments } from './documents.ts';
import type { ImportedField } from './fields.ts';
import { type FieldInstanceFields, fieldInstanceFields } from './records.ts';
import { VALUE_MODEL, wasDeletedAlone } from './scan.ts';

const BATCH = 500;
/** Fields that came without a value are known apart: a value that they have in a later export is new. */
const EMPTY_MODEL = `${VALUE_MODEL}.empty`;

interface PlannedValue {
  readonly pk: string;
  readonly documentId: string;
  readonly rows: readonly FieldValueRow[];
}

export interface ValueTables extends ImportedDocuments {
  readonly fields: ReadonlyMap<string, ImportedField>;
}

/** What becomes of a value; undefined where it is left out, which is reported. */
const plan = (
  { report, source }: ImportContext,
  { fields, taken, scan }: ValueTables,
  { pk, fields: given }: ReadRecord<FieldInstanceFields>,
): PlannedValue | undefined => {
  const document = `${source}:${given.document}`;
  const field = fields.get(given.field);
  const leave = (reason: string): undefined => {
    report.leave('field value', field?.name ?? given.field, reason, document);
  };
  if (wasDeletedAlone(scan, given.document, given.deleted_at)) return leave('It is in the trash');
  const target = taken.get(given.document);
  if (target === undefined) return leave('Its document was not imported');
  if (field === undefined) return leave('Its field was not imported');
  const { rows, left } = readInstance(field, given, (id) => taken.get(id)?.id);
  if (target.isJoined) return rows.every(isEmptyValue) ? undefined : leave('The document that has the file keeps its own values');
  for (const reason of left) leave(reason);
  return rows.length === 0 ? undefined : { pk, documentId: target.id, rows: rows.map((row) => ({ documentId: target.id, ...row })) };
};

const hasValue = ({ rows }: PlannedValue): boolean => !rows.every(isEmptyValue);

/** Without the fields that came without a value before. */
const withoutKnown = async ({ db, items }: ImportContext, planned: readonly PlannedValue[]): Promise<PlannedValue[]> => {
  const empty = planned.filter((one) => !hasValue(one)).map(({ pk }) => pk);
  const known = await items.find(db, EMPTY_MODEL, empty);
  return planned.filter((one) => hasValue(one) || !known.has(one.pk));
};

/** Links to documents that were deleted since cannot be. */
const withLinked = (planned: readonly PlannedValue[], there: ReadonlyMap<string, unknown>): FieldValueRow[] =>
  planned.flatMap(({ rows }) =>
    rows.filter(({ documentId, documentValue }) => there.has(documentId) && (documentValue === null || there.has(documentValue))),
  );

const write = ({ db, items, report }: ImportContext, planned: readonly PlannedValue[]): Promise<void> =>
  db.transaction(async (tx) => {
    const ids = planned.flatMap(({ rows }) =>
      rows.flatMap(({ documentId, documentValue }) => [documentId, ...(documentValue === null ? [] : [documentValue])]),
    );
    const there = await lockImported(tx, [...new Set(ids)]);
    await addValues(tx, withLinked(planned, there));
    const values = planned.filter(hasValue);
    const empty = planned.filter((one) => !hasValue(one));
    const toItem = ({ pk, documentId }: PlannedValue) => ({ foreignId: pk, localId: documentId });
    await items.add(tx, VALUE_MODEL, values.map(toItem));
    await items.add(tx, EMPTY_MODEL, empty.map(toItem));
    report.count('field_values', values.length);
  });

/** Gives the documents that were taken over their custom fields, with or without a value. */
export const importFieldValues = async (context: ImportContext, tables: ValueTables): Promise<void> => {
  for await (const batch of readNewRecords(context, VALUE_MODEL, { schema: fieldInstanceFields, size: BATCH })) {
    const planned = await withoutKnown(
      context,
      batch.flatMap((record) => plan(context, tables, record) ?? []),
    );
    if (context.isDryRun) context.report.count('field_values', planned.filter(hasValue).length);
    else if (planned.length > 0) await write(context, planned);
  }
};

/** The column of an instance that has the value, by the type of its field. */
const COLUMNS: Readonly<Record<string, string>> = PAPERLESS_VALUE_COLUMNS;

type ReadValueRow = Omit<FieldValueRow, 'documentId'>;

/** What a value becomes: rows, one but for links to several documents; and why something of it is left out. */
interface ReadFieldValue {
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

/** `EUR12.50`, or `12.50` in the currency of the field. */
const toAmount = (given: unknown, currency: string): { amount: string; currency: string } | string => {
  const read = readAmount(String(given).trim(), currency);
  if (read === undefined) return `${String(given)} is no amount`;
  return read.currency === '' ? `${read.amount} has no currency, and its field has none either` : read;
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
const readInstance = (
  field: ImportedField,
  fields: FieldInstanceFields,
  documentOf: (pk: string) => string | undefined,
): ReadFieldValue => {
  const given = fields[COLUMNS[field.dataType] ?? ''];
  if (given === null || given === undefined || given === '' || (Array.isArray(given) && given.length === 0)) return empty(field);
  if (field.dataType === 'documentlink') return links(field, given, documentOf);
  return field.dataType === 'select' ? choice(field, given) : one(field, given);
};
