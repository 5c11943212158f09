import type { PageOperation } from '@sheaf/contract/documents';
import { type Sheet, type Sheets, sheetsOf } from './sheets.ts';

const TURNS = [90, 180, 270] as const;

const byAddition = (sheets: Sheets): ReadonlyMap<number, readonly Sheet[]> =>
  Map.groupBy(
    [...sheets].sort((one, other) => one.addition - other.addition || one.page - other.page),
    ({ addition }) => addition,
  );

/** Appends what is kept of each other document. */
const appended = (kept: ReadonlyMap<number, readonly Sheet[]>): PageOperation[] =>
  [...kept].flatMap(([addition, sheets]) =>
    addition === 0 || sheets[0] === undefined
      ? []
      : [{ op: 'append' as const, document_id: sheets[0].documentId, pages: sheets.map(({ page }) => page) }],
  );

/** Moves the pages between the first and the last one that is not in its place. */
const moved = (before: readonly string[], sheets: Sheets): PageOperation[] => {
  const isWrong = ({ key }: Sheet, index: number): boolean => key !== before[index];
  const first = sheets.findIndex(isWrong);
  if (first === -1) return [];
  const places = new Map(before.map((key, index) => [key, index + 1]));
  const pages = sheets.slice(first, sheets.findLastIndex(isWrong) + 1).map(({ key }) => places.get(key) ?? 0);
  return [{ op: 'move', pages, to: first + 1 }];
};

const positionsOf = (sheets: Sheets, isMeant: (sheet: Sheet) => boolean): number[] =>
  sheets.flatMap((sheet, index) => (isMeant(sheet) ? [index + 1] : []));

const unlessEmpty = (pages: number[], operation: (pages: number[]) => PageOperation): PageOperation[] =>
  pages.length === 0 ? [] : [operation(pages)];

/**
 * The operations that make `sheets` of a document with `pageCount` pages, however many steps led there: what was undone is not among them. Page
 * numbers are those that the operations before have left.
 */
export const operationsOf = (pageCount: number, sheets: Sheets): PageOperation[] => {
  const kept = byAddition(sheets);
  const own = new Set(kept.get(0)?.map(({ page }) => page));
  const gone = sheetsOf('', pageCount).flatMap(({ page }) => (own.has(page) ? [] : [page]));
  const unmoved = [...kept].flatMap(([, group]) => group.map(({ key }) => key));
  return [
    // before pages are deleted, or none might be left
    ...appended(kept),
    ...unlessEmpty(gone, (pages) => ({ op: 'delete', pages })),
    ...moved(unmoved, sheets),
    ...TURNS.flatMap((by) =>
      unlessEmpty(
        positionsOf(sheets, ({ turn }) => turn === by),
        (pages) => ({ op: 'rotate', by, pages }),
      ),
    ),
    ...unlessEmpty(
      positionsOf(sheets, ({ startsDocument }) => startsDocument),
      (pages) => ({ op: 'split', pages }),
    ),
  ];
};
