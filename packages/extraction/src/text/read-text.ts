import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { storableText } from '@sheaf/contract/text';
import type { DocumentRequest } from '../document-parts.ts';
import { type ExtractedPage, type Extraction, failed } from '../extraction.ts';

const BATCH_CHARS = 1_000_000;

/** Of files up to this size, as most are, everything that is done here takes a few milliseconds at most. */
export const SMALL_TEXT_BYTES = 16 * 1024;

type TextRequest = Pick<DocumentRequest, 'path' | 'donePages' | 'signal'>;

/** Opens a plain text file. It is read twice, once to count the pages, so that a file of any size is never in memory whole. */
export const readText = async (request: TextRequest, maxPages: number): Promise<Extraction> => {
  const text = await openText(request.path, request.signal);
  let pageCount = 0;
  for await (const _ of pagesOf(text)) {
    pageCount += 1;
    if (pageCount > maxPages) return failed('too_many_pages');
  }
  return {
    ok: true,
    pageCount,
    previewPath: undefined,
    pages: batchesOf(text, request.donePages),
    [Symbol.asyncDispose]: async () => {},
  };
};

/** The beginning of a text file, for its picture. */
export const readFirstPage = async (path: string, signal: AbortSignal): Promise<string> => {
  for await (const page of pagesOf(await openText(path, signal))) return page;
  return '';
};

type Chunks = AsyncIterable<Buffer> | Iterable<Buffer>;

interface OpenedText {
  readonly encoding: TextEncoding;
  /** From the beginning, each time. */
  readonly chunks: () => Chunks;
}

const openText = async (path: string, signal: AbortSignal): Promise<OpenedText> => {
  const small = await readSmall(path);
  signal.throwIfAborted();
  const chunks = (): Chunks => (small === undefined ? createReadStream(path, { highWaterMark: SAMPLE_BYTES, signal }) : [small]);
  return { encoding: await encodingOf(chunks()), chunks };
};

/** A whole file, which is undefined where it is a large one. Without a stream, whose making takes longer than the rest. */
const readSmall = async (path: string): Promise<Buffer | undefined> => {
  await using file = await open(path);
  const bytes = Buffer.alloc(SMALL_TEXT_BYTES + 1);
  let length = 0;
  for (let read = 1; read > 0 && length < bytes.length; length += read) {
    ({ bytesRead: read } = await file.read(bytes, length));
  }
  return length > SMALL_TEXT_BYTES ? undefined : bytes.subarray(0, length);
};

/** Judged by the first part of the file that holds anything beyond ASCII. */
const encodingOf = async (chunks: Chunks): Promise<TextEncoding> => {
  for await (const chunk of chunks) {
    // A character may have begun in the chunk before: the rest of it proves nothing.
    const start = chunk.findIndex((byte) => byte < 0x80 || byte >= 0xc0);
    const sample = chunk.subarray(Math.max(0, Math.min(start, 3)));
    if (sample.some((byte) => byte >= 0x80 || byte === 0)) return detectEncoding(sample);
  }
  return 'utf-8';
};

const pagesOf = (text: OpenedText): AsyncGenerator<string> => splitIntoPages(decoded(text));

async function* decoded({ encoding, chunks }: OpenedText): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of chunks()) {
    yield storableText(decoder.decode(chunk, { stream: true }));
  }
  yield storableText(decoder.decode());
}

