import type { Db } from '@sheaf/db';
import { eq, type SQL, sql } from '@sheaf/db/drizzle';
import { documentEinvoices, documents } from '@sheaf/db/schema';
import { decodePageWords, encodePageWords, type Turn, turnWords } from '@sheaf/page-words';
import { type DocumentContent, excerptOf, FORGOTTEN, keepVersion, nextVersion } from './replace-content.ts';

/** A page of an edited document, and where it is from. */
export interface PlacedPage {
  readonly documentId: string;
  /** From 1. */
  readonly page: number;
  /** Clockwise. */
  readonly rotateBy: 0 | Turn;
}

interface EditedContent extends DocumentContent {
  /** In their order, one at least. */
  readonly pages: readonly PlacedPage[];
}

/** Pages whose words are turned at a time. */
const BATCH = 100;

/**
 * Puts a file under the document that has pages of its own file and of other documents, each with its text and words as they are now. The
 * file before is kept as an earlier version. Lock all these documents first, and queue the document to be finished: facts and search entry
 * are still those of the file before.
 */
export const editContent = async (tx: Db, id: string, { pages, ...content }: EditedContent, excerptCharacters: number): Promise<void> => {
  await keepVersion(tx, id);
  await tx.execute(sql`delete from document_pages where document_id = ${id}`);
  await copyPages(tx, id, pages);
  await turnPages(tx, id, pages);
  await tx.delete(documentEinvoices).where(eq(documentEinvoices.documentId, id));
  await tx
    .update(documents)
    .set({ ...content, ...FORGOTTEN, ...nextVersion, pageCount: pages.length, contentExcerpt: excerptOf(id, excerptCharacters) })
    .where(eq(documents.id, id));
};

/** Its own pages are those of the version that was kept last. */
const copyPages = async (tx: Db, id: string, pages: readonly PlacedPage[]): Promise<void> => {
  const placed = sql`unnest(${sql.param(pages.map(({ documentId }) => documentId))}::uuid[], ${sql.param(pages.map(({ page }) => page))}::int[])
    with ordinality as placed (source_id, source_page, place)`;
  const copied = sql`content, confidence, origin, error, words, language`;
  const insert = (source: SQL): SQL => sql`
    insert into document_pages (document_id, page, ${copied}) select ${id}::uuid, placed.place::int, ${copied} from ${placed} join ${source}`;
  await tx.execute(
    insert(sql`document_version_pages as pages on pages.document_id = placed.source_id and pages.page = placed.source_page
      and pages.version = (select version from documents where id = ${id}) where placed.source_id = ${id}`),
  );
  await tx.execute(
    insert(sql`document_pages as pages on pages.document_id = placed.source_id and pages.page = placed.source_page
      where placed.source_id <> ${id}`),
  );
};

/** Turns the words of the pages that were turned; other work of the process goes on between some of them and the next. */
const turnPages = async (tx: Db, id: string, pages: readonly PlacedPage[]): Promise<void> => {
  const turns = new Map<number, Turn>();
  for (const [at, { rotateBy }] of pages.entries()) if (rotateBy !== 0) turns.set(at + 1, rotateBy);
  const turned = [...turns.keys()];
  for (let at = 0; at < turned.length; at += BATCH) {
    const { rows } = await tx.execute<{ page: number; content: string; words: Uint8Array }>(sql`
      select page, content, words from document_pages
      where document_id = ${id} and page = any(${sql.param(turned.slice(at, at + BATCH))}::int[]) and words is not null`);
    const words = rows.map((row) => turnEncoded(row, turns.get(row.page)));
    await tx.execute(sql`
      update document_pages as pages set words = turned.words
      from unnest(${sql.param(rows.map(({ page }) => page))}::int[], ${sql.param(words)}::bytea[]) as turned (page, words)
      where pages.document_id = ${id} and pages.page = turned.page`);
  }
};

/** Null where nothing is known of the words any more. */
const turnEncoded = ({ content, words }: { readonly content: string; readonly words: Uint8Array }, by: Turn | undefined): Buffer | null => {
  const decoded = decodePageWords(content, words);
  const encoded = decoded && by && encodePageWords(content, turnWords(decoded, by));
  return encoded === undefined ? null : Buffer.from(encoded);
};
