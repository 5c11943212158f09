import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import type { FactPage } from '@sheaf/facts';
import { decodePageWords } from '@sheaf/vocabulary/page-words';

/** Where facts stand: at the beginning of a document, and at its end. */
const PAGES = { first: 20, last: 4 };
/** Of longer pages only the beginning is read, without the positions of its words. */
const MAX_CHARACTERS = 300_000;
const KEPT_CHARACTERS = 60_000;
/** More words of a page are looked at by nobody. */
const MAX_WORDS = 6_000;

interface PageRow extends Record<string, unknown> {
  readonly page: number;
  readonly content: string;
  readonly words: Uint8Array | null;
  readonly language: string | null;
}

/** The pages that facts are looked for in, and the languages that they are in, the most usual first. */
export interface FactText {
  readonly pages: readonly FactPage[];
  readonly languages: readonly string[];
}

/** The text of a document as far as facts are looked for in it. Other work of the process goes on between its pages. */
export const readFactText = async (db: Db, documentId: string, { first, last } = PAGES): Promise<FactText> => {
  const { rows } = await db.execute<PageRow>(sql`
    select page, language, case when is_long then left(content, ${KEPT_CHARACTERS}::int) else content end as content,
      case when not is_long then words end as words
    from (
      select *, char_length(content) > ${MAX_CHARACTERS}::int as is_long, row_number() over (order by page) as place, count(*) over () as total
      from document_pages where document_id = ${documentId} and not is_stale
    ) as numbered
    where place <= ${first}::int or place > total - ${last}::int order by page`);
  const pages: FactPage[] = [];
  for (const { page, content, words } of rows) {
    pages.push({
      number: page,
      text: content,
      words: words === null ? undefined : decodePageWords(content, words)?.words.slice(0, MAX_WORDS),
    });
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { pages, languages: languagesOf(rows) };
};

/** The text of the first page. */
export const readFirstPage = async (db: Db, documentId: string): Promise<readonly FactPage[]> =>
  (await readFactText(db, documentId, { first: 1, last: 0 })).pages;

const languagesOf = (rows: readonly PageRow[]): string[] => {
  const lengths = new Map<string, number>();
  for (const { language, content } of rows) if (language !== null) lengths.set(language, (lengths.get(language) ?? 0) + content.length);
  return [...lengths].toSorted(([, one], [, other]) => other - one).map(([language]) => language);
};
