import type { AppError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import type { Document } from '@sheaf/db/schema';
import type { GivenFields } from '@sheaf/documents';
import type { FieldType } from '@sheaf/vocabulary/custom-fields';

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
