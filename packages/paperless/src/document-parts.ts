import type { AppError } from '@sheaf/contract';
import type { FieldValue } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import type { Document } from '@sheaf/db/schema';
import type { GivenFields } from '@sheaf/documents';
import type { FieldType } from '@sheaf/vocabulary/custom-fields';
import { refuseField } from './filters/values.ts';

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

/** A value of a custom field as the API of Paperless-ngx has it. */
export type PaperlessValue = string | number | boolean | number[] | null;

/** The id of the document that a value links. */
export const linkedId = (value: FieldValue): string => (typeof value === 'string' ? value : '');

/** A value as Paperless writes it; null of a field without one. A choice is its own id. */
export const toPaperlessValue = (
  { type }: FieldKind,
  value: FieldValue | null,
  numberOf: (kind: 'document', id: string) => number,
): PaperlessValue => {
  if (value === null) return null;
  if (type === 'document') return [numberOf('document', linkedId(value))];
  return typeof value === 'object' ? writeAmount(value) : value;
};

/** An amount as Paperless writes it, such as EUR12.50; a number alone where no currency is known. */
export const writeAmount = ({ amount, currency }: { readonly amount: string; readonly currency: string | null }): string =>
  `${currency ?? ''}${amount}`;

const MONETARY = /^([A-Z]{3})?(-?\d{1,15}(?:\.\d{1,15})?)$/;

/** `EUR12.50`, or `12.50` in `currency`, which is empty where none is known. Undefined for what is no amount. */
export const readAmount = (text: string, currency = ''): { amount: string; currency: string } | undefined => {
  const [, own = currency, amount] = MONETARY.exec(text) ?? [];
  return amount === undefined ? undefined : { amount, currency: own };
};

const toAmount = (value: unknown): unknown => {
  const read = readAmount(String(value));
  return read === undefined || read.currency === '' ? value : read;
};

/** The numbers of the documents that a value links. Throws VALIDATION_ERROR for more than one, which there is no place for. */
const linkedNumber = (value: unknown): number | undefined => {
  const [first, ...others] = Array.isArray(value) ? (value as unknown[]) : [value];
  if (others.length > 0) throw refuseField('custom_fields', 'a field links one document at most');
  return first === undefined ? undefined : Number(first);
};

/** A value that Paperless writes as ours, which is checked where it is set; null is none. `findDocument` answers the id behind a number. */
export const fromPaperlessValue = async (
  { type }: FieldKind,
  value: unknown,
  findDocument: (number: number) => Promise<string>,
): Promise<unknown> => {
  if (value === null || value === undefined || value === '') return null;
  if (type === 'amount') return toAmount(value);
  if (type === 'number' || type === 'integer') return typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (type === 'boolean' && typeof value === 'string') return value === 'true' ? true : value === 'false' ? false : value;
  if (type !== 'document') return value;
  const number = linkedNumber(value);
  return number === undefined ? null : findDocument(number);
};

/** Characters of the text of one document, and of all of one answer: what a list imports memory has a limit, whatever is in it. */
const MAX_DOCUMENT_CHARACTERS = 1_000_000;
const MAX_ANSWER_CHARACTERS = 4_000_000;

/**
 * The text of the documents, pages parted by a form feed, in the order of `documentIds`: whole pages up to a million characters of each and four
 * million of all. A document of which not even the first page has room is missing. Whoever calls it has found that the documents may be read.
 */
export const textsOfDocuments = async (db: Db, documentIds: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  if (documentIds.length === 0) return new Map();
  const { rows } = await db.execute<{ id: string; text: string }>(sql`
    with measured as (
      select document_id, page, sum(char_length(content)) over (partition by document_id order by page) as of_document,
        sum(char_length(content)) over (order by place, page) as of_answer
      from unnest(${sql.param([...documentIds])}::uuid[]) with ordinality as wanted (id, place)
      join document_pages on document_id = id
    )
    select document_id as id, case when bool_or(origin = 'edited') then rtrim(string_agg(content, chr(12) order by page), chr(12))
      else string_agg(content, chr(12) order by page) end as text
    from measured join document_pages using (document_id, page)
    where of_document <= ${MAX_DOCUMENT_CHARACTERS} and of_answer <= ${MAX_ANSWER_CHARACTERS} group by document_id`);
  return new Map(rows.map(({ id, text }) => [id, text]));
};

const uuids = (ids: readonly string[]) => sql`${sql.param([...ids])}::uuid[]`;

