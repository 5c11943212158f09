import type { Db } from '@sheaf/db';
import { and, asc, eq, gt, sql } from '@sheaf/db/drizzle';
import { documentPages } from '@sheaf/db/schema';
import { decodePageWords, type PageWord } from '@sheaf/vocabulary/page-words';

/** What is known of the words of a document that its file does not have. */
interface RecognisedWords {
  /** Recognised pages whose words have positions. */
  readonly pages: number;
  /** Recognised pages with text, of whose words nobody knows where they are. */
  readonly pagesWithoutPositions: number;
  /** The same for the same words at the same places, in hexadecimal. */
  readonly hash: string;
}

const BATCH_PAGES = 20;
const HASH_DIGITS = 32;

export const readRecognisedWords = async (db: Db, documentId: string): Promise<RecognisedWords> => {
  const { page, content, words } = documentPages;
  const hasWords = sql`${words} is not null`;
  const ofPage = sql`${page} || ':' || encode(sha256(convert_to(${content}, 'UTF8')), 'hex') || encode(sha256(${words}), 'hex')`;
  const [row] = await db
    .select({
      pages: sql<number>`(count(*) filter (where ${hasWords}))::int`,
      pagesWithoutPositions: sql<number>`(count(*) filter (where ${words} is null and ${content} <> ''))::int`,
      hash: sql<string>`encode(sha256(convert_to(coalesce(string_agg(${ofPage}, ' ' order by ${page}) filter (where ${hasWords}), ''), 'UTF8')), 'hex')`,
    })
    .from(documentPages)
    .where(and(eq(documentPages.documentId, documentId), eq(documentPages.origin, 'ocr')));
  return { pages: row?.pages ?? 0, pagesWithoutPositions: row?.pagesWithoutPositions ?? 0, hash: (row?.hash ?? '').slice(0, HASH_DIGITS) };
};

/** The recognised pages of a document with their words, in their order, a few in memory at a time. */
export async function* listRecognisedPages(
  db: Db,
  documentId: string,
): AsyncGenerator<{ readonly page: number; readonly words: readonly PageWord[] }> {
  const { page, content, words } = documentPages;
  const isRecognised = and(eq(documentPages.documentId, documentId), eq(documentPages.origin, 'ocr'), sql`${words} is not null`);
  for (let last = 0; ; ) {
    const rows = await db
      .select({ page, content, words })
      .from(documentPages)
      .where(and(isRecognised, gt(page, last)))
      .orderBy(asc(page))
      .limit(BATCH_PAGES);
    for (const row of rows) {
      last = row.page;
      const decoded = row.words === null ? undefined : decodePageWords(row.content, row.words);
      yield { page: row.page, words: decoded?.words ?? [] };
    }
    if (rows.length < BATCH_PAGES) return;
  }
}
