import { type SQL, sql } from '@sheaf/db/drizzle';
import type { FieldType } from '@sheaf/vocabulary/custom-fields';

/** What the Paperless API sorts documents by, beside what our own lists do. */
export type OrderField =
  | 'id'
  | 'created'
  | 'added'
  | 'modified'
  | 'title'
  | 'archive_serial_number'
  | 'correspondent__name'
  | 'document_type__name'
  | 'owner'
  | 'num_notes'
  | 'page_count'
  | { readonly fieldId: string; readonly type: FieldType };

export interface OrderKey {
  readonly field: OrderField;
  readonly isDescending: boolean;
}

const COLUMNS = {
  id: sql`documents.created_at`,
  created: sql`documents.document_date`,
  added: sql`documents.created_at`,
  modified: sql`documents.updated_at`,
  title: sql`documents.title_key`,
  archive_serial_number: sql`documents.archive_number`,
  correspondent__name: sql`documents.correspondent_key`,
  document_type__name: sql`documents.document_type_key`,
  owner: sql`(select lower(username) from users where users.id = documents.owner_id)`,
  num_notes: sql`documents.notes_count`,
  page_count: sql`documents.page_count`,
} as const satisfies Record<Exclude<OrderField, object>, SQL>;

const VALUES: Readonly<Record<FieldType, SQL>> = {
  text: sql`lower(text_value)`,
  long_text: sql`lower(text_value)`,
  url: sql`lower(text_value)`,
  choice: sql`lower(text_value)`,
  number: sql`number_value`,
  integer: sql`number_value`,
  amount: sql`number_value`,
  date: sql`date_value`,
  boolean: sql`boolean_value`,
  document: sql`document_value`,
};

const keySql = ({ field, isDescending }: OrderKey): SQL => {
  const direction = isDescending ? sql`desc` : sql`asc`;
  // as our own lists have it: what is missing is below any value
  if (typeof field === 'string') return sql`${COLUMNS[field]} ${direction} ${isDescending ? sql`nulls last` : sql`nulls first`}`;
  // as Paperless has it: documents with the field come first, whatever the direction
  return sql`(select ${VALUES[field.type]} from document_fields
    where document_fields.document_id = documents.id and field_id = ${field.fieldId}::uuid) ${direction} nulls last`;
};

/** The order of documents by these keys, and by their ids in the direction of the last key where all are equal. */
export const documentOrder = (keys: readonly OrderKey[]): SQL[] => [
  ...keys.map(keySql),
  keys.at(-1)?.isDescending === true ? sql`documents.id desc` : sql`documents.id asc`,
];
