import { boxOf, type Line } from './page-lines.ts';

const MAX_WORDS = 8;
const MAX_ROWS_ABOVE = 2;
/** Atoms of the head of a table. */
const MAX_HEAD = 300;

/** The place of the first atom that ends behind `offset`, found by halving: a line may be as long as a page. */
export const atomAt = ({ atoms }: Line, offset: number): number => {
  let [low, high] = [0, atoms.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((atoms[middle]?.end ?? 0) > offset) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** The last words, folded, between the offsets `from` and `to` of a line: what is written before a value. */
export const wordsBefore = (line: Line, from: number, to: number): string[] => {
  const words: string[] = [];
  for (let at = atomAt(line, to) - 1; at >= 0 && words.length < MAX_WORDS; at -= 1) {
    const atom = line.atoms[at];
    if (atom === undefined || atom.start < from) break;
    if (atom.kind !== 'sign' || atom.text === '%' || atom.text === '#') words.unshift(atom.folded);
  }
  return words;
};

/** The words, folded, that stand over the characters from `start` to `end`: the head of a column of a table. */
export const wordsAbove = (lines: readonly Line[], line: Line, start: number, end: number): string[] => {
  const value = boxOf(line, start, end);
  for (let up = 1; up <= MAX_ROWS_ABOVE; up += 1) {
    const above = lines[line.index - up];
    if (above === undefined) break;
    const words = above.atoms
      .slice(0, MAX_HEAD)
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
