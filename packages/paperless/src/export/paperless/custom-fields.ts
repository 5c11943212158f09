import { createHash } from 'node:crypto';
import type { Db } from '@sheaf/db';
import { asc, inArray, sql } from '@sheaf/db/drizzle';
import { type CustomFieldRow, customFields, documentFields, type FieldValueRow } from '@sheaf/db/schema';
import type { FieldType } from '@sheaf/vocabulary/custom-fields';
import { PAPERLESS_DATA_TYPES, PAPERLESS_VALUE_COLUMNS, type PaperlessDataType } from '../../archive/index.ts';
import { writeAmount } from '../../field-values.ts';
import { type ManifestRecord, sheafExtra, toTime } from './content-types.ts';

const DATA_TYPES: Readonly<Record<FieldType, PaperlessDataType>> = PAPERLESS_DATA_TYPES;

/** Characters that the columns of Paperless-ngx take. A field with a longer value becomes one of long texts. */
const COLUMN_CHARACTERS: Readonly<Partial<Record<FieldType, number>>> = { text: 128, url: 200 };

/** As Paperless-ngx makes them, but the same in every export. */
const optionId = (fieldId: string, choice: string): string =>
  createHash('sha256').update(`${fieldId}\n${choice}`).digest('hex').slice(0, 16);

/** Paperless-ngx keeps integers of 32 bits. A field with a larger value becomes one of floating-point numbers. */
const MAX_INTEGER = 2_147_483_647;

interface ExportedField {
  readonly pk: number;
  readonly id: string;
  readonly dataType: PaperlessDataType;
  /** What can be chosen, by the ids of the choices. */
  readonly choices: ReadonlyMap<string, string>;
}

/** The fields by their ids. */
export type ExportedFields = Map<string, ExportedField>;

const extraData = ({ id, type, choices, defaultCurrency }: CustomFieldRow): unknown => {
  if (type === 'choice') return { select_options: choices.map((label) => ({ id: optionId(id, label), label })) };
  return defaultCurrency === null ? null : { default_currency: defaultCurrency };
};

/** The type of a field whose longest text has so many characters, and whose largest number is `largest`. */
const dataTypeOf = (
  { type }: CustomFieldRow,
  { longest, largest }: { readonly longest: number; readonly largest: number },
): PaperlessDataType => {
  if (longest > (COLUMN_CHARACTERS[type] ?? longest)) return 'longtext';
  return type === 'integer' && largest > MAX_INTEGER ? 'float' : DATA_TYPES[type];
};

/** The definitions of the custom fields, of which there are at most some hundreds. */
export async function* customFieldRecords(db: Db, fields: ExportedFields): AsyncGenerator<ManifestRecord> {
  const longest = sql<number>`coalesce((select max(char_length(text_value)) from document_fields where field_id = ${customFields.id}), 0)::int`;
  const largest = sql<number>`coalesce((select max(abs(number_value)) from document_fields where field_id = ${customFields.id}), 0)::float8`;
  const rows = await db.select({ field: customFields, longest, largest }).from(customFields).orderBy(asc(customFields.id));
  for (const { field, ...values } of rows) {
    const pk = fields.size + 1;
    const dataType = dataTypeOf(field, values);
    fields.set(field.id, {
      pk,
      id: field.id,
      dataType,
      choices: new Map(field.type === 'choice' ? field.choices.map((choice) => [optionId(field.id, choice), choice]) : []),
    });
    yield {
      model: 'documents.customfield',
      pk,
      fields: { created: toTime(field.createdAt), name: field.name, data_type: dataType, extra_data: extraData(field) },
      ...sheafExtra({ id: field.id, type: field.type, document_type_id: field.documentTypeId ?? undefined }),
    };
  }
}

const NO_VALUE = Object.fromEntries(Object.values(PAPERLESS_VALUE_COLUMNS).map((column) => [column, null]));

/** What stands in the column of a value; nothing where the field is empty. `numberOf` knows the numbers of the documents of the export. */
const toValue = ({ id, dataType }: ExportedField, row: FieldValueRow, numberOf: (documentId: string) => number | undefined): unknown => {
  switch (dataType) {
    case 'float':
    case 'integer':
      return row.numberValue && Number(row.numberValue);
    case 'monetary':
      return row.numberValue && writeAmount({ amount: row.numberValue, currency: row.currency });
    case 'date':
      return row.dateValue;
    case 'boolean':
      return row.booleanValue;
    case 'select':
      return row.textValue && optionId(id, row.textValue);
    case 'documentlink': {
      if (row.documentValue === null) return null;
      const linked = numberOf(row.documentValue);
      return linked === undefined ? [] : [linked];
    }
    default:
      return row.textValue;
  }
};

/** The values of these documents, by their ids. */
export const readFieldRows = async (db: Db, documentIds: readonly string[]): Promise<ReadonlyMap<string, readonly FieldValueRow[]>> => {
  const rows = await db
    .select()
    .from(documentFields)
    .where(inArray(documentFields.documentId, [...documentIds]))
    .orderBy(asc(documentFields.documentId), asc(documentFields.fieldId));
  return Map.groupBy(rows, (row) => row.documentId);
};

/** The fields of a record of a value; undefined where the field came after its definitions were written. */
export const valueFields = (
  fields: ExportedFields,
  row: FieldValueRow,
  { document, created, numberOf }: { document: number; created: string; numberOf: (documentId: string) => number | undefined },
): Readonly<Record<string, unknown>> | undefined => {
  const field = fields.get(row.fieldId);
  if (field === undefined) return undefined;
  const deleted = { deleted_at: null, restored_at: null, transaction_id: null };
  return {
    ...deleted,
    created,
    document,
    field: field.pk,
    ...NO_VALUE,
    [PAPERLESS_VALUE_COLUMNS[field.dataType]]: toValue(field, row, numberOf),
  };
};
