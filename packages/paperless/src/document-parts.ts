import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
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
