import type { Db } from '@sheaf/db';
import { eq, sql } from '@sheaf/db/drizzle';
import { type Document, documentEinvoices, documents } from '@sheaf/db/schema';
import { type PlacedPage, placePages } from './place-pages.ts';
import { type DocumentContent, excerptOf, FORGOTTEN, keepVersion, nextVersion } from './replace-content.ts';

interface EditedContent extends DocumentContent {
  /** In their order, one at least. */
  readonly pages: readonly PlacedPage[];
}

/**
 * Puts a file under the document that has pages of its own file and of other documents, each with its text and words as they are now. The
 * file before is kept as an earlier version. Lock all these documents first, and queue the document to be finished: facts and search entry
 * are still those of the file before.
 */
export const editContent = async (
  tx: Db,
  { id, version }: Pick<Document, 'id' | 'version'>,
  { pages, ...content }: EditedContent,
  excerptCharacters: number,
): Promise<void> => {
  await keepVersion(tx, id);
  await placePages(tx, id, { documentId: id, version }, pages);
  await tx.delete(documentEinvoices).where(eq(documentEinvoices.documentId, id));
  await tx
    .update(documents)
    .set({ ...content, ...FORGOTTEN, ...nextVersion })
    .where(eq(documents.id, id));
  await describePages(tx, [id], excerptCharacters);
};

/** Says on documents how many pages they have, and how their text begins. */
export const describePages = async (tx: Db, ids: readonly string[], excerptCharacters: number): Promise<void> => {
  for (const id of ids)
    await tx
      .update(documents)
      .set({
        pageCount: sql`(select count(*)::int from document_pages where document_id = ${id})`,
        contentExcerpt: excerptOf(id, excerptCharacters),
      })
      .where(eq(documents.id, id));
};
