import { storableText } from '@sheaf/contract/text';
import { openByteSource, openZip, type XmlHandler, XmlReader, type ZipArchive } from '@sheaf/sandbox/containers';
import type { ExtractionLimits } from '../extraction.ts';

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

/** A row of a sheet that has any text. */
export interface SheetRow {
  /** The texts of its cells, in their order. A cell that stands for several equal ones is repeated. */
  readonly cells: readonly string[];
  /** The comments on its cells. */
  readonly comments: readonly string[];
}

export interface Sheet {
  readonly name: string;
  readonly rows: readonly SheetRow[];
  /** What stands in shapes that belong to no cell. */
  readonly shapes: readonly string[];
}

const PARAGRAPHS = new Set(['text:p', 'text:h']);
const SPACES = new Set(['text:s', 'text:tab', 'text:line-break']);
const CELLS = new Set(['table:table-cell', 'table:covered-table-cell']);
/** A cell of a spreadsheet program has room for 32,767. */
const MAX_PARAGRAPH_CHARS = 1024 * 1024;
/** What all sheets may hold together; repetition makes a gigabyte of a kilobyte. */
const MAX_CHARS = 32 * 1024 * 1024;

interface OpenRow {
  readonly repeated: number;
  readonly cells: string[];
  readonly comments: string[];
}

interface OpenCell {
  readonly repeated: number;
  readonly paragraphs: string[];
}

/**
 * Gathers the texts of all cells of an OpenDocument spreadsheet (`content.xml`) as they are shown, with those of hidden sheets, rows
 * and columns, which no rendition has. Structure: OpenDocument 1.3, part 3, chapter 9.
 */
export class SheetReader implements XmlHandler {
  readonly #sheets: { name: string; rows: SheetRow[]; shapes: string[] }[] = [];
  #row: OpenRow | undefined;
  #cell: OpenCell | undefined;
  #comment: string[] | undefined;
  /** A paragraph may stand in another: a note, a shape in a cell. */
  readonly #open: string[] = [];
  #charsLeft = MAX_CHARS;

  get sheets(): readonly Sheet[] {
    return this.#sheets;
  }

  /** Whether there is more text than is kept. */
  get isFull(): boolean {
    return this.#charsLeft <= 0;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'table:table') this.#sheets.push({ name: attributes['table:name'] ?? '', rows: [], shapes: [] });
    else if (name === 'table:table-row')
      this.#row = { repeated: countOf(attributes['table:number-rows-repeated']), cells: [], comments: [] };
    else if (CELLS.has(name)) this.#cell = { repeated: countOf(attributes['table:number-columns-repeated']), paragraphs: [] };
    else if (name === 'office:annotation') this.#comment = [];
    else if (PARAGRAPHS.has(name)) this.#open.push('');
    else if (SPACES.has(name)) this.text(' ');
  }

  close(name: string): void {
    if (name === 'table:table-row') this.#closeRow();
    else if (CELLS.has(name)) this.#closeCell();
    else if (name === 'office:annotation') this.#closeComment();
    else if (PARAGRAPHS.has(name)) this.#closeParagraph();
  }

  text(text: string): void {
    const paragraph = this.#open.pop();
    if (paragraph !== undefined) this.#open.push(paragraph.length < MAX_PARAGRAPH_CHARS ? paragraph + text : paragraph);
  }

  #closeParagraph(): void {
    const paragraph = this.#open.pop()?.trim() ?? '';
    if (paragraph === '' || this.isFull) return;
    this.#charsLeft -= paragraph.length;
    (this.#comment ?? this.#cell?.paragraphs ?? this.#sheets.at(-1)?.shapes)?.push(paragraph);
  }

  #closeComment(): void {
    const comment = this.#comment?.join(' ') ?? '';
    this.#comment = undefined;
    if (comment !== '') this.#row?.comments.push(comment);
  }

  #closeCell(): void {
    const { paragraphs = [], repeated = 1 } = this.#cell ?? {};
    this.#cell = undefined;
    const text = paragraphs.join(' ');
    if (text !== '') this.#repeat(text.length, repeated, () => this.#row?.cells.push(text));
  }

  #closeRow(): void {
    const row = this.#row;
    this.#row = undefined;
    if (row === undefined || (row.cells.length === 0 && row.comments.length === 0)) return;
    const { cells, comments, repeated } = row;
    const chars = cells.reduce((sum, cell) => sum + cell.length, 0);
    this.#repeat(chars, repeated, (isFirst) => this.#sheets.at(-1)?.rows.push({ cells, comments: isFirst ? comments : [] }));
  }

  /** The first one is counted already. */
  #repeat(chars: number, times: number, add: (isFirst: boolean) => void): void {
    add(true);
    for (let n = 1; n < times && !this.isFull; n += 1) {
      this.#charsLeft -= chars + 1;
      add(false);
    }
  }
}

const countOf = (text: string | undefined): number => {
  const count = Number(text ?? '1');
  return Number.isSafeInteger(count) && count > 1 ? count : 1;
};

