import type { DocumentStatus, IngestRoute } from './documents.ts';

/** What the values of a field of documents are, as they stand in answers. */
export interface DocumentValues {
  readonly boolean: boolean;
  /** A whole number of bytes, which may need 64 bits. */
  readonly bytes: number;
  /** A day as YYYY-MM-DD. */
  readonly day: string;
  readonly integer: number;
  /** A time as ISO 8601 in UTC; a Date in rows. */
  readonly moment: string;
  /** A whole number that people give, from 1 on. */
  readonly number_from_1: number;
  /** From 0 to 1. */
  readonly share: number;
  readonly route: IngestRoute;
  readonly status: DocumentStatus;
  readonly text: string;
  readonly uuid: string;
  /** From 1 on. */
  readonly version: number;
}

interface Declaration {
  /** The name in answers, requests and exports. */
  readonly key: string;
  /** `own`: the schema and the value are written out, as the value is more than a column of the row. */
  readonly kind: keyof DocumentValues | 'own';
  /** The property of a row of `documents` that has the value. */
  readonly column?: string;
  readonly isNullable?: true;
  /** Text in the description of the interface. */
  readonly about?: string;
  /** Whether lists can be sorted by it: `indexed` where an index of its own makes that fast, at a million documents too. */
  readonly sort?: 'indexed' | 'unindexed';
  /** The property of the row to sort by, where it is not `column`. */
  readonly sortColumn?: string;
  /** That people may change it, and what the description of a change says. */
  readonly edit?: string;
  /** Lists, searches and actions on many documents find those with a value, or with one of a range, whose ends are described so. */
  readonly filter?: 'equal' | { readonly from: string; readonly to: string };
  /** Each number is that of one document of an owner at most: callers can ask for the next one, and search by conditions on it. */
  readonly isUnique?: true;
  /** The word for it in queries. */
  readonly word?: string;
}

/**
 * Every field of a document, in the order of answers. Schemas, answers, sort fields and the order of lists derive from it:
 * docs/contributing/adding-a-field.md adds one.
 */
export const DOCUMENT_FIELDS = [
  { key: 'id', kind: 'uuid', column: 'id', sort: 'unindexed' },
  { key: 'title', kind: 'text', column: 'title', sort: 'indexed', sortColumn: 'titleKey' },
  { key: 'filename', kind: 'text', column: 'filename', sort: 'indexed', sortColumn: 'filenameKey' },
  { key: 'content', kind: 'own', sort: 'unindexed', sortColumn: 'contentExcerpt' },
  { key: 'status', kind: 'status', column: 'status', sort: 'indexed' },
  { key: 'mime_type', kind: 'text', column: 'mimeType', sort: 'indexed' },
  { key: 'size', kind: 'bytes', column: 'sizeBytes', sort: 'indexed' },
  { key: 'created_at', kind: 'moment', column: 'createdAt', sort: 'indexed' },
  { key: 'updated_at', kind: 'moment', column: 'updatedAt', sort: 'indexed' },
  { key: 'ocr_confidence', kind: 'share', column: 'ocrConfidence', isNullable: true, sort: 'indexed' },
  { key: 'labels', kind: 'own' },
  { key: 'metadata', kind: 'own' },
  { key: 'owner_id', kind: 'uuid', column: 'ownerId', sort: 'unindexed' },
  { key: 'sha256', kind: 'text', column: 'sha256', sort: 'unindexed' },
  {
    key: 'version',
    kind: 'version',
    column: 'version',
    sort: 'unindexed',
    about: 'Counts the files of the document; earlier ones are its earlier versions',
  },
  { key: 'page_count', kind: 'integer', column: 'pageCount', isNullable: true, sort: 'unindexed' },
  { key: 'notes_count', kind: 'integer', column: 'notesCount', sort: 'unindexed' },
  {
    key: 'has_einvoice',
    kind: 'boolean',
    column: 'hasEinvoice',
    sort: 'unindexed',
    about: 'Whether the document is an e-invoice or holds one',
  },
  {
    key: 'is_signed',
    kind: 'boolean',
    column: 'isSigned',
    sort: 'unindexed',
    about: 'Whether the file is a PDF with digital signatures, valid or not',
  },
  {
    key: 'document_date',
    kind: 'day',
    column: 'documentDate',
    isNullable: true,
    sort: 'indexed',
    about: 'The day that the document bears',
    edit: 'The day that the document bears; null removes it',
    filter: { from: 'First day that a document may bear', to: 'Last day that a document may bear' },
    word: 'date',
  },
  {
    key: 'archive_number',
    kind: 'number_from_1',
    column: 'archiveNumber',
    isNullable: true,
    sort: 'indexed',
    about: 'Number under which the paper is filed',
    edit: 'Unique among all documents; null removes it',
    filter: 'equal',
    isUnique: true,
    word: 'asn',
  },
  { key: 'correspondent', kind: 'own', isNullable: true, sort: 'indexed', sortColumn: 'correspondentKey' },
  { key: 'document_type', kind: 'own', isNullable: true, sort: 'indexed', sortColumn: 'documentTypeKey' },
  { key: 'fields', kind: 'own' },
  { key: 'empty_fields', kind: 'own' },
  { key: 'source', kind: 'route', column: 'source', sort: 'unindexed' },
  { key: 'source_id', kind: 'uuid', column: 'sourceId', isNullable: true, sort: 'unindexed' },
  {
    key: 'imported_from',
    kind: 'text',
    column: 'importedFrom',
    isNullable: true,
    sort: 'unindexed',
    about: 'ID in the system from which the document was imported, such as paperless:123',
  },
  {
    key: 'source_removed_at',
    kind: 'moment',
    column: 'sourceRemovedAt',
    isNullable: true,
    sort: 'unindexed',
    about: 'When the file was removed at its source',
  },
  { key: 'ocr_language', kind: 'text', column: 'ocrLanguage', sort: 'unindexed' },
  {
    key: 'language',
    kind: 'text',
    column: 'language',
    isNullable: true,
    sort: 'unindexed',
    about: 'Detected language as a Tesseract code, such as deu; null if it is not certain',
  },
  {
    key: 'missing_language',
    kind: 'text',
    column: 'missingLanguage',
    isNullable: true,
    sort: 'unindexed',
    about: 'Language of scanned pages that no OCR worker has the data for',
  },
  { key: 'needs_attention', kind: 'boolean', column: 'needsAttention', sort: 'unindexed' },
  { key: 'error', kind: 'own' },
] as const satisfies readonly Declaration[];
export type DocumentField = (typeof DOCUMENT_FIELDS)[number];

