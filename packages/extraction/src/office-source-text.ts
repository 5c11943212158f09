import { isCompoundFile } from './compound-file.ts';
import { readSlideParagraphs } from './slides-text.ts';
import { readParagraphs, type TextVocabulary } from './xml-paragraphs.ts';
import { isZip, readZipDirectory, type ZipEntry } from './zip-directory.ts';
import { readZipText } from './zip-entry.ts';

const MAX_ENTRY_BYTES = 32 * 1024 * 1024;
const MAX_TOTAL_CHARS = 64 * 1024 * 1024;
const MAX_DEPTH = 1_000;

interface Part {
  readonly entries: RegExp;
  readonly vocabulary: TextVocabulary;
}

const WORD: TextVocabulary = {
  paragraphs: new Set(['w:p']),
  runs: new Set(['w:t']),
  spaces: new Set(['w:tab', 'w:br', 'w:cr']),
  ignored: new Set(['mc:Fallback']),
};
const DRAWING: TextVocabulary = { paragraphs: new Set(['a:p']), runs: new Set(['a:t']), spaces: new Set(['a:br']), ignored: new Set() };
const SHEET: TextVocabulary = {
  paragraphs: new Set(['si', 'is', 'comment']),
  runs: new Set(['t']),
  spaces: new Set(),
  ignored: new Set(['rPh']),
};
const OPEN_DOCUMENT: TextVocabulary = {
  paragraphs: new Set(['text:p', 'text:h']),
  runs: undefined,
  spaces: new Set(['text:s', 'text:tab', 'text:line-break']),
  ignored: new Set(['text:note-citation', 'text:tracked-changes']),
};

/** Where the formats that are zips of XML keep what people wrote. */
const PARTS: readonly Part[] = [
  { entries: /^word\/(document|footnotes|endnotes|comments|header\d*|footer\d*)\.xml$/, vocabulary: WORD },
  { entries: /^ppt\/(slides|notesSlides|diagrams)\/[^/]+\.xml$/, vocabulary: DRAWING },
  { entries: /^xl\/(sharedStrings|comments\d*|worksheets\/[^/]+)\.xml$/, vocabulary: SHEET },
  { entries: /^content\.xml$/, vocabulary: OPEN_DOCUMENT },
];

/**
 * The paragraphs as they stand in the office file itself, as far as its format is one we can look into. Undefined for XML
 * nested as no person nests it: thousands of tables in tables keep LibreOffice busy for minutes.
 */
export const readSourceParagraphs = (bytes: Buffer): readonly string[] | undefined => {
  if (isCompoundFile(bytes)) return readSlideParagraphs(bytes);
  return isZip(bytes) ? readZipParagraphs(bytes, readZipDirectory(bytes) ?? []) : [];
};

const readZipParagraphs = (bytes: Buffer, entries: readonly ZipEntry[]): readonly string[] | undefined => {
  const paragraphs: string[] = [];
  let chars = 0;
  for (const entry of entries) {
    const part = PARTS.find((candidate) => candidate.entries.test(entry.name));
    const xml = part && readZipText(bytes, entry, Math.min(MAX_ENTRY_BYTES, MAX_TOTAL_CHARS - chars));
    if (part === undefined || xml === undefined) continue;
    chars += xml.length;
    const found = readParagraphs(xml, part.vocabulary, MAX_DEPTH);
    if (found === undefined) return undefined;
    // Not spread: a sheet may have more strings than a call takes arguments.
    for (const paragraph of found) paragraphs.push(paragraph);
    if (chars >= MAX_TOTAL_CHARS) break;
  }
  return paragraphs;
};
