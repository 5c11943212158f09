import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Degrees clockwise. */
export type Turn = 90 | 180 | 270;

/** Where a box stands when its page is turned. */
export const turnBox = ({ x, y, width, height }: Box, by: Turn): Box => {
  if (by === 90) return { x: 1 - y - height, y: x, width: height, height: width };
  if (by === 180) return { x: 1 - x - width, y: 1 - y - height, width, height };
  return { x: y, y: 1 - x - width, width: height, height: width };
};

/** The words of a page that is turned, in the order that they had. */
export const turnWords = ({ width, height, words }: PageWords, by: Turn): PageWords => ({
  ...(by === 180 ? { width, height } : { width: height, height: width }),
  words: words.map((word) => ({ ...word, box: turnBox(word.box, by) })),
});

/** Where something stands on a page, in fractions of its width and height from its top left corner. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PageWord {
  readonly text: string;
  readonly box: Box;
  /** 0 to 1. */
  readonly confidence: number;
  /** Where it begins in the text of the page, where that is known. */
  readonly start?: number | undefined;
}

export interface PageWords {
  /** Of the page as it is shown: points (1/72 inch) of a PDF, pixels of an image. */
  readonly width: number;
  readonly height: number;
  /** In the order of the text. */
  readonly words: readonly PageWord[];
}

const VERSION = 1;
/** A box is kept in steps of a 4,096th of the page: 0.07 mm of A4. */
const STEPS = 4_096;
const PERCENT = 100;
/** Sizes are kept in tenths. */
const SIZE_STEPS = 10;
/** Further on than this a word is not the next one of the text: it was left out of it. After words that were, one is looked for further on. */
const GAP_CHARS = { first: 64, each: 64, most: 4_096 };
const MAX_WORDS = 200_000;
/** Numbers that are kept of a word. */
const COLUMNS = 7;
/** Each of them takes at most five bytes. */
const MAX_BYTES = MAX_WORDS * COLUMNS * 5 + 64;
/** More saves a hundredth and takes twice as long. */
const DEFLATE_LEVEL = 6;

/**
 * The words of a page as bytes that are read together with its `text`: version, size, number of words, then one column of numbers for
 * each thing that is known of a word, as differences to the word before it, deflated. Words are looked for in `text` in their order,
 * unless they know where they begin. Those that it does not have are left out, and so are those outside the page. Undefined where no
 * word is left.
 */
export const encodePageWords = (text: string, { width, height, words }: PageWords): Uint8Array | undefined => {
  const rows: number[] = [];
  let before = { end: 0, right: 0, y: 0, height: 0, confidence: 0 };
  for (const { start, end, word } of placesIn(text, words)) {
    const box = inSteps(word.box);
    if (box === undefined) continue;
    const confidence = Math.round(Math.min(1, Math.max(0, word.confidence)) * PERCENT);
    rows.push(start - before.end, end - start, box.x - before.right, box.y - before.y);
    rows.push(box.width, box.height - before.height, confidence - before.confidence);
    before = { end, right: box.x + box.width, y: box.y, height: box.height, confidence };
    if (rows.length === MAX_WORDS * COLUMNS) break;
  }
  const count = rows.length / COLUMNS;
  if (count === 0) return undefined;
  const writer = new NumberWriter();
  for (const value of [VERSION, Math.round(width * SIZE_STEPS), Math.round(height * SIZE_STEPS), count]) writer.write(value);
  for (let column = 0; column < COLUMNS; column += 1) for (let at = column; at < rows.length; at += COLUMNS) writer.write(rows[at] ?? 0);
  return deflateRawSync(writer.bytes(), { level: DEFLATE_LEVEL });
};