/** Fields whose value is that of a column. */
export type ValueField = Extract<DocumentField, { readonly column: string }>;
/** Fields whose schema and value are written out. */
export type OwnField = Extract<DocumentField, { readonly kind: 'own' }>;
export type SortableField = Extract<DocumentField, { readonly sort: string }>;
/** Fields that people may change as they are; each may be null. */
export type EditableField = Extract<DocumentField, { readonly edit: string }>;
type RangeField = Extract<DocumentField, { readonly filter: object }>;
type EqualField = Extract<DocumentField, { readonly filter: 'equal' }>;
/** Fields that filters ask for. */
export type FilterField = RangeField | EqualField;
/** The names of the filters of a field: its own, or one for each end of a range. */
export type FilterNameOf<Field extends FilterField> = Field extends RangeField ? `${Field['key']}_${'from' | 'to'}` : Field['key'];
/** What filters ask of fields. Undefined: any value. */
export type FieldFilters = { readonly [Field in FilterField as FilterNameOf<Field>]?: DocumentValues[Field['kind']] | undefined };
/** Fields that queries have a word for. */
export type WordedField = Extract<DocumentField, { readonly word: string }>;
/** Fields whose value is a number that people give. */
export type NumberedField = Extract<DocumentField, { readonly kind: 'number_from_1' }>;
/** Fields of which no two documents of an owner have the same value. */
export type UniqueField = Extract<DocumentField, { readonly isUnique: true }>;
type IndexedField = Extract<DocumentField, { readonly sort: 'indexed' }>;

/** The type of the values of a field in answers. */
export type ValueOf<Field extends ValueField> =
  | DocumentValues[Field['kind']]
  | (Field extends { readonly isNullable: true } ? null : never);

const isValueField = (field: DocumentField): field is ValueField => 'column' in field;
const isSortable = (field: DocumentField): field is SortableField => 'sort' in field;
const isIndexed = (field: DocumentField): field is IndexedField => 'sort' in field && field.sort === 'indexed';
const isEditable = (field: DocumentField): field is EditableField => 'edit' in field;

const isWorded = (field: DocumentField): field is WordedField => 'word' in field;
const isUnique = (field: DocumentField): field is UniqueField => 'isUnique' in field;

export const VALUE_FIELDS: readonly ValueField[] = DOCUMENT_FIELDS.filter(isValueField);
export const SORTABLE_FIELDS: readonly SortableField[] = DOCUMENT_FIELDS.filter(isSortable);
export const EDITABLE_FIELDS: readonly EditableField[] = DOCUMENT_FIELDS.filter(isEditable);
export const WORDED_FIELDS: readonly WordedField[] = DOCUMENT_FIELDS.filter(isWorded);
export const UNIQUE_KEYS: readonly UniqueField['key'][] = DOCUMENT_FIELDS.filter(isUnique).map(({ key }) => key);
export const INDEXED_FIELDS: readonly IndexedField[] = DOCUMENT_FIELDS.filter(isIndexed);

const isRange = (field: DocumentField): field is RangeField => 'filter' in field && field.filter !== 'equal';
const isEqual = (field: DocumentField): field is EqualField => 'filter' in field && field.filter === 'equal';

const rangeOf = (field: RangeField) => [
  { name: `${field.key}_from` as const, field, compare: '>=' as const, about: field.filter.from },
  { name: `${field.key}_to` as const, field, compare: '<=' as const, about: field.filter.to },
];

/** The filters of fields, in the order of the interface. */
export const FIELD_FILTERS = [
  ...DOCUMENT_FIELDS.filter(isRange).flatMap(rangeOf),
  ...DOCUMENT_FIELDS.filter(isEqual).map((field) => ({ name: field.key, field, compare: '=' as const, about: undefined })),
] as const;
