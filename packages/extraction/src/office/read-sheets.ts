import { openByteSource, openZip, type XmlHandler, XmlReader, type ZipArchive } from '@sheaf/sandbox/containers';
import type { ExtractionLimits } from '../extraction.ts';
import { type Sheet, SheetReader } from './sheet-text.ts';

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