/** The text of a spreadsheet. */
export interface SheetText {
  readonly sheets: readonly Sheet[];
  /** What stands beside the cells: titles of charts, headers and footers. */
  readonly others: readonly string[];
}

const CONTENT = 'content.xml';
const OTHERS = /^(?:styles|Object [^/]+\/content)\.xml$/;
/** What is left of a line of fields is no text. */
const WORD = /\p{L}{2}/u;
const MIB = 1024 * 1024;
const CONTENT_LIMITS = { maxDepth: 1_000, maxChars: 512 * MIB };
const OTHERS_LIMITS = { maxDepth: 1_000, maxChars: 8 * MIB };

/** The texts of charts without the cells they repeat, and of headers and footers without the numbers of pages. */
const OTHERS_VOCABULARY: TextVocabulary = {
  paragraphs: new Set(['text:p']),
  runs: undefined,
  spaces: new Set(['text:s', 'text:tab', 'text:line-break']),
  ignored: new Set([
    'table:table',
    ...['page-number', 'page-count', 'sheet-name', 'title', 'file-name', 'date', 'time'].map((field) => `text:${field}`),
  ]),
};

/** Reads the OpenDocument spreadsheet at `path`. Undefined where it is none that can be read. Throws the signal's reason when aborted. */
export const readSheets = async (
  path: string,
  { archiveEntries, archiveBytes }: Pick<ExtractionLimits, 'archiveEntries' | 'archiveBytes'>,
  signal: AbortSignal,
): Promise<SheetText | undefined> => {
  await using source = await openByteSource(path);
  const opened = await openZip(source, { maxEntries: archiveEntries, maxWorkBytes: archiveBytes });
  if (!opened.ok) return undefined;
  const sheets = await readContent(opened.archive, signal);
  signal.throwIfAborted();
  return sheets && { sheets, others: await readOthers(opened.archive) };
};

const readContent = async (archive: ZipArchive, signal: AbortSignal): Promise<readonly Sheet[] | undefined> => {
  const content = archive.entries.find(({ name }) => name === CONTENT);
  if (content === undefined) return undefined;
  const handler = new SheetReader();
  const reader = new XmlReader(handler, CONTENT_LIMITS);
  await archive.unpack(content, (piece) => !signal.aborted && !handler.isFull && reader.write(piece));
  return handler.sheets.length === 0 ? undefined : handler.sheets;
};

const readOthers = async (archive: ZipArchive): Promise<readonly string[]> => {
  const found = new Set<string>();
  for (const entry of archive.entries.filter(({ name }) => OTHERS.test(name))) {
    const paragraphs = new ParagraphReader(OTHERS_VOCABULARY);
    const reader = new XmlReader(paragraphs, OTHERS_LIMITS);
    await archive.unpack(entry, (piece) => reader.write(piece));
    for (const paragraph of paragraphs.paragraphs) if (WORD.test(paragraph)) found.add(paragraph);
  }
  return [...found];
};

/** What the text of an XML vocabulary is made of. */
export interface TextVocabulary {
  /** Elements that are a paragraph, or a cell. They may stand inside one another (a note in a paragraph). */
  readonly paragraphs: ReadonlySet<string>;
  /** Elements whose character data is text; undefined where all of it is. */
  readonly runs: ReadonlySet<string> | undefined;
  /** Elements that stand for white space. */
  readonly spaces: ReadonlySet<string>;
  /** Elements whose content is not the document's text. */
  readonly ignored: ReadonlySet<string>;
}

/** Gathers the paragraphs of an XML document, in order, as it is read. */
export class ParagraphReader implements XmlHandler {
  readonly paragraphs: string[] = [];
  readonly #vocabulary: TextVocabulary;
  readonly #open: string[] = [];
  #runs = 0;
  #ignored = 0;

  constructor(vocabulary: TextVocabulary) {
    this.#vocabulary = vocabulary;
  }

  open(name: string): void {
    const { paragraphs, runs, spaces, ignored } = this.#vocabulary;
    if (paragraphs.has(name)) this.#open.push('');
    if (runs?.has(name) === true) this.#runs += 1;
    if (ignored.has(name)) this.#ignored += 1;
    if (spaces.has(name)) this.#add(' ');
  }

  close(name: string): void {
    const { paragraphs, runs, ignored } = this.#vocabulary;
    if (runs?.has(name) === true) this.#runs -= 1;
    if (ignored.has(name)) this.#ignored -= 1;
    if (!paragraphs.has(name)) return;
    const paragraph = this.#open.pop()?.trim() ?? '';
    if (paragraph !== '') this.paragraphs.push(paragraph);
  }

  text(text: string): void {
    if (this.#vocabulary.runs === undefined || this.#runs > 0) this.#add(text);
  }

  #add(text: string): void {
    if (this.#ignored > 0 || this.#open.length === 0) return;
    this.#open.push((this.#open.pop() ?? '') + text);
  }
}
