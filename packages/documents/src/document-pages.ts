import type { Db } from '@sheaf/db';
import { and, asc, count, desc, eq, gt, gte, lte, type SQL, sql } from '@sheaf/db/drizzle';
import { documentPages, type documentVersionPages } from '@sheaf/db/schema';
import type { PageOrigin } from '@sheaf/vocabulary/documents';
import type { FailureReason } from '@sheaf/vocabulary/extraction-failures';
import { decodePageWords, type PageWord, type PageWords } from '@sheaf/vocabulary/page-words';
import type { PageSortField } from '@sheaf/vocabulary/part-sort-fields';
import type { SortOrder } from '@sheaf/vocabulary/sort-fields';

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

/** What is known before the pages of a document are read. */
export interface ReadingStart {
  /** The numbers of the pages that have been read without an error. */
  readonly donePages: ReadonlySet<number>;
  /** Those that the owner has had processed lately, as codes of tesseract, the most usual first. */
  readonly likelyLanguages: readonly string[];
  /** In which the owner reads the screens, where they have chosen one. */
  readonly ownerLanguage: string | undefined;
}

const LATELY = 50;

export const findReadingStart = async (
  db: Db,
  { id, ownerId }: { readonly id: string; readonly ownerId: string },
): Promise<ReadingStart> => {
  const { rows } = await db.execute<{ done: number[]; likely: string[]; own: string | null }>(sql`
    select array(select page from document_pages where document_id = ${id} and error is null and not is_stale) as done,
      array(
        select language from (
          select language from documents where owner_id = ${ownerId} and language is not null order by completed_at desc limit ${LATELY}
        ) as lately group by language order by count(*) desc, language
      ) as likely,
      (select language from user_settings where user_id = ${ownerId}) as own`);
  const { done = [], likely = [], own } = rows[0] ?? {};
  return { donePages: new Set(done), likelyLanguages: likely, ownerLanguage: own ?? undefined };
};

export interface PageFields {
  readonly page: number;
  readonly content: string;
  readonly confidence: number;
  readonly origin: PageOrigin;
  readonly error?: string | undefined;
  /** Where the words of `content` stand, as `encodePageWords` writes it. */
  readonly words?: Uint8Array | undefined;
  /** What `content` was found to be in, as a code of tesseract. */
  readonly language?: string | undefined;
}

/** Writes pages; one that is there already is replaced. */
export const savePages = async (tx: Db, documentId: string, pages: readonly PageFields[]): Promise<void> => {
  if (pages.length === 0) return;
  await tx
    .insert(documentPages)
    .values(
      pages.map((page) => ({ documentId, ...page, error: page.error ?? null, words: page.words ?? null, language: page.language ?? null })),
    )
    .onConflictDoUpdate({
      target: [documentPages.documentId, documentPages.page],
      set: {
        content: sql`excluded.content`,
        confidence: sql`excluded.confidence`,
        origin: sql`excluded.origin`,
        error: sql`excluded.error`,
        words: sql`excluded.words`,
        language: sql`excluded.language`,
        isStale: false,
      },
    });
};

/** Makes the pages of these documents ones to be read again, those with edited text only where `keepsEdited` is false. Their text stays until then. */
export const markPagesStale = async (
  tx: Db,
  documentIds: readonly string[],
  { keepsEdited }: { readonly keepsEdited: boolean },
): Promise<void> => {
  const { documentId, origin } = documentPages;
  await tx
    .update(documentPages)
    .set({ isStale: true })
    .where(sql`${documentId} = any(${sql.param([...documentIds])}::uuid[]) and (${origin} <> 'edited' or not ${keepsEdited})`);
};

/** Removes the pages that the new reading did not have. */
export const deleteStalePages = async (tx: Db, documentId: string): Promise<void> => {
  await tx.delete(documentPages).where(and(eq(documentPages.documentId, documentId), eq(documentPages.isStale, true)));
};

/** The whole text of the document `documentId`, pages parted by a form feed: none follow an edited text that is shorter than the document. */
export const wholeText = (documentId: SQL | string): SQL<string> => sql<string>`coalesce((
  select case when bool_or(document_pages.origin = 'edited') then rtrim(string_agg(document_pages.content, chr(12) order by document_pages.page), chr(12))
    else string_agg(document_pages.content, chr(12) order by document_pages.page) end
  from document_pages where document_pages.document_id = ${documentId}), '')`;

export const readContent = async (db: Db, documentId: string): Promise<string> => {
  const { rows } = await db.execute<{ content: string }>(sql`select ${wholeText(documentId)} as content`);
  return rows[0]?.content ?? '';
};

export interface PageRow {
  readonly page: number;
  readonly content: string;
  readonly confidence: number;
  readonly origin: PageOrigin;
}

/** Pages from `from` to `to`, both included, or to the last one, by number unless they are sorted otherwise. */
export interface PageListRequest {
  readonly from: number;
  readonly to?: number | undefined;
  readonly sort?: PageSortField;
  readonly order?: SortOrder;
  readonly limit?: number;
  readonly offset?: number;
}

