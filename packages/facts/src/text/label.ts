import { boxOf, type Line } from './page-lines.ts';

const MAX_WORDS = 8;
const MAX_ROWS_ABOVE = 2;

const isWord = (text: string): boolean => text.length > 0;

/** The last words, folded, between the offsets `from` and `to` of a line: what is written before a value. */
export const wordsBefore = (line: Line, from: number, to: number): string[] => {
  const words: string[] = [];
  for (const { kind, text, folded, start, end } of line.atoms) {
    if (end > to) break;
    if (start >= from && (kind !== 'sign' || text === '%' || text === '#')) words.push(folded);
  }
  return words.slice(-MAX_WORDS).filter(isWord);
};

/** The words, folded, that stand over the characters from `start` to `end`: the head of a column of a table. */
export const wordsAbove = (lines: readonly Line[], line: Line, start: number, end: number): string[] => {
  const value = boxOf(line, start, end);
  for (let up = 1; up <= MAX_ROWS_ABOVE; up += 1) {
    const above = lines[line.index - up];
    if (above === undefined) break;
    const words = above.atoms
      .filter((atom) => atom.kind === 'letters' && overlaps(above, atom, value, { start, end }))
      .map(({ folded }) => folded)
      .slice(-MAX_WORDS);
    if (words.length > 0) return words;
  }
  return [];
};

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Side by side on paper, or in a text whose columns are kept with spaces. */
const overlaps = (above: Line, atom: Range, value: { readonly x: number; readonly width: number } | undefined, range: Range): boolean => {
  if (value === undefined) return atom.start < range.end && atom.end > range.start;
  const box = boxOf(above, atom.start, atom.end);
  return box !== undefined && box.x < value.x + value.width && box.x + box.width > value.x;
};
