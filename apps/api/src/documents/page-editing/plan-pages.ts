import { reasonedError } from '@sheaf/contract';
import type { PageOperation } from '@sheaf/contract/documents';
import type { PlacedPage } from '@sheaf/documents/versions';
import { MAX_EDITED_PAGES } from '@sheaf/vocabulary/limits';

type Pages = readonly PlacedPage[];

/** What an operation has to know beside the pages. */
interface Scene {
  /** Which operation it is, from 0. */
  readonly operation: number;
  /** Pages of each document as it is stored. */
  readonly pageCounts: ReadonlyMap<string, number>;
}

/** Throws where one of `numbers` is not from 1 to `pageCount`. */
const requirePages = (numbers: readonly number[], pageCount: number, operation: number): void => {
  const page = numbers.find((number) => number > pageCount);
  if (page !== undefined) throw reasonedError('VALIDATION_ERROR', 'unknown_pages', { operation, page, page_count: pageCount });
};

const turned = (page: PlacedPage, by: 90 | 180 | 270): PlacedPage => ({
  ...page,
  rotateBy: ((page.rotateBy + by) % 360) as PlacedPage['rotateBy'],
});

const placedPages = (documentId: string, numbers: readonly number[]): Pages => numbers.map((page) => ({ documentId, page, rotateBy: 0 }));

/** The numbers from 1 to `count`. */
const numbersTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

const move = (pages: Pages, numbers: readonly number[], to: number, operation: number): Pages => {
  const moving = new Set(numbers);
  const left = pages.filter((_, at) => !moving.has(at + 1));
  requirePages([to], left.length + 1, operation);
  const moved = numbers.flatMap((number) => pages[number - 1] ?? []);
  return [...left.slice(0, to - 1), ...moved, ...left.slice(to - 1)];
};

const append = (pages: Pages, documentId: string, numbers: readonly number[] | undefined, { operation, pageCounts }: Scene): Pages => {
  const pageCount = pageCounts.get(documentId) ?? 0;
  requirePages(numbers ?? [], pageCount, operation);
  const added = numbers ?? numbersTo(pageCount);
  if (pages.length + added.length > MAX_EDITED_PAGES)
    throw reasonedError('VALIDATION_ERROR', 'too_many_pages', { limit: MAX_EDITED_PAGES });
  return [...pages, ...placedPages(documentId, added)];
};

/** The parts, each of which begins with one of the pages `firsts` but the first. */
const split = (pages: Pages, firsts: readonly number[], operation: number): Pages[] => {
  requirePages(firsts, pages.length, operation);
  const starts = [1, ...firsts.toSorted((a, b) => a - b)];
  const parts = starts.map((start, at) => pages.slice(start - 1, (starts[at + 1] ?? pages.length + 1) - 1));
  if (parts.some((part) => part.length === 0)) throw reasonedError('VALIDATION_ERROR', 'empty_part', { operation });
  return parts;
};

const applyOne = (pages: Pages, operation: Exclude<PageOperation, { op: 'split' }>, scene: Scene): Pages => {
  if (operation.op === 'append') return append(pages, operation.document_id, operation.pages, scene);
  requirePages(operation.pages, pages.length, scene.operation);
  if (operation.op === 'move') return move(pages, operation.pages, operation.to, scene.operation);
  const meant = new Set(operation.pages);
  if (operation.op === 'rotate') return pages.map((page, at) => (meant.has(at + 1) ? turned(page, operation.by) : page));
  const left = pages.filter((_, at) => !meant.has(at + 1));
  if (left.length === 0) throw reasonedError('VALIDATION_ERROR', 'no_pages_left', { operation: scene.operation });
  return left;
};

/**
 * The pages of the document `documentId` after the operations, and those of the new documents that a split makes of it. `pageCounts` has
 * the number of pages of it and of every document that is appended; appended pages are those that are stored, whatever operations came
 * before. Throws VALIDATION_ERROR for a page or a position that is not there, and where no page would be left.
 */
export const planPages = (
  documentId: string,
  operations: readonly PageOperation[],
  pageCounts: ReadonlyMap<string, number>,
): [Pages, ...Pages[]] => {
  const pageCount = pageCounts.get(documentId) ?? 0;
  if (pageCount > MAX_EDITED_PAGES) throw reasonedError('VALIDATION_ERROR', 'too_many_pages', { limit: MAX_EDITED_PAGES });
  let pages: Pages = placedPages(documentId, numbersTo(pageCount));
  for (const [at, operation] of operations.entries()) {
    if (operation.op !== 'split') {
      pages = applyOne(pages, operation, { operation: at, pageCounts });
      continue;
    }
    const [first = [], ...others] = split(pages, operation.pages, at);
    return [first, ...others];
  }
  return [pages];
};

/** Whether these are the pages of the document as they are. */
export const areUnchanged = (documentId: string, pageCount: number, pages: Pages): boolean =>
  pages.length === pageCount && pages.every((page, at) => page.documentId === documentId && page.page === at + 1 && page.rotateBy === 0);
