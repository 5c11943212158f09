import type { Sheets } from './sheets.ts';

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
