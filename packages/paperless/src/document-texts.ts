import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';

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
