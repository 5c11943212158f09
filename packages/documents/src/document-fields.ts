import { type Document, documents } from '@sheaf/db/schema';
import {
  type DocumentField,
  type DocumentValues,
  EDITABLE_FIELDS,
  type EditableField,
  SORTABLE_FIELDS,
  VALUE_FIELDS,
  type ValueField,
  type ValueOf,
} from '@sheaf/vocabulary/document-fields';
import type { DocumentSortField } from '@sheaf/vocabulary/sort-fields';

/** The values of a document that are columns of its row, under the names that answers have for them. */
export type DocumentFieldValues = { [Field in ValueField as Field['key']]: ValueOf<Field> };

/** The type of the same values in a row: times are dates there. */
type RowValue<Field extends ValueField> = Field extends { readonly kind: 'moment' }
  ? Date | (Field extends { readonly isNullable: true } ? null : never)
  : ValueOf<Field>;
/** The part of a row that the declaration of the fields expects. */
type DeclaredRow = { readonly [Field in ValueField as Field['column']]: RowValue<Field> };

/** What of the row answers tell as it is, with times as text. */
export const toFieldValues = (document: Document): DocumentFieldValues => {
  const row: DeclaredRow = document;
  const entries = VALUE_FIELDS.map(({ key, column }) => {
    const value = row[column];
    return [key, value instanceof Date ? value.toISOString() : value];
  });
  // `Object.fromEntries` does not keep which key has which value; the two types read that from the same declaration
  return Object.fromEntries(entries) as DocumentFieldValues;
};

/** New values of fields that people may change, under the names that requests have for them. Undefined: as before. */
export type GivenFields = { readonly [Field in EditableField as Field['key']]?: ValueOf<Field> | undefined };
/** The same as columns of the row. */
export type ChangedColumns = { [Field in EditableField as Field['column']]?: ValueOf<Field> };

/** The values that a new document may have in them. */
export type FieldColumns = { readonly [Field in EditableField as Field['column']]?: ValueOf<Field> | undefined };

/** The fields that `given` sets, as columns of the row. */
export const columnsOf = (given: GivenFields): ChangedColumns =>
  Object.fromEntries(EDITABLE_FIELDS.flatMap(({ key, column }) => (given[key] === undefined ? [] : [[column, given[key]]])));

/** What of `given` the row has otherwise: as columns to write, and as the event of the change tells it. */
export const changedFieldsOf = (row: Document, given: GivenFields): { columns: ChangedColumns; published: GivenFields } => {
  const changed = EDITABLE_FIELDS.filter(({ key, column }) => given[key] !== undefined && given[key] !== row[column]);
  return {
    columns: Object.fromEntries(changed.map(({ key, column }) => [column, given[key]])),
    published: Object.fromEntries(changed.map(({ key }) => [key, given[key]])),
  };
};

/** The fields that `given` sets, also to what they are. */
export const givenFieldsOf = (given: GivenFields): EditableField['key'][] =>
  EDITABLE_FIELDS.flatMap(({ key }) => (given[key] === undefined ? [] : [key]));

/** The types of the columns in PostgreSQL by the kind of their values. */
const COLUMN_TYPES = {
  boolean: 'boolean',
  bytes: 'bigint',
  day: 'date',
  integer: 'integer',
  moment: 'timestamptz',
  number_from_1: 'integer',
  share: 'real',
  route: 'text',
  status: 'text',
  text: 'text',
  uuid: 'uuid',
  version: 'integer',
  own: 'text',
} as const satisfies Record<keyof DocumentValues | 'own', string>;

const toSortKey = (field: (typeof SORTABLE_FIELDS)[number]) => ({
  by: documents['sortColumn' in field ? field.sortColumn : field.column],
  type: COLUMN_TYPES[field.kind],
  /** Choice: a document without the value stands below any with one. */
  hasNullsLowest: 'isNullable' in field,
});

const SORT_KEYS = new Map<DocumentField['key'], ReturnType<typeof toSortKey>>(
  SORTABLE_FIELDS.map((field) => [field.key, toSortKey(field)]),
);
const BY_ID = toSortKey({ key: 'id', kind: 'uuid', column: 'id', sort: 'unindexed' });

/** What a list by that field is sorted by: the column, its type in PostgreSQL, and whether the value may be missing. */
export const sortKeyOf = (sort: DocumentSortField): ReturnType<typeof toSortKey> => SORT_KEYS.get(sort) ?? BY_ID;
