import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';

/** Pages that are in memory at once, and how much of each is looked at. */
const PAGES = 16;
const CHARACTERS = 60_000;
/** Of longer documents the beginning is looked at. */
const MAX_PAGES = 500;

/** The text of the pages of a document in their order, some pages at a time. Other work of the process goes on in between. */
export async function* readPageTexts(db: Db, documentId: string): AsyncGenerator<string> {
  for (let after = 0; after < MAX_PAGES; ) {
    const { rows } = await db.execute<{ page: number; content: string; last: number }>(sql`
      select page, left(content, ${CHARACTERS}::int) as content,
        (select max(page) from document_pages where document_id = ${documentId} and not is_stale) as last
      from document_pages where document_id = ${documentId} and not is_stale and page > ${after}::int and page <= ${after + PAGES}::int order by page`);
    if (rows.length === 0) return;
    for (const { content } of rows) {
      yield content;
      await new Promise((resolve) => setImmediate(resolve));
    }
    after += PAGES;
    if ((rows[0]?.last ?? 0) <= after) return;
  }
}

/** The beginning of each of the documents, which is what is compared in full. */
export const readBeginnings = async (db: Db, documentIds: readonly string[]): Promise<Map<string, string>> => {
  const { rows } = await db.execute<{ document_id: string; content: string }>(sql`
    select document_id, string_agg(left(content, 6000), ' ' order by page) as content from document_pages
    where document_id = any(${sql.param([...documentIds])}::uuid[]) and not is_stale and page <= 3 group by document_id`);
  return new Map(rows.map(({ document_id: id, content }) => [id, content]));
};
