import type { Db } from '@sheaf/db';
import { asc, eq } from '@sheaf/db/drizzle';
import { type Document, documentPages, documents } from '@sheaf/db/schema';
import { savePages } from './document-pages.ts';
import { excerptOf } from './versions/replace-content.ts';

const PAGE_BREAK = '\f';

/** The text of each of `count` pages. Of more parts than pages the last page has the rest; fewer leave the last pages empty. */
const partText = (text: string, count: number): string[] => {
  const parts = text.split(PAGE_BREAK);
  while (parts.length > count && parts.at(-1) === '') parts.pop();
  return Array.from({ length: count }, (_, at) => (at < count - 1 ? (parts[at] ?? '') : parts.slice(at).join(PAGE_BREAK)));
};

/** Whether `text` is what lists and documents in processing show of the whole text: nothing, its beginning, or its first pages. */
const isBeginning = (text: string, { contentExcerpt }: Pick<Document, 'contentExcerpt'>, pages: readonly { content: string }[]): boolean =>
  text === '' ||
  text === contentExcerpt ||
  pages
    .map(({ content }) => content)
    .join(PAGE_BREAK)
    .startsWith(`${text}${PAGE_BREAK}`);

/**
 * Writes a text, whose pages a form feed parts, in place of that of the document, and returns the numbers of the pages whose text is another one
 * now: the others stay as they were extracted. The beginning of the text alone changes nothing, as a client may know no more of it. Lock the
 * document first, and write its search entry after it.
 */
export const editText = async (
  tx: Db,
  document: Pick<Document, 'id' | 'contentExcerpt'>,
  text: string,
  excerptCharacters: number,
): Promise<number[]> => {
  const { id } = document;
  const rows = await tx
    .select({ page: documentPages.page, content: documentPages.content, language: documentPages.language })
    .from(documentPages)
    .where(eq(documentPages.documentId, id))
    .orderBy(asc(documentPages.page));
  const pages = rows.length === 0 ? [{ page: 1, content: '', language: null }] : rows;
  if (isBeginning(text, document, pages)) return [];
  const parts = partText(text, pages.length);
  const edited = pages.flatMap(({ page, content, language }, at) => {
    const wanted = parts[at] ?? '';
    return wanted === content ? [] : [{ page, content: wanted, confidence: 1, origin: 'edited' as const, language: language ?? undefined }];
  });
  await savePages(tx, id, edited);
  if (edited.length > 0)
    await tx
      .update(documents)
      .set({ contentExcerpt: excerptOf(id, excerptCharacters) })
      .where(eq(documents.id, id));
  return edited.map(({ page }) => page);
};
