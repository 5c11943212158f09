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
