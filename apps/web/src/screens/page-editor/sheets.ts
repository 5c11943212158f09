import type { PageOperation } from '@sheaf/contract/documents';

/** Where the arrow keys lead from the tile at `index` of `count` tiles in rows of `columns`; undefined for other keys. */
export const nextIndex = (key: string, index: number, count: number, columns: number): number | undefined => {
  const to = { ArrowLeft: index - 1, ArrowRight: index + 1, ArrowUp: index - columns, ArrowDown: index + columns, Home: 0, End: count - 1 }[
    key
  ];
  if (to === undefined) return undefined;
  return to < 0 || to >= count ? index : to;
};

/** Degrees clockwise. */
export type Turn = 0 | 90 | 180 | 270;

/** A page while its document is edited. */
export interface Sheet {
  /** Names it among all, whatever becomes of its place. */
  readonly key: string;
  readonly documentId: string;
  /** Its number in that document. */
  readonly page: number;
  /** 0: of the document itself, else of the nth document that was appended. */
  readonly addition: number;
  readonly turn: Turn;
  /** Whether a new document begins here. */
  readonly startsDocument: boolean;
}

/** In the order that the pages are to have. */
export type Sheets = readonly Sheet[];

/** All pages of a document as they are. */
export const sheetsOf = (documentId: string, pageCount: number, addition = 0): Sheets =>
  Array.from({ length: pageCount }, (_, index) => ({
    key: `${addition}-${index + 1}`,
    documentId,
    page: index + 1,
    addition,
    turn: 0,
    startsDocument: false,
  }));

/** The first page begins the document that there is. */
const withoutFirstSplit = (sheets: Sheets): Sheets =>
  sheets[0]?.startsDocument === true ? sheets.map((sheet, index) => (index === 0 ? { ...sheet, startsDocument: false } : sheet)) : sheets;

export const turnSheets = (sheets: Sheets, keys: ReadonlySet<string>, by: 90 | 270): Sheets =>
  sheets.map((sheet) => (keys.has(sheet.key) ? { ...sheet, turn: ((sheet.turn + by) % 360) as Turn } : sheet));

/** Where a page goes at which a document begins, the next one that stays begins it. */
export const removeSheets = (sheets: Sheets, keys: ReadonlySet<string>): Sheets => {
  let begins = false;
  const rest: Sheet[] = [];
  for (const sheet of sheets) {
    begins ||= sheet.startsDocument;
    if (keys.has(sheet.key)) continue;
    rest.push(sheet.startsDocument === begins ? sheet : { ...sheet, startsDocument: begins });
    begins = false;
  }
  return withoutFirstSplit(rest);
};

/** Puts pages together before the one that is at `gap`; at the end where that is the number of pages. The same array where nothing moves. */
export const moveSheets = (sheets: Sheets, keys: ReadonlySet<string>, gap: number): Sheets => {
  const [moved, before, after] = [
    sheets.filter(({ key }) => keys.has(key)),
    sheets.slice(0, gap).filter(({ key }) => !keys.has(key)),
    sheets.slice(gap).filter(({ key }) => !keys.has(key)),
  ];
  const all = [...before, ...moved, ...after];
  return all.every((sheet, index) => sheet === sheets[index]) ? sheets : withoutFirstSplit(all);
};

/** Moves pages together by one place. */
export const stepSheets = (sheets: Sheets, keys: ReadonlySet<string>, step: -1 | 1): Sheets => {
  const chosen = sheets.flatMap(({ key }, index) => (keys.has(key) ? [index] : []));
  const [first, last] = [chosen[0], chosen.at(-1)];
  if (first === undefined || last === undefined) return sheets;
  return moveSheets(sheets, keys, step === -1 ? Math.max(0, first - 1) : Math.min(sheets.length, last + 2));
};

/** Moves pages so that the first of them has the number `position`, as far as that is possible. */
export const moveSheetsTo = (sheets: Sheets, keys: ReadonlySet<string>, position: number): Sheets => {
  const others = sheets.filter(({ key }) => !keys.has(key));
  const next = others[Math.max(0, position - 1)];
  return moveSheets(sheets, keys, next === undefined ? sheets.length : sheets.indexOf(next));
};

/** Begins a document at each of the pages, or at none of them where one begins at each already. */
export const splitSheets = (sheets: Sheets, keys: ReadonlySet<string>): Sheets => {
  const can = (sheet: Sheet): boolean => keys.has(sheet.key) && sheet !== sheets[0];
  const startsDocument = sheets.some((sheet) => can(sheet) && !sheet.startsDocument);
  return sheets.some((sheet) => can(sheet) && sheet.startsDocument !== startsDocument)
    ? sheets.map((sheet) => (can(sheet) ? { ...sheet, startsDocument } : sheet))
    : sheets;
};

/** Adds all pages of another document at the end. */
export const appendSheets = (sheets: Sheets, documentId: string, pageCount: number, addition: number): Sheets => [
  ...sheets,
  ...sheetsOf(documentId, pageCount, addition),
];

/** How many documents there will be. */
export const documentCount = (sheets: Sheets): number => 1 + sheets.filter(({ startsDocument }) => startsDocument).length;

/** Which pages an action is for, by their keys. */
export interface PageSelection {
  readonly keys: ReadonlySet<string>;
  /** Where a range begins. */
  readonly anchor: string | undefined;
  /** What was selected before the range. */
  readonly base: ReadonlySet<string>;
}

export const NO_PAGES: PageSelection = { keys: new Set(), anchor: undefined, base: new Set() };

const anchored = (keys: ReadonlySet<string>, anchor: string | undefined): PageSelection => ({ keys, anchor, base: keys });

export const selectOnly = (key: string): PageSelection => anchored(new Set([key]), key);

export const selectAll = (sheets: Sheets): PageSelection => anchored(new Set(sheets.map(({ key }) => key)), undefined);

export const toggle = ({ keys }: PageSelection, key: string): PageSelection => {
  const after = new Set(keys);
  if (!after.delete(key)) after.add(key);
  return anchored(after, key);
};

/** Selects the pages from where the range begins to `key`, in place of the range that there was; `from` begins it where nothing else does. */
export const extendTo = (selection: PageSelection, sheets: Sheets, key: string, from = key): PageSelection => {
  const placeOf = (wanted: string | undefined): number => sheets.findIndex((sheet) => sheet.key === wanted);
  const begin = placeOf(selection.anchor) === -1 ? from : (selection.anchor ?? from);
  const [start, end] = [placeOf(begin), placeOf(key)].sort((one, other) => one - other);
  if (start === undefined || end === undefined || start === -1) return selection;
  const range = sheets.slice(start, end + 1).map((sheet) => sheet.key);
  return { keys: new Set([...selection.base, ...range]), anchor: begin, base: selection.base };
};

/** Without pages that are gone. */
export const prune = ({ keys, anchor, base }: PageSelection, sheets: Sheets): PageSelection => {
  const all = new Set(sheets.map(({ key }) => key));
  const there = (some: ReadonlySet<string>): ReadonlySet<string> => new Set([...some].filter((key) => all.has(key)));
  return { keys: there(keys), anchor: anchor !== undefined && all.has(anchor) ? anchor : undefined, base: there(base) };
};

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
