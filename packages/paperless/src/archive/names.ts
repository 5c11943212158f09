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
