/** What the types of custom fields of Sheaf are called in Paperless-ngx. */
export const PAPERLESS_DATA_TYPES = {
  text: 'string',
  long_text: 'longtext',
  number: 'float',
  integer: 'integer',
  amount: 'monetary',
  date: 'date',
  boolean: 'boolean',
  url: 'url',
  choice: 'select',
  document: 'documentlink',
} as const;
export type PaperlessDataType = (typeof PAPERLESS_DATA_TYPES)[keyof typeof PAPERLESS_DATA_TYPES];

type FieldType = keyof typeof PAPERLESS_DATA_TYPES;

/** The same the other way round. */
export const PAPERLESS_FIELD_TYPES: Readonly<Record<string, FieldType>> = Object.fromEntries(
  Object.entries(PAPERLESS_DATA_TYPES).map(([type, name]) => [name, type as FieldType]),
);

/** The column of a value, by the type of its field. */
export const PAPERLESS_VALUE_COLUMNS = {
  string: 'value_text',
  longtext: 'value_long_text',
  float: 'value_float',
  integer: 'value_int',
  monetary: 'value_monetary',
  date: 'value_date',
  boolean: 'value_bool',
  url: 'value_url',
  select: 'value_select',
  documentlink: 'value_document_ids',
} as const satisfies Record<PaperlessDataType, `value_${string}`>;

/** What the orders of documents are called there. */
export const PAPERLESS_SORT_FIELDS = {
  created_at: 'added',
  updated_at: 'modified',
  title: 'title',
  document_date: 'created',
  archive_number: 'archive_serial_number',
  correspondent: 'correspondent__name',
  document_type: 'document_type__name',
} as const;

/** The same the other way round. */
export const PAPERLESS_SORTS: Readonly<Record<string, keyof typeof PAPERLESS_SORT_FIELDS>> = Object.fromEntries(
  Object.entries(PAPERLESS_SORT_FIELDS).map(([sort, name]) => [name, sort as keyof typeof PAPERLESS_SORT_FIELDS]),
);
