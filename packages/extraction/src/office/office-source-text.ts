import { type ByteSource, findContainer, OleFile, openZip, XmlReader, type ZipArchive, type ZipEntry } from '@sheaf/sandbox/containers';
import { ParagraphReader, type TextVocabulary } from './read-sheets.ts';

const MIB = 1024 * 1024;
const XML_LIMITS = { maxDepth: 1_000, maxChars: 32 * MIB };
/** Unpacked, all parts together. What lies behind it is looked for in the rendition only. */
const MAX_WORK_BYTES = 64 * MIB;
const SIGNATURE_BYTES = 8;

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
export const readSourceParagraphs = async (source: ByteSource, maxEntries: number): Promise<readonly string[] | undefined> => {
  const container = findContainer(await source.read(0, SIGNATURE_BYTES));
  if (container === 'ole') return readSlideParagraphs(await OleFile.open(source));
  if (container !== 'zip') return [];
  const opened = await openZip(source, { maxEntries, maxWorkBytes: MAX_WORK_BYTES });
  return opened.ok ? readZipParagraphs(opened.archive) : [];
};

const readZipParagraphs = async (archive: ZipArchive): Promise<readonly string[] | undefined> => {
  const paragraphs: string[] = [];
  for (const entry of archive.entries) {
    const part = PARTS.find((candidate) => candidate.entries.test(entry.name));
    if (part === undefined) continue;
    const found = await readPart(archive, entry, part.vocabulary);
    if (found === undefined) return undefined;
    // Not spread: a sheet may have more strings than a call takes arguments.
    for (const paragraph of found) paragraphs.push(paragraph);
  }
  return paragraphs;
};

/** What can be read of a part that is damaged is its text too. Undefined where it is nested too deeply. */
const readPart = async (archive: ZipArchive, entry: ZipEntry, vocabulary: TextVocabulary): Promise<readonly string[] | undefined> => {
  const paragraphs = new ParagraphReader(vocabulary);
  const reader = new XmlReader(paragraphs, XML_LIMITS);
  await archive.unpack(entry, (piece) => reader.write(piece));
  return reader.end() === 'too_deep' ? undefined : paragraphs.paragraphs;
};

/** Record types of the PowerPoint Document stream. */
const SLIDE = 0x03ee;
const SLIDE_LIST = 0x0ff0;
const TEXT_CHARS = 0x0fa0;
const TEXT_BYTES = 0x0fa8;
const HEADER_BYTES = 8;
const CONTAINER = 0xf;
const MASTERS = 1;
const MAX_DEPTH = 50;
const MAX_STREAM_BYTES = 64 * 1024 * 1024;

/** The paragraphs of an old PowerPoint file: those on the slides, and those of the outline that the slides refer to. */
const readSlideParagraphs = async (file: OleFile | undefined): Promise<readonly string[]> => {
  const stream = (await file?.read('PowerPoint Document', MAX_STREAM_BYTES)) ?? Buffer.alloc(0);
  const paragraphs: string[] = [];
  collect(stream, false, 0, paragraphs);
  return paragraphs;
};

/** Records of version and instance, type, length; containers hold records. Masters hold prompts such as "Click to edit". */
const collect = (records: Buffer, isText: boolean, depth: number, into: string[]): void => {
  for (let at = 0; at + HEADER_BYTES <= records.length; ) {
    const [options, type, length] = [records.readUInt16LE(at), records.readUInt16LE(at + 2), records.readUInt32LE(at + 4)];
    const body = records.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length);
    const isTextHere = isText || type === SLIDE || (type === SLIDE_LIST && options >> 4 !== MASTERS);
    if ((options & 0xf) === CONTAINER && depth < MAX_DEPTH) collect(body, isTextHere, depth + 1, into);
    else if (isText && type === TEXT_CHARS) addParagraphs(body.toString('utf16le'), into);
    else if (isText && type === TEXT_BYTES) addParagraphs(body.toString('latin1'), into);
    at += HEADER_BYTES + length;
  }
};

/** A paragraph ends with a carriage return, a line with a vertical tab. */
const addParagraphs = (text: string, into: string[]): void => {
  for (const paragraph of text.split('\r')) {
    const trimmed = paragraph.replaceAll('\v', ' ').trim();
    if (trimmed !== '') into.push(trimmed);
  }
};
