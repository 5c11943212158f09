import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';

/** Pages of a version of a document that become those of a document, in this order. */
export interface PartPages {
  readonly from: { readonly documentId: string; readonly version: number };
  readonly to: string;
  readonly pages: readonly number[];
}

/**
 * Gives a document the text, words and languages that the pages had in an earlier version, which keeps them. Its own pages before go. A page of
 * which nothing is known is left for the job of the document.
 */
export const movePages = async (tx: Db, { from: { documentId, version }, to, pages }: PartPages): Promise<void> => {
  await tx.execute(sql`delete from document_pages where document_id = ${to}`);
  await tx.execute(sql`
    insert into document_pages (document_id, page, content, confidence, origin, error, words, language)
    select ${to}::uuid, place.page, known.content, known.confidence, known.origin, known.error, known.words, known.language
    from unnest(${sql.param([...pages])}::int[]) with ordinality as place (was, page)
      join document_version_pages as known on known.document_id = ${documentId} and known.version = ${version} and known.page = place.was`);
};