/** The ids of the labels of each document. Whoever calls it has found that the documents may be read. */
export const labelsOfDocuments = async (db: Db, documentIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> => {
  if (documentIds.length === 0) return new Map();
  const { rows } = await db.execute<{ document_id: string; label_ids: string[] }>(sql`
    select document_id, array_agg(label_id order by label_id) as label_ids from document_labels
    where document_id = any(${uuids(documentIds)}) group by document_id`);
  return new Map(rows.map((row) => [row.document_id, row.label_ids]));
};

/** A note as a list of documents shows it. */
export interface ListedNote extends Record<string, unknown> {
  readonly id: string;
  readonly documentId: string;
  readonly text: string;
  readonly createdAt: Date;
  readonly author: { readonly id: string; readonly username: string } | null;
}

/** Of one answer: documents can have 200 notes of 10,000 characters each. */
const MAX_LISTED_NOTES = 1_000;
const MAX_LISTED_CHARACTERS = 1_000;

/**
 * The notes of the documents, the oldest first; at most a thousand, and of each its beginning. Whoever calls it has
 * found that the documents may be read.
 */
export const notesOfDocuments = async (db: Db, documentIds: readonly string[]): Promise<ReadonlyMap<string, readonly ListedNote[]>> => {
  if (documentIds.length === 0) return new Map();
  const { rows } = await db.execute<Omit<ListedNote, 'createdAt'> & { readonly created_at: string }>(sql`
    select document_notes.id, document_id as "documentId", left(text, ${MAX_LISTED_CHARACTERS}) as text,
      document_notes.created_at, case when users.id is not null then json_build_object('id', users.id, 'username', username) end as author
    from document_notes left join users on users.id = author_id
    where document_id = any(${uuids(documentIds)}) order by document_notes.created_at, document_notes.id limit ${MAX_LISTED_NOTES}`);
  return Map.groupBy(
    rows.map(({ created_at: createdAt, ...note }) => ({ ...note, createdAt: new Date(createdAt) }) as ListedNote),
    ({ documentId }) => documentId,
  );
};

/** A custom field as far as its values depend on it. */
export interface FieldKind extends Record<string, unknown> {
  readonly id: string;
  readonly name: string;
  readonly type: FieldType;
}

/** All custom fields of the instance, of which there are at most MAX_FIELDS. */
export const readFieldKinds = async (db: Db): Promise<FieldKind[]> =>
  (await db.execute<FieldKind>(sql`select id, name, type from custom_fields order by name_key`)).rows;

/** Paperless knows a day of every document. */
export const dayOf = ({ documentDate, createdAt }: Pick<Document, 'createdAt' | 'documentDate'>): string =>
  documentDate ?? createdAt.toISOString().slice(0, 10);

/** What of a row Paperless has as it is, under the names that it has there. */
export const toPaperlessFields = (document: Document) => ({
  title: document.title,
  created: dayOf(document),
  created_date: dayOf(document),
  modified: document.updatedAt.toISOString(),
  added: document.createdAt.toISOString(),
  archive_serial_number: document.archiveNumber,
  original_file_name: document.filename,
  page_count: document.pageCount,
  mime_type: document.mimeType,
});

/** The day of a time in any form of ISO 8601. */
const readDay = (text: string | null): string | null => (text === null ? null : text.slice(0, 10));

/** Values that people give there as a change of ours; those that are not given stay out. */
export const fromPaperlessFields = ({
  created,
  archive_serial_number: number,
}: {
  readonly created?: string | null | undefined;
  readonly archive_serial_number?: number | null | undefined;
}): GivenFields => ({
  ...(created === undefined ? {} : { document_date: readDay(created) }),
  ...(number === undefined ? {} : { archive_number: number }),
});

/** What fields of ours are called there in errors. */
const ERROR_FIELDS: Readonly<Record<string, string>> = {
  parent_id: 'parent',
  labels: 'tags',
  label_ids: 'tags',
  document_date: 'created',
  archive_number: 'archive_serial_number',
  correspondent_id: 'correspondent',
  document_type_id: 'document_type',
  fields: 'custom_fields',
  file: 'document',
  ids: 'documents',
  text: 'note',
  choices: 'extra_data',
  default_currency: 'extra_data',
  type: 'data_type',
};

/** The name that Paperless has for the field of an issue by its path in our own request. */
export const paperlessFieldOf = (path: string): string => {
  const name = path.split('.', 1)[0] ?? '';
  return name === '' ? 'non_field_errors' : (ERROR_FIELDS[name] ?? name);
};

/** The field there that a conflict is about; undefined where it is about none. */
export const conflictOf = ({ code, details }: AppError): string | undefined => {
  if (code === 'ARCHIVE_NUMBER_TAKEN') return 'archive_serial_number';
  return typeof details['name'] === 'string' ? 'name' : undefined;
};