export interface PageList {
  readonly pages: PageRow[];
  /** Pages that there are in all. */
  readonly total: number;
  /** Pages from `from` to `to`. */
  readonly matched: number;
}

/** The pages in `table` among those of `isOfFile` that are there. */
export const selectPages = async (
  db: Db,
  table: typeof documentPages | typeof documentVersionPages,
  isOfFile: SQL | undefined,
  { from, to, sort = 'page', order = 'asc', limit, offset }: PageListRequest,
): Promise<PageList> => {
  const { page, content, confidence, origin } = table;
  const direction = order === 'asc' ? asc : desc;
  const isInRange = and(gte(page, from), to === undefined ? undefined : lte(page, to));
  const rows = db
    .select({ page, content, confidence, origin })
    .from(table as typeof documentPages)
    .where(and(isOfFile, isInRange))
    .orderBy(direction(table[sort]), direction(page))
    .$dynamic();
  const [pages, [counted]] = await Promise.all([
    limit === undefined ? rows : rows.limit(limit).offset(offset ?? 0),
    db
      .select({ total: count(), matched: sql<number>`count(*) filter (where ${isInRange})::int` })
      .from(table as typeof documentPages)
      .where(isOfFile),
  ]);
  return { pages, total: counted?.total ?? 0, matched: counted?.matched ?? 0 };
};

/** The pages of a document that are there. */
export const listPages = (db: Db, documentId: string, request: PageListRequest): Promise<PageList> =>
  selectPages(db, documentPages, eq(documentPages.documentId, documentId), request);

/** A page and where its words stand: none, and no size, where nothing is known of it. Undefined where there is no such page. */
export const readPageWords = async (
  db: Db,
  documentId: string,
  page: number,
): Promise<(Partial<PageWords> & Pick<PageRow, 'origin'>) | undefined> => {
  const [row] = await db
    .select({ origin: documentPages.origin, content: documentPages.content, words: documentPages.words })
    .from(documentPages)
    .where(and(eq(documentPages.documentId, documentId), eq(documentPages.page, page)));
  return row && { origin: row.origin, ...(row.words === null ? {} : decodePageWords(row.content, row.words)) };
};

export interface PageTotals {
  readonly pages: number;
  readonly failedPages: number;
  /** Why its pages failed, where all that did failed for the same reason. */
  readonly commonFailure: FailureReason | undefined;
  /** Mean over the pages that have text, or undefined when none has. */
  readonly confidence: number | undefined;
  readonly excerpt: string;
  /** What most of its text was found to be in. */
  readonly language: string | undefined;
  /** What most of those recognised pages are in whose language cannot be read. */
  readonly missingLanguage: string | undefined;
  /** Whether pages of an earlier reading are still there. */
  readonly hasStale: boolean;
}

/**
 * What a finished document says of its pages, those of an earlier reading left out. `readableLanguages` are those that can be recognised;
 * none: that is not known.
 */
export const summarisePages = async (
  tx: Db,
  documentId: string,
  { excerptCharacters, readableLanguages }: { readonly excerptCharacters: number; readonly readableLanguages: readonly string[] },
): Promise<PageTotals> => {
  const languageOf = (pages: SQL): SQL => sql`(select language from document_pages
    where document_id = ${documentId} and not is_stale and language is not null and ${pages}
    group by language order by sum(char_length(content)) desc, language limit 1)`;
  const { rows } = await tx.execute<{
    pages: number;
    failed: number;
    failure: FailureReason | null;
    confidence: number | null;
    excerpt: string;
    language: string | null;
    missing_language: string | null;
    has_stale: boolean;
  }>(sql`
    select count(*)::int as pages,
      (count(*) filter (where error is not null))::int as failed,
      case when count(distinct error) = 1 then min(error) end as failure,
      avg(confidence) filter (where content <> '') as confidence,
      coalesce(left((
        select string_agg(left(content, ${excerptCharacters}), ' ' order by page)
        from (select page, content from document_pages where document_id = ${documentId} and content <> '' and not is_stale order by page limit 20) first_pages
      ), ${excerptCharacters}), '') as excerpt,
      ${languageOf(sql`true`)} as language,
      ${languageOf(sql`origin = 'ocr' and language <> all(${sql.param([...readableLanguages])}::text[])`)} as missing_language,
      exists (select from document_pages where document_id = ${documentId} and is_stale) as has_stale
    from document_pages where document_id = ${documentId} and not is_stale`);
  const row = rows[0];
  return {
    pages: row?.pages ?? 0,
    failedPages: row?.failed ?? 0,
    commonFailure: row?.failure ?? undefined,
    confidence: row?.confidence ?? undefined,
    excerpt: row?.excerpt ?? '',
    language: row?.language ?? undefined,
    missingLanguage: row?.missing_language ?? undefined,
    hasStale: row?.has_stale ?? false,
  };
};