/** What `encodePageWords` made of the same `text`; undefined for bytes that it did not make, or of another text. */
export const decodePageWords = (text: string, bytes: Uint8Array): PageWords | undefined => {
  const reader = new NumberReader(inflated(bytes));
  const [version, width, height, count] = [reader.read(), reader.read(), reader.read(), reader.read()];
  if (version !== VERSION || count < 0 || count > MAX_WORDS || !(width > 0 && height > 0)) return undefined;
  const columns = Array.from({ length: COLUMNS }, () => Array.from({ length: count }, () => reader.read()));
  const words: PageWord[] = [];
  const before = { end: 0, right: 0, y: 0, height: 0, confidence: 0 };
  for (let at = 0; at < count; at += 1) {
    const [gap = 0, length = 0, left = 0, down = 0, wide = 0, higher = 0, surer = 0] = columns.map((column) => column[at] ?? 0);
    const start = before.end + gap;
    before.end = start + length;
    const x = before.right + left;
    before.right = x + wide;
    before.y += down;
    before.height += higher;
    before.confidence += surer;
    if (start < 0 || length < 0 || before.end > text.length) return undefined;
    const box = { x: x / STEPS, y: before.y / STEPS, width: wide / STEPS, height: before.height / STEPS };
    words.push({ text: text.slice(start, before.end), box, confidence: before.confidence / PERCENT, start });
  }
  return reader.isWhole ? { width: width / SIZE_STEPS, height: height / SIZE_STEPS, words } : undefined;
};

interface Place {
  readonly start: number;
  readonly end: number;
  readonly word: PageWord;
}

/** Where each word stands in the text. A text has some words without the hyphen that parted them at the end of a line. */
function* placesIn(text: string, words: readonly PageWord[]): Generator<Place> {
  let cursor = 0;
  let missed = 0;
  for (const word of words) {
    const gap = Math.min(GAP_CHARS.most, GAP_CHARS.first + GAP_CHARS.each * missed);
    const place = placeOf(text, word, cursor, gap);
    missed = place === undefined ? missed + 1 : 0;
    if (place === undefined) continue;
    yield { ...place, word };
    cursor = place.end;
  }
}

interface Span {
  readonly start: number;
  readonly end: number;
}

const placeOf = (text: string, word: PageWord, cursor: number, gap: number): Span | undefined => {
  if (word.start !== undefined) return { start: word.start, end: word.start + word.text.length };
  const whole = findNext(text, word.text, cursor, gap);
  return whole ?? (word.text.endsWith('-') ? findNext(text, word.text.slice(0, -1), cursor, gap) : undefined);
};

const findNext = (text: string, word: string, from: number, gap: number): Span | undefined => {
  if (word === '') return undefined;
  // nearly always the next word, behind a single space
  for (let near = from; near <= from + 1; near += 1) if (text.startsWith(word, near)) return { start: near, end: near + word.length };
  const at = text.slice(from, from + gap + word.length).indexOf(word);
  return at === -1 ? undefined : { start: from + at, end: from + at + word.length };
};

/** The part of a box that is on the page; undefined where none is. */
const inSteps = ({ x, y, width, height }: Box): Box | undefined => {
  const [left, top] = [toStep(x), toStep(y)];
  const [wide, high] = [toStep(x + width) - left, toStep(y + height) - top];
  return wide > 0 && high > 0 ? { x: left, y: top, width: wide, height: high } : undefined;
};

const toStep = (edge: number): number => Math.round(Math.min(1, Math.max(0, edge)) * STEPS);

const inflated = (bytes: Uint8Array): Uint8Array => {
  try {
    return inflateRawSync(bytes, { maxOutputLength: MAX_BYTES });
  } catch {
    return new Uint8Array();
  }
};

const CONTINUES = 0x80;
const LOW_BITS = 0x7f;

/** Whole numbers of either sign in as few bytes as they need: zigzag, then seven bits a byte. */
class NumberWriter {
  readonly #bytes: number[] = [];

  write(value: number): void {
    let rest = value < 0 ? -value * 2 - 1 : value * 2;
    while (rest > LOW_BITS) {
      this.#bytes.push((rest & LOW_BITS) | CONTINUES);
      rest = Math.floor(rest / 128);
    }
    this.#bytes.push(rest);
  }

  bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}

class NumberReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Whether all there is was read, and no more than that. */
  get isWhole(): boolean {
    return this.#at === this.#bytes.length;
  }

  read(): number {
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = this.#bytes[this.#at] ?? 0;
      this.#at += 1;
      value += (byte & LOW_BITS) * factor;
      if ((byte & CONTINUES) === 0) break;
      factor *= 128;
    }
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }
}