async function* batchesOf(opened: OpenedText, donePages: DocumentRequest['donePages']): AsyncGenerator<ExtractedPage[]> {
  let batch: ExtractedPage[] = [];
  let chars = 0;
  let page = 0;
  for await (const text of pagesOf(opened)) {
    page += 1;
    if (donePages.has(page)) continue;
    batch.push({ page, text, confidence: 1, origin: 'text' });
    chars += text.length;
    if (chars < BATCH_CHARS) continue;
    yield batch;
    batch = [];
    chars = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Where a text file that knows no pages is cut. */
const WORDS_A_PAGE = 3_000;
/** A page of one endless word ends too. */
const CHARS_A_PAGE = 100_000;
const MAX_LINE_BREAK_SEARCH = 2_000;

const FORM_FEED = '\f';

/**
 * Cuts a text that arrives in pieces into pages: at form feeds, and where a page has grown to some 3,000 words, at the end of a
 * line near there. Holds one page at a time. A text without a word is one empty page.
 */
export async function* splitIntoPages(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  let given = 0;
  for await (const piece of pieces) {
    rest += piece;
    for (let cut = findCut(rest); cut !== undefined; cut = findCut(rest)) {
      yield rest.slice(0, cut.end);
      given += 1;
      rest = rest.slice(cut.next);
    }
  }
  // A form feed at the very end closes the last page and opens none.
  if (given === 0 || rest.trim() !== '') yield rest;
}

interface Cut {
  readonly end: number;
  readonly next: number;
}

const findCut = (text: string): Cut | undefined => {
  const feed = text.indexOf(FORM_FEED);
  const full = findFullPage(feed === -1 ? text : text.slice(0, feed));
  if (full !== undefined) return full;
  return feed === -1 ? undefined : { end: feed, next: feed + 1 };
};

const findFullPage = (text: string): Cut | undefined => {
  // Most pieces are far from a full page: nothing is counted before it could be one.
  if (text.length < WORDS_A_PAGE * 2) return undefined;
  const limit = Math.min(endOfWords(text, WORDS_A_PAGE), CHARS_A_PAGE);
  if (text.length < limit + MAX_LINE_BREAK_SEARCH) return undefined;
  const lineEnd = text.indexOf('\n', limit);
  const end = lineEnd === -1 || lineEnd > limit + MAX_LINE_BREAK_SEARCH ? wordEnd(text, limit) : lineEnd + 1;
  return { end, next: end };
};

const endOfWords = (text: string, count: number): number => {
  const word = /\S+/g;
  for (let i = 0; i < count; i += 1) if (word.exec(text) === null) return Number.POSITIVE_INFINITY;
  return word.lastIndex;
};

/** The next white space, or, inside an endless word, here, but never between the halves of a surrogate pair. */
const wordEnd = (text: string, from: number): number => {
  const space = text.slice(from, from + MAX_LINE_BREAK_SEARCH).search(/\s/);
  if (space !== -1) return from + space;
  const code = text.charCodeAt(from - 1);
  return code >= 0xd800 && code <= 0xdbff ? from + 1 : from;
};

/** Names TextDecoder knows. */
type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | SingleByteEncoding;
type SingleByteEncoding = 'windows-1252' | 'iso-8859-2' | 'windows-1250' | 'windows-1251' | 'koi8-r' | 'iso-8859-5';

/** Enough for a judgement, little enough to decode a few times. */
const SAMPLE_BYTES = 64 * 1024;

/**
 * What a text file is written in, judged by its first bytes: a byte order mark, then the upper halves of UTF-16,
 * then UTF-8, which other encodings almost never imitate, then the single-byte encoding whose letters make the likeliest words.
 */
export const detectEncoding = (sample: Uint8Array): TextEncoding =>
  byOrderMark(sample) ?? byUpperHalves(sample) ?? (isUtf8(sample) ? 'utf-8' : bestSingleByte(sample));

const byOrderMark = ([first, second, third]: Uint8Array): TextEncoding | undefined => {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  return undefined;
};

/** The upper halves of UTF-16 characters are mostly one small number (0 for Latin, 4 for Cyrillic), in every second place. */
const byUpperHalves = (sample: Uint8Array): TextEncoding | undefined => {
  const [even, odd] = [shareOfControls(sample, 0), shareOfControls(sample, 1)];
  // Scripts with many thousand characters have a zero only at spaces and line ends, but are nothing else either.
  const enough = isUtf8(sample) ? 0.4 : 0.02;
  if (odd > enough && odd > even * 8) return 'utf-16le';
  if (even > enough && even > odd * 8) return 'utf-16be';
  return undefined;
};

const shareOfControls = (sample: Uint8Array, parity: 0 | 1): number => {
  let controls = 0;
  for (let i = parity; i < sample.length; i += 2) if ((sample[i] ?? 0xff) < 0x09) controls += 1;
  return controls / Math.max(1, sample.length / 2);
};

const isUtf8 = (sample: Uint8Array): boolean => {
  try {
    // stream: a character cut at the end of the sample is no mistake
    new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: true });
    return true;
  } catch {
    return false;
  }
};

/** The letters beyond ASCII that the languages of an encoding really use, the frequent ones. */
const USUAL_LETTERS: Record<SingleByteEncoding, string> = {
  'windows-1252': 'äöüßÄÖÜéèêëàâáçñóôòíîïúûùåøæœãõìýÉÈÀÇÅØÆ¿¡«»„“”’‘–—…€£§°·',
  'iso-8859-2': 'ěščřžýáíéúůťďňĚŠČŘŽÝÁÍÉÚŮŤĎŇąćęłńóśźżĄĆĘŁŃÓŚŹŻőűŐŰöüäßăâîşţđ§°',
  'windows-1250': 'ěščřžýáíéúůťďňĚŠČŘŽÝÁÍÉÚŮŤĎŇąćęłńóśźżĄĆĘŁŃÓŚŹŻőűŐŰöüäßăâîşţđ„“”’–—…§°',
  'windows-1251': 'абвгдежзийклмнопрстуфхцчшщъыьэюяАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЫЭЮЯёЁіїєґ«»–—№',
  'koi8-r': 'абвгдежзийклмнопрстуфхцчшщъыьэюяАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЫЭЮЯё',
  'iso-8859-5': 'абвгдежзийклмнопрстуфхцчшщъыьэюяАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЫЭЮЯёЁіїє',
};
/** Of equals the first wins: Western text is the most usual. */
const SINGLE_BYTE_ENCODINGS = Object.keys(USUAL_LETTERS) as SingleByteEncoding[];

const bestSingleByte = (sample: Uint8Array): SingleByteEncoding => {
  let best: { encoding: SingleByteEncoding; score: number } = { encoding: 'windows-1252', score: Number.NEGATIVE_INFINITY };
  for (const encoding of SINGLE_BYTE_ENCODINGS) {
    const score = likeliness(new TextDecoder(encoding).decode(sample), USUAL_LETTERS[encoding]);
    if (score > best.score) best = { encoding, score };
  }
  return best.encoding;
};

const LETTER = /\p{L}/u;
const LOWER = /\p{Ll}/u;
const UPPER = /\p{Lu}/u;
const ASCII_LETTER = /[a-zA-Z]/;
// Sentences of these letters are Cyrillic by nature; Latin text has them only as accents between ASCII letters.
const CYRILLIC = /\p{Script=Cyrillic}/u;

/** The score of one reading: usual letters count for it; strange signs, capitals inside words and mixed scripts against it. */
const likeliness = (text: string, usual: string): number => {
  let score = 0;
  let previous = ' ';
  for (const char of text) {
    if (char.charCodeAt(0) > 0x7f) {
      score += usual.includes(char) ? 2 : LETTER.test(char) ? -2 : -4;
      if (UPPER.test(char) && LOWER.test(previous)) score -= 3;
      if (CYRILLIC.test(char) && ASCII_LETTER.test(previous)) score -= 3;
    } else if (ASCII_LETTER.test(char) && CYRILLIC.test(previous)) score -= 3;
    previous = char;
  }
  return score;
};
