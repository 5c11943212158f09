import type { Db } from '@sheaf/db';
import { eq, type SQL, sql } from '@sheaf/db/drizzle';
import { type Document, documentEinvoices, documents } from '@sheaf/db/schema';
import { decodePageWords, encodePageWords, type Turn, turnWords } from '@sheaf/vocabulary/page-words';
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

/** A page of a document whose pages were arranged anew, and where it is from. */
export interface PlacedPage {
  readonly documentId: string;
  /** From 1. */
  readonly page: number;
  /** Clockwise. */
  readonly rotateBy: 0 | Turn;
}

/** An earlier version of a document, which is kept. */
interface KeptVersion {
  readonly documentId: string;
  readonly version: number;
}

/** Pages whose words are turned at a time. */
const BATCH = 100;

/**
 * Gives the document `to` pages of the version `kept` and of other documents, each with its text, language and words: those of its own before
 * go. The other documents are locked. A page of which nothing is known is left for the job of the document.
 */
export const placePages = async (tx: Db, to: string, kept: KeptVersion, pages: readonly PlacedPage[]): Promise<void> => {
  await tx.execute(sql`delete from document_pages where document_id = ${to}`);
  await copyPages(tx, to, kept, pages);
  await turnPages(tx, to, pages);
};

const copyPages = async (tx: Db, to: string, { documentId, version }: KeptVersion, pages: readonly PlacedPage[]): Promise<void> => {
  const placed = sql`unnest(${sql.param(pages.map((one) => one.documentId))}::uuid[], ${sql.param(pages.map(({ page }) => page))}::int[])
    with ordinality as placed (source_id, source_page, place)`;
  const isPlaced = sql`known.document_id = placed.source_id and known.page = placed.source_page`;
  const copied = sql`content, confidence, origin, error, words, language`;
  const insert = (source: SQL): SQL => sql`
    insert into document_pages (document_id, page, ${copied}) select ${to}::uuid, placed.place::int, ${copied} from ${placed} join ${source}`;
  await tx.execute(
    insert(sql`document_version_pages as known on ${isPlaced} and known.version = ${version} where placed.source_id = ${documentId}`),
  );
  await tx.execute(insert(sql`document_pages as known on ${isPlaced} where placed.source_id <> ${documentId}`));
};

/** Turns the words of the pages that were turned; other work of the process goes on between some of them and the next. */
const turnPages = async (tx: Db, to: string, pages: readonly PlacedPage[]): Promise<void> => {
  const turns = new Map<number, Turn>();
  for (const [at, { rotateBy }] of pages.entries()) if (rotateBy !== 0) turns.set(at + 1, rotateBy);
  const turned = [...turns.keys()];
  for (let at = 0; at < turned.length; at += BATCH) {
    const { rows } = await tx.execute<{ page: number; content: string; words: Uint8Array }>(sql`
      select page, content, words from document_pages
      where document_id = ${to} and page = any(${sql.param(turned.slice(at, at + BATCH))}::int[]) and words is not null`);
    const words = rows.map((row) => turnEncoded(row, turns.get(row.page)));
    await tx.execute(sql`
      update document_pages as pages set words = turned.words
      from unnest(${sql.param(rows.map(({ page }) => page))}::int[], ${sql.param(words)}::bytea[]) as turned (page, words)
      where pages.document_id = ${to} and pages.page = turned.page`);
  }
};

/** Null where nothing is known of the words any more. */
const turnEncoded = ({ content, words }: { readonly content: string; readonly words: Uint8Array }, by: Turn | undefined): Buffer | null => {
  const decoded = decodePageWords(content, words);
  const encoded = decoded && by && encodePageWords(content, turnWords(decoded, by));
  return encoded === undefined ? null : Buffer.from(encoded);
};
