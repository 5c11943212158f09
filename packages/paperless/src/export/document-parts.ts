import type { Db } from '@sheaf/db';
import { asc, inArray } from '@sheaf/db/drizzle';
import { type Document, documentLabels, documents, type FieldValueRow } from '@sheaf/db/schema';
import { listNotes, type Note } from '@sheaf/documents';
import { readContent } from '@sheaf/documents/pages';
import type { ChosenDocuments } from './chosen-documents.ts';
import { readFieldRows } from './paperless/custom-fields.ts';

const BATCH = 100;

/** A document as far as it is small. */
export interface DocumentPart {
  readonly document: Document;
  readonly labelIds: readonly string[];
  readonly values: readonly FieldValueRow[];
}

const labelsOf = async (db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> => {
  const rows = await db
    .select()
    .from(documentLabels)
    .where(inArray(documentLabels.documentId, [...ids]))
    .orderBy(asc(documentLabels.documentId), asc(documentLabels.labelId));
  return new Map([...Map.groupBy(rows, (row) => row.documentId)].map(([id, found]) => [id, found.map(({ labelId }) => labelId)]));
};

/** The chosen documents, in order, read in parts. Those that were deleted meanwhile are left out. */
export async function* documentParts(db: Db, chosen: ChosenDocuments): AsyncGenerator<DocumentPart> {
  for (const ids of chosen.parts(BATCH)) {
    const rows = await db
      .select()
      .from(documents)
      .where(inArray(documents.id, [...ids]))
      .orderBy(asc(documents.id));
    const [labels, values] = [await labelsOf(db, ids), await readFieldRows(db, ids)];
    for (const document of rows) yield { document, labelIds: labels.get(document.id) ?? [], values: values.get(document.id) ?? [] };
  }
}

/** As much text as fits into a record that importers read: more than the longest books have. */
const MAX_CONTENT_CHARACTERS = 5_000_000;

/** The text of all pages, parted by form feeds, and whether it is all of it. */
export const readText = async (db: Db, documentId: string): Promise<{ readonly text: string; readonly isWhole: boolean }> => {
  const text = await readContent(db, documentId);
  const isWhole = text.length <= MAX_CONTENT_CHARACTERS;
  return { text: isWhole ? text : text.slice(0, MAX_CONTENT_CHARACTERS).toWellFormed(), isWhole };
};

export const readNotes = async (db: Db, { id, notesCount }: Document): Promise<readonly Note[]> =>
  notesCount === 0 ? [] : listNotes(db, id);

export const isStillThere = async (db: Db, documentId: string): Promise<boolean> =>
  (
    await db
      .select({ id: documents.id })
      .from(documents)
      .where(inArray(documents.id, [documentId]))
  ).length > 0;
