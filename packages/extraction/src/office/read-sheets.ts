import { openByteSource, openZip, XmlReader, type ZipArchive } from '@sheaf/sandbox/containers';
import type { ExtractionLimits } from '../limits.ts';
import { type Sheet, SheetReader } from './sheet-text.ts';
import { ParagraphReader, type TextVocabulary } from './xml-paragraphs.ts';

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
