import type { Box, PageWord } from '@sheaf/vocabulary/page-words';
import { type Atom, splitIntoAtoms } from './phrases.ts';

/** A page as the engine takes it. */
export interface FactPage {
  readonly number: number;
  readonly text: string;
  /** With their boxes in fractions of the page; without them the lines of `text` are taken and facts have no box. */
  readonly words?: readonly PageWord[] | undefined;
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly box: Box;
}

/** A row of a page: what stands side by side, from left to right. */
export interface Line {
  readonly page: number;
  /** Counted from 0 over the page. */
  readonly index: number;
  readonly text: string;
  readonly atoms: readonly Atom[];
  readonly spans: readonly Span[];
  /** Height of its highest word in fractions of the page; 0 where unknown. */
  readonly height: number;
}

/** Longer pages are cut: a full page of print has a tenth of it. */
export const PAGE_LIMITS = { words: 6_000, chars: 60_000, wordChars: 400 };

/** The rows of a page from top to bottom. */
export const linesOf = (page: FactPage): Line[] => {
  const words = firstWords((page.words ?? []).filter(isPlaced).slice(0, PAGE_LIMITS.words));
  const rows = words.length > 0 ? rowsOf(words).map(toRow) : textRows(page.text.slice(0, PAGE_LIMITS.chars));
  return rows.map((row, index) => ({ ...row, page: page.number, index, atoms: splitIntoAtoms(row.text) }));
};

const isPlaced = ({ text, box }: PageWord): boolean =>
  text.trim() !== '' && [box.x, box.y, box.width, box.height].every((edge) => Number.isFinite(edge));

/** As many as the characters of a page may be. */
const firstWords = (words: readonly PageWord[]): readonly PageWord[] => {
  let chars = 0;
  const end = words.findIndex(({ text }) => {
    chars += Math.min(text.length, PAGE_LIMITS.wordChars) + 1;
    return chars > PAGE_LIMITS.chars;
  });
  return end === -1 ? words : words.slice(0, end);
};

type Row = Pick<Line, 'text' | 'spans' | 'height'>;

const textRows = (text: string): Row[] =>
  text
    .split('\n')
    .filter((row) => row.trim() !== '')
    .map((row) => ({ text: row, spans: [], height: 0 }));

/** Between columns, as a text keeps them apart. */
const WIDE_GAP = '   ';
/** In widths of a character. */
const MIN_WIDE = 2.5;

const isWideGap = ({ x, width }: Box, { box, text }: PageWord): boolean => box.x - x - width > (MIN_WIDE * box.width) / text.length;

const toRow = (words: readonly PageWord[]): Row => {
  const spans: Span[] = [];
  let text = '';
  let before: Box | undefined;
  for (const word of words) {
    if (before !== undefined) text += isWideGap(before, word) ? WIDE_GAP : ' ';
    before = word.box;
    const start = text.length;
    text += word.text.slice(0, PAGE_LIMITS.wordChars);
    spans.push({ start, end: text.length, box: word.box });
  }
  return { text, spans, height: Math.max(...words.map(({ box }) => box.height)) };
};

/** Words whose middles are nearer than half a line stand in one row, also on a photograph that is a little turned. */
const rowsOf = (words: readonly PageWord[]): PageWord[][] => {
  const slope = slopeOf(words);
  const placed = words.map((word) => ({ word, middle: word.box.y + word.box.height / 2 - slope * (word.box.x + word.box.width / 2) }));
  placed.sort((one, other) => one.middle - other.middle);
  const rows: PageWord[][] = [];
  let row: PageWord[] = [];
  let rowMiddle = Number.NEGATIVE_INFINITY;
  for (const { word, middle } of placed) {
    const reach = Math.min(word.box.height, row.at(-1)?.box.height ?? word.box.height) / 2;
    if (middle - rowMiddle > reach || row.length === 0) {
      row = [];
      rows.push(row);
      rowMiddle = middle;
    }
    row.push(word);
    // of the row's middle, not of its last word's, which could wander down the page
    rowMiddle += (middle - rowMiddle) / row.length;
  }
  return rows.map((one) => one.toSorted((left, right) => left.box.x - right.box.x));
};

/** Steeper lines are columns of a table. */
const MAX_SLOPE = 0.15;

/** How far lines descend over the width of the page: the median between neighbouring words. */
const slopeOf = (words: readonly PageWord[]): number => {
  const slopes: number[] = [];
  for (let at = 1; at < words.length; at += 1) {
    const [left, right] = [words[at - 1]?.box, words[at]?.box];
    if (left === undefined || right === undefined) continue;
    const run = right.x - left.x;
    const fall = right.y + right.height / 2 - left.y - left.height / 2;
    if (run > 0 && Math.abs(fall) < left.height) slopes.push(fall / run);
  }
  const middle = slopes.toSorted((one, other) => one - other)[Math.floor(slopes.length / 2)] ?? 0;
  return Math.abs(middle) > MAX_SLOPE ? 0 : middle;
};

/** The box around the characters from `start` to `end` of a line; undefined where positions are unknown. */
export const boxOf = (line: Line, start: number, end: number): Box | undefined => {
  let around: Box | undefined;
  for (const span of line.spans) if (span.start < end && span.end > start) around = joined(around, partOf(span, start, end));
  return around;
};

/** Characters are taken as equally wide. */
const partOf = ({ start, end, box }: Span, from: number, to: number): Box => {
  const chars = Math.max(1, end - start);
  const left = Math.max(0, from - start) / chars;
  const right = Math.min(chars, to - start) / chars;
  return { x: box.x + box.width * left, y: box.y, width: box.width * (right - left), height: box.height };
};

const joined = (one: Box | undefined, other: Box): Box => {
  if (one === undefined) return other;
  const [x, y] = [Math.min(one.x, other.x), Math.min(one.y, other.y)];
  const right = Math.max(one.x + one.width, other.x + other.width);
  const bottom = Math.max(one.y + one.height, other.y + other.height);
  return { x, y, width: right - x, height: bottom - y };
};
