import { storableText } from '@sheaf/contract/text';
import type { SheetText } from './read-sheets.ts';
import type { SheetRow } from './sheet-text.ts';

/** At least so many characters are left of a cell in a column too narrow for it. */
const MIN_KEY_CHARS = 4;
const MAX_KEY_CHARS = 24;
/** Rows that are looked at together: one row alone may look like another one elsewhere. */
const WINDOW = 4;
/** A sheet begins on the first page that shows at least this share of its first rows. */
const MIN_SHARE = 0.5;
/** What may be walked through, by the length of all pages; then rows stay on the page that has been reached. */
const WALKED = { least: 20_000_000, timesText: 200 };

/**
 * Puts the rows of a spreadsheet on the pages of its rendition, whose text is `pages`: each row whole on the page where it begins to be
 * shown, what is shown nowhere on the page of what stands before it. Returns a text for each page, in the reading order of the sheets.
 */
export const putOnPages = ({ sheets, others }: SheetText, pages: readonly string[]): readonly string[] => {
  const finder = new PageFinder(pages);
  const lines = pages.map((): string[] => []);
  const put = (line: string): void => {
    if (line !== '') lines[finder.page]?.push(line);
  };
  for (const { name, rows, shapes } of sheets) {
    const keys = rows.map(keyOf);
    finder.beginSheet(keys.slice(0, WINDOW));
    put(name);
    for (const [at, { cells, comments }] of rows.entries()) {
      finder.follow(keys.slice(at, at + WINDOW));
      put(cells.join('\t'));
      comments.forEach(put);
    }
    shapes.forEach(put);
  }
  for (const other of others) lines[finder.find(squeeze(other))]?.push(other);
  return lines.map((page) => storableText(page.join('\n')));
};

/** What a row is looked for by; undefined where it has nothing that could not be anywhere. */
type RowKey = string | undefined;

/** Follows the rows of sheets through the pages of their rendition. It never goes back. */
class PageFinder {
  /** From 0. */
  page = 0;
  readonly #pages: readonly string[];
  /** Behind the last row that was found on this page. */
  #from = 0;
  #walksLeft: number;

  constructor(pages: readonly string[]) {
    this.#pages = pages.map(squeeze);
    const chars = this.#pages.reduce((sum, page) => sum + page.length, 0);
    this.#walksLeft = Math.max(WALKED.least, WALKED.timesText * chars);
  }

  /** Goes to the page where a sheet with these first rows begins; stays where none shows it. */
  beginSheet(rows: readonly RowKey[]): void {
    const keys = rows.filter((key) => key !== undefined);
    if (keys.length === 0) return;
    const at = this.#pages.findIndex(
      (_, page) => page >= this.page && keys.filter((key) => this.#shows(page, startOf(key))).length >= keys.length * MIN_SHARE,
    );
    if (at > this.page) this.#goTo(at);
  }

  /** Goes to the next page if the first of these rows is shown there rather than here, and none of those behind it here alone. */
  follow([key, ...later]: readonly RowKey[]): void {
    if (key === undefined || this.#isFoundHere(key)) return;
    const next = this.page + 1;
    // A whole cell on the next page is a better find than the beginning of one here.
    const shown = this.#shows(next, key) ? key : startOf(key);
    if ((shown !== key && this.#isFoundHere(shown)) || !this.#shows(next, shown)) return;
    if (later.some((other) => other !== undefined && this.#shows(this.page, other) && !this.#shows(next, other))) return;
    this.#goTo(next);
    this.#isFoundHere(shown);
  }

  /** The first page that shows `text`; the last one there is where none does. */
  find(text: string): number {
    const at = this.#pages.findIndex((_, page) => this.#shows(page, text));
    return at === -1 ? this.#pages.length - 1 : at;
  }

  /** Rows that look alike are found one behind the other. */
  #isFoundHere(key: string): boolean {
    const at = this.#indexOf(this.page, key, this.#from);
    if (at === -1) return false;
    this.#from = at + key.length;
    return true;
  }

  #shows(page: number, key: string): boolean {
    return this.#indexOf(page, key, 0) !== -1;
  }

  #indexOf(page: number, key: string, from: number): number {
    if (this.#walksLeft < 0) return -1;
    const text = this.#pages[page] ?? '';
    const at = text.indexOf(key, from);
    this.#walksLeft -= (at === -1 ? text.length : at) - from;
    return at;
  }

  #goTo(page: number): void {
    this.page = page;
    this.#from = 0;
  }
}

const keyOf = ({ cells }: SheetRow): RowKey =>
  cells.map((cell) => squeeze(cell.slice(0, MAX_KEY_CHARS))).find((key) => key.length >= MIN_KEY_CHARS);

const startOf = (key: string): string => key.slice(0, MIN_KEY_CHARS);

const squeeze = (text: string): string => text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, '');
